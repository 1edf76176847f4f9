"""Typed specs of schemes that assign virtual channels, for example ``DFSSSP()``.

``tulle list deadlocks`` describes them.
"""

from tulle.typed_specs import define, lacking

__all__ = define(__name__, "deadlocks")
__getattr__ = lacking(__name__, __all__)
