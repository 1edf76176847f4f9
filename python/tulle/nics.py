"""Typed specs of orders of the flows at an endpoint's link, for example ``FIFO()``.

``tulle list nics`` describes them.
"""

from tulle.typed_specs import define

__all__ = define(__name__, "nics")
