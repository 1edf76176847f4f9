"""Typed specs of traffic patterns of the flit simulator, for example ``Uniform(self=False)``.

``tulle list flit-traffics`` describes them.
"""

from tulle.typed_specs import define, lacking

__all__ = define(__name__, "flit-traffics")
__getattr__ = lacking(__name__, __all__)
