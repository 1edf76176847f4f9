"""Typed specs of traffic patterns, for example ``Permutation(bytes="1MiB")``.

``tulle list traffics`` describes them.
"""

from tulle.typed_specs import define, lacking

__all__ = define(__name__, "traffics")
__getattr__ = lacking(__name__, __all__)
