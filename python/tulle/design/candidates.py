"""Specs that may fit, as proposed by the families' declarations in Rust (constants of `Family`).

A family may propose too many specs. Those that are illegal, of another size or with too many ports are left out by
their closed forms.
"""

from __future__ import annotations

from dataclasses import dataclass

from tulle import _tulle

__all__ = ["BOUNDED", "SEARCHED", "Wanted", "candidates", "largest_candidates"]

SEARCHED: tuple[str, ...] = tuple(_tulle.searched_families())
"""Families that a search by size covers."""

BOUNDED: tuple[str, ...] = tuple(_tulle.bounded_families())
"""Families that have a largest member within a radix."""


@dataclass(frozen=True)
class Wanted:
    """The number of endpoints and the switches that a search is for."""

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
