"""Typed specs of schemes that assign virtual channels, for example ``DFSSSP()``.

``tulle list deadlocks`` describes them.
"""

from tulle.typed_specs import define

__all__ = define(__name__, "deadlocks")
