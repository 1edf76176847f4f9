"""Typed specs of queues of switch ports, for example ``Trim(packets=8)``.

``tulle list queues`` describes them.
"""

from tulle.typed_specs import define

__all__ = define(__name__, "queues")
