"""Typed specs of traffic patterns, for example ``Permutation(bytes="1MiB")``.

``tulle list traffics`` describes them.
"""

from tulle.typed_specs import define

__all__ = define(__name__, "traffics")
