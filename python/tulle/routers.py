"""Typed specs of routers of the flit simulator, for example ``InputQueued(vcs=4)``.

``tulle list routers`` describes them.
"""

from tulle.typed_specs import define, lacking

__all__ = define(__name__, "routers")
__getattr__ = lacking(__name__, __all__)
