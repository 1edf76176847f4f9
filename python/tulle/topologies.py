"""Typed specs of topologies, for example ``SlimFly(q=19)``.

``tulle list fabrics`` describes them.
"""

from tulle.typed_specs import define

__all__ = define(__name__, "fabrics")
