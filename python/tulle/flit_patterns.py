"""Typed specs of traffic patterns of the flit simulator, for example ``Uniform(self=False)``.

``tulle list flit-traffics`` describes them.
"""

from tulle.typed_specs import define

__all__ = define(__name__, "flit-traffics")
