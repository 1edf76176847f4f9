"""Typed specs of topologies, for example ``SlimFly(q=19)``.

``tulle list fabrics`` describes them.
"""

from tulle.typed_specs import define, lacking

__all__ = define(__name__, "fabrics")
__getattr__ = lacking(__name__, __all__)
