"""Typed specs of the orders in which an endpoint's link serves its flows, for example ``FIFO()``.

``tulle list nics`` describes them.
"""

from tulle.typed_specs import define, lacking

__all__ = define(__name__, "nics")
__getattr__ = lacking(__name__, __all__)
