"""Members of each family that may fit: one function per family, which yields specs near a number of endpoints.

A function may yield too many: whatever is refused, of another size or of too many ports is left out by its closed form.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["CANDIDATES", "ORDERS", "Wanted"]


@dataclass(frozen=True)
class Wanted:
    """What is looked for."""

    endpoints: int
    low: int
    """The fewest endpoints."""
    high: int
    """The most."""
    radix: int
    """Ports of a switch."""
    oversubscription: tuple[float, ...]
    """Endpoints per uplink of a leaf, of trees."""

    def shares(self, unit: int) -> range:
        """Every n for which n·unit is near enough."""
        return range(max(-(-self.low // unit), 1), self.high // unit + 1)

    def nearest(self, unit: int) -> int:
        """The n for which n·unit is nearest, at least 1."""
        return max(round(self.endpoints / unit), 1)

    def divided(self) -> Iterator[tuple[int, int]]:
        """Endpoints and uplinks of a leaf, for each oversubscription."""
        for over in self.oversubscription:
            uplinks = max(round(self.radix / (1 + over)), 1)
            if uplinks < self.radix:
                yield self.radix - uplinks, uplinks


_TURNED = ",arrangement=relative"
"""Of global cables: every group is wired as the one before it, turned by one.

It carries as much as the absolute arrangement or more: where groups have ports to spare, that one leads several cables
of a group to switches of the same number, which hardly reach others: ``dragonfly:p=29,a=2,h=34,g=34`` carries 0.071,
not 0.138. Turning is an automorphism, by which throughput is quick to certify.
"""

CANDIDATES: dict[str, Callable[[Wanted], Iterator[str]]] = {}
"""Per family its function."""


def _of(family: str) -> Callable[[Callable[[Wanted], Iterator[str]]], Callable[[Wanted], Iterator[str]]]:
    def register(candidates: Callable[[Wanted], Iterator[str]]) -> Callable[[Wanted], Iterator[str]]:
        CANDIDATES[family] = candidates
        return candidates

    return register


def _prime_powers(most: int) -> list[int]:
    primes = [n for n in range(2, most + 1) if all(n % d for d in range(2, int(n**0.5) + 1))]
    return sorted(power for prime in primes for power in (prime**e for e in range(1, 20)) if power <= most)


ORDERS = _prime_powers(257)
"""Prime powers: the orders of fields that families are built over."""


@_of("slimfly")
def _slimfly(wanted: Wanted) -> Iterator[str]:
    for q in ORDERS:
        yield from (f"slimfly:q={q},p={p}" for p in wanted.shares(2 * q * q) if p < wanted.radix)


@_of("polarfly")
def _polarfly(wanted: Wanted) -> Iterator[str]:
    for q in ORDERS:
        yield from (f"polarfly:q={q},p={p}" for p in wanted.shares(q * q + q + 1) if p < wanted.radix)


@_of("oft")
def _oft(wanted: Wanted) -> Iterator[str]:
    for k in (q + 1 for q in ORDERS):
        yield from (f"oft:k={k},p={p}" for p in wanted.shares(2 * (k * k - k + 1)) if p < wanted.radix)


@_of("mlfm")
def _mlfm(wanted: Wanted) -> Iterator[str]:
    for h in range(1, wanted.radix):
        for layers in range(1, wanted.radix // 2 + 1):
            shares = wanted.shares(layers * (h + 1))
            yield from (f"mlfm:h={h},l={layers},p={p}" for p in shares if p <= wanted.radix - h)


@_of("sspt")
def _sspt(wanted: Wanted) -> Iterator[str]:
    for r1 in range(1, wanted.radix):
        orders = {2, 3, r1} | {r2 for q in ORDERS if q <= r1 for r2 in (q, q + 1)}
        for r2 in sorted(orders):
            unit = 2 * r1 // r2 * (1 + r1 * (r2 - 1))
            if unit > 0:
                yield from (f"sspt:r1={r1},r2={r2},p={p}" for p in wanted.shares(unit) if p <= wanted.radix - r1)


@_of("hyperx")
def _hyperx(wanted: Wanted) -> Iterator[str]:
    most = wanted.radix
    for a in range(2, most + 1):
        for b in range(a, most + 2 - a):
            spare = most - (a + b - 2)
            yield from (f"hyperx:shape={a}x{b},p={p}" for p in wanted.shares(a * b) if p <= spare)
            for c in range(b, spare + 1):
                shares = wanted.shares(a * b * c)
                yield from (f"hyperx:shape={a}x{b}x{c},p={p}" for p in shares if p <= spare - (c - 1))


@_of("dragonfly")
def _dragonfly(wanted: Wanted) -> Iterator[str]:
    for h in range(1, wanted.radix):
        for a in range(2, wanted.radix - h + 1):
            most = a * h + 1
            # Fewer endpoints than half of the global ports leave these idle; more than twice as many get less than half
            # of their rate. The documentation names both limits.
            for p in range(max(-(-h // 2), 1), min(2 * h, wanted.radix - h - a + 1) + 1):
                groups = wanted.nearest(a * p)
                if 2 <= groups <= most:
                    yield f"dragonfly:p={p},a={a},h={h},g={groups}{_TURNED}"


@_of("megafly")
def _megafly(wanted: Wanted) -> Iterator[str]:
    for leaves in range(1, wanted.radix):
        for h in range(1, wanted.radix - leaves + 1):
            # The same of the cables of a leaf to its spines.
            for p in range(max(-(-leaves // 2), 1), min(2 * leaves, wanted.radix - leaves) + 1):
                groups = wanted.nearest(leaves * p)
                if 2 <= groups <= leaves * h + 1:
                    yield f"megafly:leaves={leaves},h={h},p={p},g={groups}{_TURNED}"


@_of("fattree")
def _fattree(wanted: Wanted) -> Iterator[str]:
    for p, uplinks in wanted.divided():
        leaves = wanted.nearest(p)
        # Several cables to fewer cores, where these have the ports.
        widest = [c for c in range(1, uplinks + 1) if uplinks % c == 0 and c * leaves <= wanted.radix]
        if leaves >= 2 and widest:
            yield f"fattree:levels=2,leaves={leaves},uplinks={uplinks},cables={widest[-1]},p={p}"
        radix = wanted.radix - wanted.radix % 2
        if leaves >= 2 and radix >= 4:
            yield f"fattree:levels=3,radix={radix},leaves={leaves},uplinks={uplinks},p={p}"


@_of("clos")
def _clos(wanted: Wanted) -> Iterator[str]:
    for p, uplinks in wanted.divided():
        tors = -(-wanted.endpoints // p)
        half = wanted.radix // 2
        for layers in range(2, 6):
            # A layer has a switch per `half` cables up to it, the last one per `radix`; and a few for what is uneven.
            above = (layers - 2) / half + 1 / wanted.radix if half else 0
            switches = tors + int(1.05 * tors * uplinks * above) + 2
            yield f"clos:hosts={wanted.endpoints},switches={switches},radix={wanted.radix},layers={layers}"


@_of("flattenedclos")
def _flattenedclos(wanted: Wanted) -> Iterator[str]:
    for p in range(1, wanted.radix - 2):
        if (wanted.radix - p) % 2 == 0:
            yield f"flattenedclos:switches={wanted.nearest(p)},ports={wanted.radix},p={p}"


@_of("jellyfish")
def _jellyfish(wanted: Wanted) -> Iterator[str]:
    for p in range(1, wanted.radix - 2):
        switches, degree = wanted.nearest(p), wanted.radix - p
        yield f"jellyfish:switches={switches + switches * degree % 2},degree={degree},p={p}"


@_of("xpander")
def _xpander(wanted: Wanted) -> Iterator[str]:
    for p in range(1, wanted.radix - 2):
        degree = wanted.radix - p
        yield f"xpander:degree={degree},lift={wanted.nearest(p * (degree + 1))},p={p}"


@_of("torus")
def _torus(wanted: Wanted) -> Iterator[str]:
    yield from _grids("torus", wanted)


@_of("mesh")
def _mesh(wanted: Wanted) -> Iterator[str]:
    yield from _grids("mesh", wanted)


def _grids(family: str, wanted: Wanted) -> Iterator[str]:
    """Grids of sides as alike as can be."""
    for dimensions in (2, 3, 4, 5):
        for p in range(1, wanted.radix - 2 * dimensions + 1):
            side = max(int((wanted.endpoints / p) ** (1 / dimensions)), 2)
            for larger in range(dimensions + 1):
                sizes = [side + 1] * larger + [side] * (dimensions - larger)
                yield f"{family}:shape={'x'.join(map(str, sizes))},p={p}"


@_of("hypercube")
def _hypercube(wanted: Wanted) -> Iterator[str]:
    for dimensions in range(1, min(wanted.radix, 21)):
        shares = wanted.shares(2**dimensions)
        yield from (f"hypercube:dimensions={dimensions},p={p}" for p in shares if p <= wanted.radix - dimensions)


@_of("clique")
def _clique(wanted: Wanted) -> Iterator[str]:
    for degree in range(1, wanted.radix):
        yield from (f"clique:degree={degree},p={p}" for p in wanted.shares(degree + 1) if p <= wanted.radix - degree)


@_of("star")
def _star(wanted: Wanted) -> Iterator[str]:
    if wanted.endpoints <= wanted.radix:
        yield f"star:endpoints={wanted.endpoints}"
