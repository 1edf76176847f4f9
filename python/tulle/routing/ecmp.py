"""The name ``ecmp``: minimal routing with groups of equal-cost next hops. A hash of the flow chooses a next hop."""

from __future__ import annotations

from tulle import _tulle

__all__ = ["implied_selector"]

_ECMP = "ecmp"


def implied_selector(routing: str) -> str | None:
    """Return the selector that the spec of a routing implies: ``ecmp`` for the routing ``ecmp``, otherwise None.

    The routings ``ecmp`` and ``minimal`` have the same tables. ECMP also needs switches that hash flows to next hops,
    so the name implies this selector.
    """
    return _ECMP if not routing.startswith("@") and _tulle.spec_name(routing) == _ECMP else None
