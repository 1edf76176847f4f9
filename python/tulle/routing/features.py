"""Compare routing schemes by the paths that they make on small fabrics (after FatPaths §II, Table I).

No feature is entered by hand. Each scheme routes each of the small fabrics in `PROBES`, and its paths are counted over
ordered pairs of switches with endpoints. *yes* and *some* depend on the fraction of pairs, over all probes that the
scheme can route, or for *1 VC* on the number of these probes; see `CRITERIA`.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cache
from typing import TYPE_CHECKING, Literal

import numpy as np

from tulle import _tulle
from tulle._internal.arguments import read_texts
from tulle._internal.html_summary import Shown
from tulle._internal.text import did_you_mean
from tulle.errors import InputError
from tulle.fabric import Fabric
from tulle.routing.fewest_vcs import fewest
from tulle.routing.routing import Routing, route

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["CRITERIA", "PROBES", "Features", "features"]

PROBES = (
    "slimfly:q=5",
    "dragonfly:p=2",
    "jellyfish:switches=24,degree=5",
    "hyperx:shape=4x4",
    "torus:shape=4x4",
    "oft:k=3",
    "fattree:levels=3,radix=4",
    "flattenedclos:switches=30,ports=12",
)
"""Small fabrics of eight families: expanders, groups, grids, trees, and one with virtual layers."""

DEADLOCK = ("one-vc", "dfsssp", "lash", "hops")
"""Deadlock schemes whose numbers of virtual channels are compared; none needs a special fabric."""

Paths = dict[tuple[int, int], set[tuple[int, ...]]]
"""The distinct paths of each pair of switches, as channels."""

Ports = list[list[list[list[int]]]]
"""The channels of the equal-cost group by layer, switch and destination switch."""

Degree = Literal["yes", "some", "no"]

CRITERIA = {
    "SP": "Pairs of switches with a shortest path: yes, all pairs; some, fewer.",
    "SP ≥ 2": "Of the pairs with several shortest paths, those that use two or more: yes, more than half; some, fewer.",
    "NP": "Pairs with a path longer than the shortest: yes, more than half of the pairs; some, fewer.",
    "SM": "Pairs with both a shortest and a longer path: yes, more than half of the pairs; some, fewer.",
    "MP": "Pairs with two different paths: yes, more than half of the pairs; some, fewer.",
    "DP": "Pairs with two paths without a common cable: yes, more than half of the pairs; some, fewer.",
    "ALB": "What can choose among a pair's paths by load: the sender (a layer or path), a switch (a port), or none.",
    "AT": "The number of the small test fabrics that the scheme can route.",
    "tables": "Whether switches forward only by destination and layer: yes (next-hop tables) or no (explicit paths).",
    "1 VC": "Whether one virtual channel avoids deadlock: on all, some or none of the fabrics that the scheme routes.",
    "VCs": "The fewest virtual channels that keep the scheme free of deadlock, as a range over the test fabrics.",
}
"""The columns of the table of features, each with its criterion and thresholds."""


@dataclass(frozen=True)
class Features(Shown):
    """The features of one routing scheme. `CRITERIA` explains the entries."""

    scheme: str
    spec: str
    sp: Degree
    sps: Degree
    np: Degree
    sm: Degree
    mp: Degree
    dp: Degree
    alb: Literal["sender", "switch", "none"]
    at: int
    refused: tuple[str, ...]
    """The families of the test fabrics that the scheme cannot route."""
    tables: bool
    one_vc: Degree
    vcs: tuple[int, int]

    def cells(self) -> list[str]:
        """Return the entries as texts, in the order of `CRITERIA`."""
        families = [probe.partition(":")[0] for probe in PROBES]
        routed = [family for family in families if family not in self.refused]
        some = f", only {', '.join(routed)}" if len(routed) < len(self.refused) else f", not {', '.join(self.refused)}"
        least, most = self.vcs
        return [
            *(self.sp, self.sps, self.np, self.sm, self.mp, self.dp, self.alb),
            f"{self.at} of {len(PROBES)}{some if self.refused else ''}",
            "yes" if self.tables else "no",
            self.one_vc,
            str(least) if least == most else f"{least} to {most}",
        ]


@dataclass
class _Counts:
    """Pairs over all probes."""

    pairs: int = 0
    several: int = 0
    sp: int = 0
    sps: int = 0
    np: int = 0
    sm: int = 0
    mp: int = 0
    dp: int = 0

    def add(self, other: _Counts) -> None:
        for field in fields(self):
            setattr(self, field.name, getattr(self, field.name) + getattr(other, field.name))


def features(schemes: str | Sequence[str] = ()) -> list[Features]:
    """Find the features of routing schemes; each scheme runs as in the first example of its registry entry.

    Parameters
    ----------
    schemes
        Names of schemes. Without names, all schemes are used, in the order of the registry.

    Raises
    ------
    tulle.InputError
        For a name that is not registered.
    """
    entries = {entry["name"]: entry for entry in _tulle.registered("routings")}
    names = read_texts("schemes", schemes)
    for name in names:
        if name not in entries:
            raise InputError(f"unknown routing '{name}'; {did_you_mean(name, list(entries))}")
    return [_features(name, entries[name]["examples"][0]) for name in names or entries]


@cache
def _probe(spec: str) -> Fabric:
    return Fabric(spec, seed=1)


@cache
def _shortest(spec: str) -> Paths:
    return _paths(route(_probe(spec), "minimal"), groups=True)


def _features(scheme: str, spec: str) -> Features:
    counts = _Counts()
    needs: list[int] = []
    refused: list[str] = []
    by_sender = by_switch = tables = False
    for probe in PROBES:
        fabric = _probe(probe)
        try:
            routing = route(fabric, spec, seed=1)
        except InputError:
            refused.append(fabric.family)
            continue
        tables = routing.num_paths is None
        groups = tables and _has_groups(routing)
        counts.add(_count(routing, _shortest(probe), groups=groups))
        by_switch |= groups
        by_sender |= bool(counts.mp)
        needs.append(_fewest(routing))
    return Features(
        scheme=scheme,
        spec=spec,
        sp=_all(counts.sp, counts.pairs),
        sps=_degree(counts.sps, counts.several),
        np=_degree(counts.np, counts.pairs),
        sm=_degree(counts.sm, counts.pairs),
        mp=_degree(counts.mp, counts.pairs),
        dp=_degree(counts.dp, counts.pairs),
        alb="switch" if by_switch else "sender" if by_sender else "none",
        at=len(needs),
        refused=tuple(refused),
        tables=tables,
        one_vc=_all(sum(need == 1 for need in needs), len(needs)),
        vcs=(min(needs), max(needs)),
    )


def _degree(some: int, pairs: int) -> Degree:
    return "yes" if 2 * some > pairs else "some" if some else "no"


def _all(some: int, of: int) -> Degree:
    return "yes" if some == of else "some" if some else "no"


def _count(routing: Routing, shortest: Paths, *, groups: bool) -> _Counts:
    """Count the pairs of one fabric by feature."""
    counts = _Counts()
    cable = np.minimum(np.arange(len(routing.fabric.reverse)), routing.fabric.reverse).tolist()
    for pair, paths in _paths(routing, groups=groups).items():
        minimal = shortest[pair]
        least = min(map(len, minimal))
        direct = sum(len(path) == least for path in paths)
        longer = len(paths) - direct
        counts.pairs += 1
        counts.several += len(minimal) > 1
        counts.sp += direct > 0
        counts.sps += direct > 1
        counts.np += longer > 0
        counts.sm += direct > 0 and longer > 0
        counts.mp += len(paths) > 1
        cables = [{cable[channel] for channel in path} for path in paths]
        counts.dp += any(one.isdisjoint(other) for at, one in enumerate(cables) for other in cables[:at])
    return counts


def _pairs(fabric: Fabric) -> Iterator[tuple[int, int]]:
    edge = sorted(set(fabric.endpoint_switch.tolist()))
    return ((source, destination) for source in edge for destination in edge if source != destination)


def _paths(routing: Routing, *, groups: bool) -> Paths:
    """Return the distinct paths of every pair as channels. With `groups`, follow all next hops of equal-cost groups."""
    if groups:
        onward, target = _onward(routing), routing.fabric.channels[:, 1].tolist()
        return {pair: set(_open_paths(onward, target, *pair)) for pair in _pairs(routing.fabric)}
    paths: Paths = {pair: set() for pair in _pairs(routing.fabric)}
    columns = routing.path_columns()
    source, destination, offsets = columns.source.tolist(), columns.destination.tolist(), columns.offsets.tolist()
    channels = columns.channels.tolist()
    for at, pair in enumerate(zip(source, destination, strict=True)):
        if pair in paths:
            paths[pair].add(tuple(channels[offsets[at] : offsets[at + 1]]))
    return paths


def _open_paths(onward: Ports, target: Sequence[int], source: int, destination: int) -> Iterator[tuple[int, ...]]:
    """Yield the paths between two switches that follow any channel of each group; see `_onward`."""
    for layer in onward:
        open_paths: list[tuple[int, tuple[int, ...]]] = [(source, ())]
        while open_paths:
            switch, path = open_paths.pop()
            if switch == destination:
                yield path
                continue
            open_paths.extend((target[channel], (*path, channel)) for channel in layer[switch][destination])


def _onward(routing: Routing) -> Ports:
    """Return the channels by layer, switch and destination as lists, which are faster to read than arrays."""
    groups = routing.next_hop_groups.tolist()
    return [[[[port for port in group if port >= 0] for group in row] for row in layer] for layer in groups]


def _has_groups(routing: Routing) -> bool:
    return bool(routing.next_hop_groups.shape[3] > 1)


def _fewest(routing: Routing) -> int:
    """Return the fewest virtual channels that a scheme of `DEADLOCK` needs. The scheme `hops` works for any routing."""
    plan = fewest(routing, DEADLOCK)
    assert plan is not None, "hops takes any routing"
    return plan.needed_vcs
