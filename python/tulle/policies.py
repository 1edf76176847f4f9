"""Typed specs of policies for virtual channels in the flit simulator, for example ``Hops()``.

``tulle list policies`` describes them.
"""

from tulle.typed_specs import define

__all__ = define(__name__, "policies")
