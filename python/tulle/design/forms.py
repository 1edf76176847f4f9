"""Closed forms of fabrics from their specs: sizes, distances and throughput bounds, without building fabrics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tulle import _tulle
from tulle._internal.arguments import read_texts
from tulle._internal.html_summary import Shown

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["ClosedForms", "closed_forms"]


@dataclass(frozen=True)
class ClosedForms(Shown):
    """Closed forms of a fabric. Made by `closed_forms`."""

    spec: str
    switches: int
    endpoints: int
    cables: int
    """Between switches."""
    network_radix: int
    """k': the largest number of network ports of a switch with endpoints."""
    concentration: int
    """p: the largest number of endpoints of a switch."""
    radix: int
    """Number of ports that a switch needs, including ports of endpoints."""
    diameter: int | None
    """Largest distance between switches with endpoints; None without a closed form."""
    diameter_is: str
    """How the diameter is known: ``exact``, ``most`` (an upper bound) or ``unknown``."""
    average_path_length: float | None
    """Average hops between two switches with endpoints; None without a closed form."""
    average_is: str
    """How the average is known: ``exact``, ``most`` (an upper bound: the average of some routing), ``least`` (a lower
    bound) or ``unknown``."""
    all_to_all: float | None
    """An upper bound on all-to-all throughput over any paths; None without a closed form. All-to-all throughput is the
    fraction of its rate at which each endpoint can send evenly to all other endpoints."""

    @property
    def family(self) -> str:
        """The name of the family."""
        return self.spec.split(":")[0]

    @property
    def ports_per_endpoint(self) -> float:
        """Used switch ports per endpoint, including ports of endpoints (Kathareios et al., SC15, §2.1)."""
        return (2 * self.cables + self.endpoints) / self.endpoints

    @property
    def links_per_endpoint(self) -> float:
        """Cables per endpoint, including cables of endpoints."""
        return (self.cables + self.endpoints) / self.endpoints

    @property
    def moore_share(self) -> float | None:
        """Ratio of the switches to the Moore bound of degree k' and this diameter D, 1 + k' Σ_{i<D} (k' − 1)^i.

        The value is None unless the diameter is exact. It is also None if switches have different numbers of endpoints,
        because the Moore bound treats all switches alike.
        """
        alike = self.endpoints == self.switches * self.concentration
        if self.diameter is None or self.diameter_is != "exact" or not alike:
            return None
        return self.switches / self._within(self.diameter)

    @property
    def least_diameter(self) -> int:
        """Return the diameter if it is exact, otherwise the smallest diameter that the Moore bound allows."""
        if self.diameter is not None and self.diameter_is == "exact":
            return self.diameter
        carrying = -(-self.endpoints // max(self.concentration, 1))
        hops = 0
        while self._within(hops) < carrying and hops < carrying:
            hops += 1
        return hops if self.diameter is None else min(hops, self.diameter)

    def _within(self, hops: int) -> int:
        """Return the Moore bound: the largest number of switches within `hops` of a switch, including it."""
        bound, level = 1, self.network_radix
        for _ in range(hops):
            bound += level
            level *= self.network_radix - 1
        return bound


def closed_forms(specs: str | Iterable[str]) -> list[ClosedForms | None]:
    """Return the closed forms of each spec; None for an illegal spec.

    Raises
    ------
    tulle.InputError
        For a single spec; it must be in a list.

    Examples
    --------
    >>> slim, none = closed_forms(["slimfly:q=5", "slimfly:q=6"])
    >>> slim.switches, slim.endpoints, slim.diameter, slim.moore_share, none
    (50, 200, 2, 1.0, None)
    """
    specs = read_texts("specs", specs)
    found = zip(specs, _tulle.closed_forms(specs), strict=True)
    return [None if forms is None else ClosedForms(spec, *forms) for spec, forms in found]
