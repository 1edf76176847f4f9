"""Typed specs of deployment targets, for example ``InfiniBand(lmc=2)``.

``tulle list targets`` describes them.
"""

from tulle._internal.typed_specs import define

__all__ = define(__name__, "targets")
