"""Typed specs of metrics of fabrics, for example ``Walks(hops=3)``.

``tulle list metrics`` describes them.
"""

from tulle.typed_specs import define, lacking

__all__ = define(__name__, "metrics")
__getattr__ = lacking(__name__, __all__)
