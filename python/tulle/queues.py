"""Typed specs of queues of switch ports, for example ``Trim(packets=8)``.

``tulle list queues`` describes them.
"""

from tulle.typed_specs import define, lacking

__all__ = define(__name__, "queues")
__getattr__ = lacking(__name__, __all__)
