"""The routings that `tulle.tune` tries, their order, and the estimated time of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tulle.fabric import Fabric

SHARES = (1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4)
"""Densities ρ that are tried: the fraction of the cables that each layer of the scheme `random` contains."""

DRAWS = 8
"""Layers with equal-cost groups are measured by this many samples, each with one random port per group."""

_MAX_SPREAD, _MAX_GROUPS, _MAX_LAYERS, _LONGEST = 16, 16, 64, 6
# Computing time in nanoseconds per switch, destination and layer, measured on one core on fabrics of 50 to 1,000
# switches and rounded up: for simple tables, for `spread` (times ports of a switch), for `almost-minimal` and
# `low-overlap` (times examined paths), and for `spain` (times switches, divided by layers).
_TABLE, _SPREAD, _PLACED, _SPAIN = 80, 200, 4, 20_000
# Computing time in nanoseconds per switch, destination and layer: for the search of `spread-groups` (times pairs of
# ports), for weights of groups (times triples of ports), and for the throughput of layers.
_RAISED, _WEIGHED, _CARRIED = 26, 4.5, 1_000
# Computing time in nanoseconds per pair and layer, for counting disjoint paths.
_PAIR = 1_500


@dataclass(frozen=True)
class Candidate:
    """A routing to try."""

    spec: str
    """The spec of the routing."""
    layers: int
    """Number of layers that the routing needs in the hardware."""
    measured: str
    """Spec of the routing that is measured. It equals `spec`, except that path scores measure random single ports
    instead of equal-cost groups."""
    seconds: float
    """Rough estimate, from sizes alone, of the time that routing and measuring take."""


def carriers(fabric: Fabric, layers: int, max_hops: int | None, *, groups: bool) -> Iterator[Candidate]:
    """Yield the routings to try for throughput, with at most `layers` layers.

    `groups` adds routings with equal-cost next hops.
    """
    switches, ports, diameter = fabric.num_switches, fabric.network_radix, fabric.diameter or 1
    cells = switches * switches * 1e-9

    def candidate(spec: str, count: int, per_cell: float) -> Candidate:
        return Candidate(spec, count, spec, cells * count * (per_cell + _CARRIED))

    if groups:
        yield candidate("minimal", 1, _TABLE)
        if len(set(fabric.levels.tolist())) > 1:
            yield candidate("updown:choice=all", 1, _TABLE)
    yield candidate("balanced", 1, _TABLE)
    for count in _halves(layers):
        if count == 1:
            continue
        if groups and count <= _MAX_GROUPS:
            for limit in _limits(diameter, max_hops):
                for shares in ("", ",shares=64"):
                    cost = _RAISED * ports**2 + (_WEIGHED * ports**3 if shares else 0)
                    yield candidate(f"spread-groups:layers={count},limit={limit}{shares}", count, cost)
        if count <= _MAX_LAYERS:
            for limit in _limits(diameter, max_hops):
                yield candidate(f"spread:layers={count},limit={limit}", count, _SPREAD * ports)
        for rho in (0.8, 0.6):
            yield candidate(f"random:layers={count},rho={rho:g}", count, _TABLE)
        yield candidate(f"balanced:layers={count}", count, _TABLE)
        for lengths in _lengths(diameter)[:1]:
            looked_at = float(ports) ** (lengths[-1] - 1)
            written = "x".join(map(str, lengths))
            yield candidate(f"almost-minimal:layers={count},lengths={written}", count, _PLACED * looked_at)


def candidates(fabric: Fabric, layers: int, max_hops: int | None, pairs: int) -> Iterator[Candidate]:
    """Yield the routings to try for good paths, most promising first, with at most `layers` layers."""
    switches, ports, diameter = fabric.num_switches, fabric.network_radix, fabric.diameter or 1
    cells = switches * switches * 1e-9

    def candidate(spec: str, count: int, per_cell: float, measured: str | None = None) -> Candidate:
        drawn = count if measured is None else DRAWS
        seconds = cells * (count * per_cell + 2 * drawn * _TABLE) + pairs * drawn * _PAIR * 1e-9
        return Candidate(spec, count, measured or spec, seconds)

    yield candidate("minimal", 1, _TABLE, f"random:layers={DRAWS},rho=1")
    levels = len(set(fabric.levels.tolist())) > 1
    if levels:
        yield candidate("updown:choice=all", 1, _TABLE, f"updown:choice=random,layers={DRAWS}")
    yield candidate("balanced", 1, _TABLE)
    for count in _halves(layers):
        if levels:
            yield candidate(f"updown:choice=dmodk,layers={count}", count, _TABLE)
            yield candidate(f"updown:choice=random,layers={count}", count, _TABLE)
        if count == 1:
            continue
        if count <= _MAX_SPREAD:
            for limit in _limits(diameter, max_hops):
                yield candidate(f"spread:layers={count},limit={limit},aim=disjoint", count, _SPREAD * ports)
        for rho in SHARES:
            yield candidate(f"random:layers={count},rho={rho:g}", count, _TABLE)
        yield candidate(f"balanced:layers={count}", count, _TABLE)
        for lengths in _lengths(diameter):
            looked_at = float(ports) ** (lengths[-1] - 1)
            written = "x".join(map(str, lengths))
            yield candidate(f"almost-minimal:layers={count},lengths={written}", count, _PLACED * looked_at)
        yield candidate(f"edst:trees={count}", count, _TABLE)
        if 2 <= diameter + 1 <= _LONGEST:
            looked_at = float(ports) ** diameter
            yield candidate(f"low-overlap:layers={count},min_hops={diameter + 1}", count, _PLACED * looked_at)
        yield candidate(f"spain:layers={count}", count, _SPAIN * switches / count)


def _halves(layers: int) -> Iterator[int]:
    """Yield the number of layers, half of this number, a quarter, and so on down to 1."""
    while layers:
        yield layers
        layers //= 2


def _limits(diameter: int, max_hops: int | None) -> list[str]:
    """Hop limits of spread layers."""
    return ["auto"] if max_hops is None else ["auto", str(max(max_hops, diameter))]


def _lengths(diameter: int) -> list[tuple[int, ...]]:
    """Return the choices of path lengths for the scheme `almost-minimal`, from the diameter of the fabric.

    The scheme is Algorithm 1 of Blach et al. (NSDI24), §4.3.
    """
    longer = diameter + 1
    choices = [(longer,), tuple(range(2, longer + 1)), (longer, longer + 1)]
    return [lengths for lengths in dict.fromkeys(choices) if lengths[0] > 1 and lengths[-1] <= _LONGEST]
