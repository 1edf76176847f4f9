"""Describe a network to schedulers as a tree: leaves of hosts, nested groups, and the errors of its throughput."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from tulle._internal.html_summary import Overview, Shown
from tulle.cabling.plan_names import distinct
from tulle.fabric.fabric import without_endpoints
from tulle.schedulers.grouping.candidates import Grouping, candidates
from tulle.schedulers.grouping.measure import Measure
from tulle.schedulers.grouping.tiers import choose, figures
from tulle.schedulers.names import host_names, legal, switch_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tulle.fabric import Fabric
    from tulle.routing.routing import Routing
    from tulle.schedulers.grouping.tiers import Pairs

__all__ = ["Leaf", "NetworkTree", "Tier", "network_tree"]


@dataclass(frozen=True)
class Leaf(Shown):
    """The hosts that are connected to the same switch, or to the same set of switches."""

    name: str
    hosts: tuple[str, ...]
    groups: tuple[str, ...]
    """The groups that contain the leaf, from the smallest to the whole network. Empty if the network is one leaf."""
    switches: tuple[str, ...]
    """The names that the leaf's switches have in the network."""


@dataclass(frozen=True)
class Tier(Shown):
    """Exchanges between groups of one tier that have the same parent.

    In an exchange, every host of each group sends to all hosts of the other group, and no other host sends. Throughputs
    are fractions of a link's rate. Means are over the measured pairs of groups.
    """

    name: str
    """The kind of group: ``leaf``, or for example ``pod``."""
    groups: int
    """The number of groups."""
    hosts: tuple[int, int]
    """The number of hosts in the smallest and in the largest group."""
    pairs: int
    """The number of pairs of groups that have the same parent."""
    measured: int
    """The number of these pairs that were measured."""
    implied: float
    """The mean throughput that the tree implies. In the tree, the link above a group has the capacity of the maximum
    flow out of the group."""
    sustained: float
    """The mean throughput that the network sustains with its routing."""
    least: float
    """The lowest throughput that the network sustains for a measured pair."""
    hops: float
    """Mean hops between switches."""
    error: float
    """The mean of sustained / implied − 1. At 0, the tree has the same throughput as the network."""
    worst: float
    """The error of the pair with the largest error."""
    worst_pair: tuple[str, str]
    """This pair."""

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as plain values."""
        return {**vars(self), "hosts": [*self.hosts], "worst_pair": [*self.worst_pair]}


@dataclass(frozen=True)
class NetworkTree(Shown):
    """The tree of a network. Made by `network_tree`."""

    fabric: str
    """The spec of the fabric."""
    routing: str
    """The spec of the routing."""
    leaves: tuple[Leaf, ...]
    """The leaves. The leaves of a group are consecutive."""
    tiers: tuple[Tier, ...]
    """The tiers, from the leaves to the largest groups. Empty if the network is one leaf."""

    @property
    def hosts(self) -> int:
        """The number of hosts."""
        return sum(len(leaf.hosts) for leaf in self.leaves)

    @property
    def worst(self) -> Tier | None:
        """The tier with the largest error; None if the network is one leaf."""
        return max(self.tiers, key=lambda tier: abs(tier.worst), default=None)

    def _overview(self) -> Overview:
        values = {"routing": self.routing, "hosts": self.hosts, "leaves": len(self.leaves)}
        shown = ("name", "groups", "pairs", "implied", "sustained", "least", "hops", "error", "worst")
        rows = [{name: getattr(tier, name) for name in shown} for tier in self.tiers]
        units = dict.fromkeys(("implied", "sustained", "least"), "× link rate")
        return Overview("Tree of the network", self.fabric, values, units=units, rows=rows, all_rows=True)

    @cached_property
    def children(self) -> dict[str, list[str]]:
        """The names of the parts of every group, from the smallest groups to the whole network."""
        tiers: list[dict[str, list[str]]] = [{} for _ in self.leaves[0].groups]
        for leaf in self.leaves:
            path = (leaf.name, *leaf.groups)
            for tier, part, group in zip(tiers, path, leaf.groups, strict=False):
                inside = tier.setdefault(group, [])
                # The leaves of a group are consecutive, so a part that is already listed is the last one in the list.
                if part not in inside[-1:]:
                    inside.append(part)
        return {group: parts for tier in tiers for group, parts in tier.items()}


def network_tree(routing: Routing, seed: int = 0) -> NetworkTree:
    """Group the hosts of a routed fabric in a tree.

    The hosts of a switch form a leaf. A tier of groups is used if three conditions hold:

    1. Throughput between two groups is at least 10% lower than between two random groups of the same sizes. Or the
       difference is below 2%, and paths between groups are at least one hop longer than paths inside a group.
    2. Throughput inside a group is at most 2% lower than inside a random group.
    3. Throughput between two parts of a group is at most 2% lower than between two groups.

    The proposed groups come from coordinates, levels of switches, and communities of the cable graph.

    Parameters
    ----------
    routing
        The routing. The traffic of a pair of switches is split evenly over its paths.
    seed
        Seed of the random groups and of the pairs that are measured.

    Raises
    ------
    tulle.InputError
        For a fabric without endpoints, or a host whose name schedulers do not accept.
    """
    fabric = routing.fabric
    if fabric.num_endpoints == 0:
        raise without_endpoints(fabric)
    hosts = host_names(fabric)
    ends: dict[str, list[int]] = {}
    for endpoint, host in enumerate(hosts):
        ends.setdefault(host, []).append(endpoint)
    at = fabric.endpoint_switch.tolist()
    of: dict[tuple[int, ...], list[str]] = {}
    for host, own in ends.items():
        of.setdefault(tuple(sorted({at[endpoint] for endpoint in own})), []).append(host)
    units = [*of]
    measure = Measure(
        routing, [np.array([end for host in of[unit] for end in ends[host]], dtype=np.int64) for unit in units]
    )
    tiers = choose(measure, candidates(fabric, units), len(units), seed)
    measured = [*figures(measure, tiers, len(units), seed)] if len(units) > 1 else []
    sizes = [len(of[unit]) for unit in units]
    leaf_names, group_names = _names(fabric, units, tiers)
    named = [leaf_names, *group_names]
    made = [_tier(*tier, sizes, names) for tier, names in zip(measured, named, strict=False)]
    paths = [
        tuple(names[tier.of[unit]] for tier, names in zip((*tiers, _root(units)), group_names, strict=True))
        for unit in range(len(units))
    ]
    order = sorted(range(len(units)), key=lambda unit: [int(tier.of[unit]) for tier in reversed(tiers)])
    leaves = tuple(
        Leaf(
            leaf_names[unit],
            tuple(of[units[unit]]),
            paths[unit] if len(units) > 1 else (),
            tuple(fabric.labels[switch] for switch in units[unit]),
        )
        for unit in order
    )
    return NetworkTree(fabric.spec, routing.spec, leaves, tuple(made))


def _root(units: Sequence[tuple[int, ...]]) -> Grouping:
    return Grouping("root", np.zeros(len(units), dtype=np.int64))


def _names(
    fabric: Fabric, units: Sequence[tuple[int, ...]], tiers: Sequence[Grouping]
) -> tuple[list[str], list[list[str]]]:
    """Return the names of the leaves, and a list of group names per tier; the last list names the whole network."""
    switches = switch_names(fabric)
    leaves = distinct(legal("_".join(switches[switch] for switch in unit)) for unit in units)
    taken, found = [*leaves], []
    for tier in tiers:
        found.append(distinct((f"{tier.name}-{group}" for group in range(tier.size)), taken))
        taken += found[-1]
    return leaves, [*found, distinct(["root"], taken)]


def _tier(grouping: Grouping, pairs: Pairs, sizes: Sequence[int], names: Sequence[str]) -> Tier:
    hosts = np.bincount(grouping.of, weights=sizes).astype(int)
    errors = pairs.sustained / pairs.implied - 1
    worst = int(np.abs(errors).argmax())
    first, second = (names[group] for group in pairs.groups[worst].tolist())
    return Tier(
        name=grouping.name,
        groups=grouping.size,
        hosts=(int(hosts.min()), int(hosts.max())),
        pairs=pairs.total,
        measured=len(pairs.groups),
        implied=float(pairs.implied.mean()),
        sustained=float(pairs.sustained.mean()),
        least=float(pairs.sustained.min()),
        hops=float(pairs.hops.mean()),
        error=float(errors.mean()),
        worst=float(errors[worst]),
        worst_pair=(first, second),
    )
