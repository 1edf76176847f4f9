"""The name ``ecmp``: minimal routing with groups of equal-cost next hops. A hash of the flow chooses a next hop."""

from __future__ import annotations

from tulle import _tulle

__all__ = ["implied_selector"]

_ECMP = "ecmp"


def implied_selector(routing: str) -> str | None:
    """Return the selector that the spec of a routing implies: ``ecmp`` if the spec calls the routing so.

    The tables of ``ecmp`` are those of ``minimal``. Only the hash in the switches makes them ECMP.
    """
    return _ECMP if not routing.startswith("@") and _tulle.spec_name(routing) == _ECMP else None
