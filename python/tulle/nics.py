"""Typed specs of orders of the flows at an endpoint's link, for example ``FIFO()``.

``tulle list nics`` describes them.
"""

from tulle.typed_specs import define, lacking

__all__ = define(__name__, "nics")
__getattr__ = lacking(__name__, __all__)
