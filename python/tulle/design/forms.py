"""Closed forms of fabrics by their specs: sizes, distances and what they carry at most, without building any."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tulle import _tulle

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["ClosedForms", "closed_forms"]


@dataclass(frozen=True)
class ClosedForms:
    """What a fabric will be. Made by `closed_forms`."""

    spec: str
    switches: int
    endpoints: int
    cables: int
    """Between switches."""
    network_radix: int
    """k': the most network ports of a switch that carries endpoints."""
    concentration: int
    """p: the most endpoints of a switch."""
    radix: int
    """Ports that a switch must have, endpoints' among them."""
    diameter: int | None
    """Between switches that carry endpoints; None without a closed form."""
    diameter_is: str
    """``exact``, ``most`` (at most so many) or ``unknown``."""
    average_path_length: float | None
    """Hops between two of those switches; None without a closed form."""
    average_is: str
    """``exact``, ``most`` (some routing has so many), ``least`` (no such graph has fewer) or ``unknown``."""
    all_to_all: float | None
    """A bound: the share of their rate at which all endpoints can send to all others alike over shortest paths."""

    @property
    def family(self) -> str:
        """The name before the parameters."""
        return self.spec.split(":")[0]

    @property
    def ports_per_endpoint(self) -> float:
        """Switch ports in use over endpoints, endpoints' own among them (diameter-two networks, SC15 §2.1)."""
        return (2 * self.cables + self.endpoints) / self.endpoints

    @property
    def links_per_endpoint(self) -> float:
        """Cables over endpoints, endpoints' own among them."""
        return (self.cables + self.endpoints) / self.endpoints

    @property
    def moore_share(self) -> float | None:
        """Switches over the Moore bound 1 + k' Σ (k' − 1)^i of that degree and diameter.

        None where the diameter is unknown, or some switches carry no endpoint: the bound is of equal vertices.
        """
        alike = self.endpoints == self.switches * self.concentration
        if self.diameter is None or self.diameter_is != "exact" or not alike:
            return None
        return self.switches / self._within(self.diameter)

    @property
    def least_diameter(self) -> int:
        """The diameter if it is exact, otherwise the least that the Moore bound allows for switches with endpoints."""
        if self.diameter is not None and self.diameter_is == "exact":
            return self.diameter
        carrying = -(-self.endpoints // max(self.concentration, 1))
        hops = 0
        while self._within(hops) < carrying and hops < carrying:
            hops += 1
        return hops if self.diameter is None else min(hops, self.diameter)

    def _within(self, hops: int) -> int:
        """The Moore bound: the most switches within so many hops of one, itself included."""
        bound, level = 1, self.network_radix
        for _ in range(hops):
            bound += level
            level *= self.network_radix - 1
        return bound


def closed_forms(specs: Iterable[str]) -> list[ClosedForms | None]:
    """The closed forms of each; None for a spec that is refused.

    Examples
    --------
    >>> slim, none = closed_forms(["slimfly:q=5", "slimfly:q=6"])
    >>> slim.switches, slim.endpoints, slim.diameter, slim.moore_share, none
    (50, 200, 2, 1.0, None)
    """
    specs = list(specs)
    found = zip(specs, _tulle.closed_forms(specs), strict=True)
    return [None if forms is None else ClosedForms(spec, *forms) for spec, forms in found]
