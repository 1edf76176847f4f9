"""Typed specs of transports, for example ``Purified(window=16)``.

``tulle list transports`` describes them.
"""

from tulle.typed_specs import define, lacking

__all__ = define(__name__, "transports")
__getattr__ = lacking(__name__, __all__)
