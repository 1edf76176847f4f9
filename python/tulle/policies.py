"""Typed specs of policies for virtual channels in the flit simulator, for example ``Hops()``.

``tulle list policies`` describes them.
"""

from tulle.typed_specs import define, lacking

__all__ = define(__name__, "policies")
__getattr__ = lacking(__name__, __all__)
