"""Propose groupings of units. A unit has all hosts that are connected to the same switch or the same set of switches.

Groupings follow coordinates, levels of switches, and communities of the cable graph.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tulle.schedulers.grouping.communities import communities

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from tulle.fabric import Fabric

# If switches have at most this many coordinates, all subsets of the coordinates are tried.
_COORDINATES = 4
# Communities are not computed for more switches than this, because it takes minutes.
_MOST_SWITCHES = 20_000


class Grouping(NamedTuple):
    """A partition of the units into groups."""

    name: str
    """The kind of group, for example ``pod``; also the prefix of the groups' names."""
    of: NDArray[np.int64]
    """The group of every unit, numbered from 0 in the order of the units."""

    @property
    def size(self) -> int:
        """The number of groups."""
        return int(self.of.max()) + 1

    def members(self) -> list[NDArray[np.int64]]:
        """Return the units of every group."""
        order = np.argsort(self.of, kind="stable")
        return np.split(order, np.cumsum(np.bincount(self.of))[:-1])

    def is_finer(self, other: Grouping) -> bool:
        """Return whether every group is a part of one group of `other`, and the groupings differ."""
        return self.size > other.size and len(np.unique(np.stack([self.of, other.of]), axis=1).T) == self.size


def numbered(name: str, labels: Sequence[object] | NDArray[np.int64]) -> Grouping:
    """Return a grouping in which units with equal labels form a group. `labels` has one label per unit, of any type."""
    numbers: dict[object, int] = {}
    values = labels.tolist() if isinstance(labels, np.ndarray) else labels
    return Grouping(name, np.array([numbers.setdefault(label, len(numbers)) for label in values], dtype=np.int64))


def candidates(fabric: Fabric, units: Sequence[tuple[int, ...]]) -> list[Grouping]:
    """Return the distinct proposed groupings. Groupings with one group or with one unit per group are omitted.

    Parameters
    ----------
    fabric
        The fabric.
    units
        The switches of every unit.
    """
    found: dict[bytes, Grouping] = {}
    for proposed in (*_by_coordinates(fabric, units), *_by_levels(fabric, units), *_by_communities(fabric, units)):
        if 1 < proposed.size < len(units):
            found.setdefault(proposed.of.tobytes(), proposed)
    return [*found.values()]


def _by_coordinates(fabric: Fabric, units: Sequence[tuple[int, ...]]) -> Iterator[Grouping]:
    names = fabric.coordinate_names
    if not 1 < len(names) <= _COORDINATES:
        return
    values = fabric.coordinates[[unit[0] for unit in units]]
    for size in range(1, len(names)):
        for chosen in combinations(range(len(names)), size):
            labels = [tuple(row) for row in values[:, chosen].tolist()]
            yield numbered("-".join(names[at] for at in chosen), labels)


def _by_levels(fabric: Fabric, units: Sequence[tuple[int, ...]]) -> Iterator[Grouping]:
    """Group units that reach each other through switches of low levels, for example the pods of a fat tree."""
    levels = fabric.levels.astype(np.int64) if fabric.levels.any() else _hops_from_hosts(fabric, units)
    for most in range(int(levels.max())):
        low = levels <= most
        channels = fabric.channels[low[fabric.channels].all(axis=1)].astype(np.int64)
        labels = _components(channels, fabric.num_switches, units)
        yield numbered("pod" if most == 1 else f"level{most}", labels)


def _by_communities(fabric: Fabric, units: Sequence[tuple[int, ...]]) -> Iterator[Grouping]:
    if fabric.num_cables == 0 or fabric.num_switches > _MOST_SWITCHES:
        return
    for of in communities(fabric.channels.astype(np.int64), fabric.num_switches):
        yield numbered("cluster", of[[unit[0] for unit in units]])


def _components(channels: NDArray[np.int64], switches: int, units: Sequence[tuple[int, ...]]) -> NDArray[np.int64]:
    """Return the connected component of every unit. A unit with several switches also connects these switches."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    joins = [(unit[0], other) for unit in units for other in unit[1:]]
    pairs = np.concatenate([channels, np.array(joins, dtype=np.int64).reshape(-1, 2)])
    graph = coo_array((np.ones(len(pairs), dtype=np.int8), tuple(pairs.T)), shape=(switches, switches))
    found: NDArray[np.int64] = connected_components(graph, directed=False)[1].astype(np.int64)
    return found[[unit[0] for unit in units]]


def _hops_from_hosts(fabric: Fabric, units: Sequence[tuple[int, ...]]) -> NDArray[np.int64]:
    """Return levels for switches without levels: the number of hops to the nearest switch with hosts."""
    levels = np.full(fabric.num_switches, -1, dtype=np.int64)
    front = np.unique([switch for unit in units for switch in unit])
    hops = 0
    while len(front):
        levels[front] = hops
        near = fabric.channels[np.isin(fabric.channels[:, 0], front), 1]
        front, hops = np.unique(near[levels[near] < 0]), hops + 1
    return levels
