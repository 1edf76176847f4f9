"""Typed specs of metrics of fabrics, for example ``Walks(hops=3)``.

``tulle list metrics`` describes them.
"""

from tulle.typed_specs import define

__all__ = define(__name__, "metrics")
