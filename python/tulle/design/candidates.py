"""Propose specs of networks that may fit a request, by rules that each family declares in Rust (constants of `Family`).

A family can propose too many specs. The closed forms of the specs then exclude illegal specs, other sizes, and switches
with too many ports.
"""

from __future__ import annotations

from dataclasses import dataclass

from tulle import _tulle

__all__ = ["BOUNDED", "SEARCHED", "Wanted", "candidates", "largest_candidates"]

SEARCHED: tuple[str, ...] = tuple(_tulle.searched_families())
"""Families that a search by number of endpoints includes."""

BOUNDED: tuple[str, ...] = tuple(_tulle.bounded_families())
"""Families that have a largest member for a given radix."""


@dataclass(frozen=True)
class Wanted:
    """The number of endpoints and the radix that a search asks for."""

    endpoints: int
    low: int
    """Smallest accepted number of endpoints."""
    high: int
    """Largest accepted number of endpoints."""
    radix: int
    """Ports of a switch."""
    oversubscription: tuple[float, ...]
    """Oversubscription of trees: endpoints per uplink of a leaf."""


def candidates(family: str, wanted: Wanted) -> list[str]:
    """Return specs of a family near a number of endpoints."""
    size = wanted.endpoints, wanted.low, wanted.high
    return _tulle.design_candidates(family, *size, wanted.radix, list(wanted.oversubscription))


def largest_candidates(family: str, radix: int) -> list[str]:
    """Return specs of a family that may be its largest on switches with this number of ports."""
    return _tulle.largest_candidates(family, radix)
