"""Members of families that may fit, as their declarations in Rust propose them (`Family::CANDIDATES`, `Family::LARGEST`).

A family may propose too many: whatever is refused, of another size or of too many ports is left out by its closed form.
"""

from __future__ import annotations

from dataclasses import dataclass

from tulle import _tulle

__all__ = ["BOUNDED", "SEARCHED", "Wanted", "candidates", "largest_candidates"]

SEARCHED: tuple[str, ...] = tuple(_tulle.searched_families())
"""Families that a search for a size looks at."""

BOUNDED: tuple[str, ...] = tuple(_tulle.bounded_families())
"""Families that have a largest member within a radix."""


@dataclass(frozen=True)
class Wanted:
    """The size and the switches that a search looks for."""

    endpoints: int
    low: int
    """The fewest endpoints."""
    high: int
    """The most."""
    radix: int
    """Ports of a switch."""
    oversubscription: tuple[float, ...]
    """Endpoints per uplink of a leaf, of trees."""


def candidates(family: str, wanted: Wanted) -> list[str]:
    """Specs of a family near a number of endpoints."""
    size = wanted.endpoints, wanted.low, wanted.high
    return _tulle.design_candidates(family, *size, wanted.radix, list(wanted.oversubscription))


def largest_candidates(family: str, radix: int) -> list[str]:
    """Specs of a family that may be its largest on switches of so many ports."""
    return _tulle.largest_candidates(family, radix)
