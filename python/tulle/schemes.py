"""Typed specs of routing schemes, for example ``Random(layers=9, rho=0.6)``.

``tulle list routings`` describes them.
"""

from tulle.typed_specs import define, lacking

__all__ = define(__name__, "routings")
__getattr__ = lacking(__name__, __all__)
