"""Measure the throughput between two groups of hosts, and the throughput that a tree implies for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tulle import _tulle
from tulle.analysis.concurrent_flow.capacities import read_capacities
from tulle.analysis.demand import Demands

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tulle.routing.routing import Routing

# scipy's maximum flow needs integer capacities, so one link has this capacity.
_LINK = 1000


class Exchange(NamedTuple):
    """The result of an exchange between two groups."""

    sustained: float
    """The fraction of a link's rate at which every host of the smaller group sends and receives, at most 1."""
    implied: float
    """The same fraction in a tree whose link above a group has the capacity of the maximum flow out of the group."""
    hops: float
    """Mean hops between switches."""


class Measure:
    """Measure exchanges between groups of units on a routed fabric.

    A unit is a set of endpoints that are always in the same group.

    Parameters
    ----------
    routing
        The routing. Traffic of a pair of switches is split evenly over its paths, as hashing does.
    units
        The endpoints of every unit.
    """

    def __init__(self, routing: Routing, units: Sequence[NDArray[np.int64]]) -> None:
        fabric = routing.fabric
        self._routing, self._units = routing, units
        self._at = fabric.endpoint_switch.astype(np.int64)
        self._switches = fabric.num_switches
        known = read_capacities(fabric, None, None)
        self._capacity = np.ones(2 * fabric.num_cables) if known is None else known
        self._channels = fabric.channels.astype(np.int64)
        self._all = np.bincount(self._at, minlength=self._switches)
        self._uplinks: dict[bytes, float] = {}

    def exchange(self, a: NDArray[np.int64], b: NDArray[np.int64]) -> Exchange:
        """Measure the throughput if every host of each group sends to all hosts of the other, and no other host sends.

        Parameters
        ----------
        a, b
            The units of the two groups.
        """
        first, second = self._endpoints(a), self._endpoints(b)
        smaller, larger = sorted((int(first.sum()), int(second.sum())))
        sustained, hops = self._throughput([(first, second), (second, first)], larger)
        return Exchange(sustained, min(1.0, min(self.uplink(a), self.uplink(b)) / smaller), hops)

    def inside(self, group: NDArray[np.int64]) -> float:
        """Measure the throughput if every host of a group sends to all hosts of the group, and no other host sends."""
        ends = self._endpoints(group)
        return self._throughput([(ends, ends)], int(ends.sum()))[0]

    def _throughput(
        self, flows: Sequence[tuple[NDArray[np.int64], NDArray[np.int64]]], hosts: int
    ) -> tuple[float, float]:
        """Return throughput and mean hops if every sender splits one link's rate equally among `hosts` hosts."""
        rows, total = [], 0.0
        for senders, receivers in flows:
            there, to = (
                grid.ravel() for grid in np.meshgrid(*map(np.flatnonzero, (senders, receivers)), indexing="ij")
            )
            amount = senders[there] * receivers[to] / hosts
            total += float(amount.sum())
            # Traffic inside a switch crosses no cable.
            kept = there != to
            rows.append((there[kept], to[kept], amount[kept]))
        sources, targets, amounts = (np.concatenate(column) for column in zip(*rows, strict=True))
        if len(amounts) == 0:
            return 1.0, 0.0
        load = _tulle.split_loads(self._routing._core, Demands(self._switches, sources, targets, amounts)._core)
        used = load > 0
        return min(1.0, float((self._capacity[used] / load[used]).min())), float(load.sum()) / total

    def uplink(self, group: NDArray[np.int64]) -> float:
        """Return the maximum flow from a group to all other hosts, in units of a link's rate.

        A host sends at most at a link's rate.
        """
        key = group.tobytes()
        if key not in self._uplinks:
            self._uplinks[key] = self._flow(self._endpoints(group))
        return self._uplinks[key]

    def _endpoints(self, group: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the number of a group's endpoints at every switch."""
        return np.bincount(self._at[np.concatenate([self._units[unit] for unit in group])], minlength=self._switches)

    def _flow(self, inside: NDArray[np.int64]) -> float:
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import maximum_flow

        source, sink = self._switches, self._switches + 1
        own, others = np.flatnonzero(inside), np.flatnonzero(self._all - inside)
        rows = np.concatenate([self._channels[:, 0], np.full(len(own), source), others])
        columns = np.concatenate([self._channels[:, 1], own, np.full(len(others), sink)])
        widths = np.concatenate([self._capacity, inside[own], (self._all - inside)[others]])
        graph = coo_array(
            (np.rint(widths * _LINK).astype(np.int32), (rows, columns)), shape=(sink + 1, sink + 1)
        ).tocsr()
        return float(maximum_flow(graph, source, sink).flow_value) / _LINK
