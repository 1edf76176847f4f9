"""Typed specs of routing schemes, for example ``Random(layers=9, rho=0.6)``.

``tulle list routings`` describes them.
"""

from tulle.typed_specs import define

__all__ = define(__name__, "routings")
