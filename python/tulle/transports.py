"""Typed specs of transports, for example ``Purified(window=16)``.

``tulle list transports`` describes them.
"""

from tulle.typed_specs import define

__all__ = define(__name__, "transports")
