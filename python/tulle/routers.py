"""Typed specs of routers of the flit simulator, for example ``InputQueued(vcs=4)``.

``tulle list routers`` describes them.
"""

from tulle.typed_specs import define

__all__ = define(__name__, "routers")
