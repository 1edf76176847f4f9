"""Check trees of networks for schedulers: their measured throughput, and the choice of groups."""

from __future__ import annotations

import random
from functools import cache
from typing import TYPE_CHECKING

import networkx as nx
import numpy as np
import pytest

import tulle
from tulle.schedulers.grouping.measure import Measure
from tulle.schedulers.tree import network_tree

if TYPE_CHECKING:
    from tulle.schedulers.tree import NetworkTree


@cache
def tree(spec: str | tulle.Fabric, routing: str = "minimal") -> NetworkTree:
    return network_tree(tulle.route(spec, routing))


def groups(of: NetworkTree, tier: int = 0) -> set[frozenset[str]]:
    """Return the hosts of every group of a tier, without names of groups."""
    found: dict[str, set[str]] = {}
    for leaf in of.leaves:
        found.setdefault(leaf.groups[tier], set()).update(leaf.hosts)
    return {frozenset(hosts) for hosts in found.values()}


def measure(spec: str, routing: str = "minimal") -> Measure:
    """Return the object that measures throughput between switches with endpoints."""
    fabric = tulle.Fabric(spec)
    at = fabric.endpoint_switch
    return Measure(tulle.route(fabric, routing), [np.flatnonzero(at == switch) for switch in np.unique(at)])


# Measured throughput.


def test_figures_are_the_closed_forms() -> None:
    # Slim Fly with minimal paths: the 4 hosts of a switch share one cable toward another switch, so they sustain 1/4 of
    # their rate. In a tree, they would have the full rate, because 7 cables leave the switch.
    (tier,) = tree("slimfly:q=5").tiers
    assert (tier.name, tier.groups, tier.hosts, tier.pairs, tier.measured) == ("leaf", 50, (4, 4), 1225, 500)
    assert (tier.implied, tier.sustained, tier.least) == (1, 0.25, 0.25)
    assert (tier.error, tier.worst) == (-0.75, -0.75)
    # Dragonfly with hierarchical paths: 2 hosts of a switch share one cable to another switch of the group, and 8 hosts
    # of a group share one cable to another group. In a tree, they would have the full rate, because 8 cables leave the
    # group.
    inside, between = tree("dragonfly:p=2", "hierarchical").tiers
    assert (inside.name, inside.pairs, inside.sustained) == ("leaf", 9 * 6, 0.5)
    assert (between.name, between.pairs, between.sustained) == ("group", 36, 0.125)
    assert (between.implied, between.error) == (1, -0.875)
    # A fat tree is a tree, so it sustains exactly the rate that the tree implies.
    for tier in tree("fattree:k=8").tiers:
        assert (tier.implied, tier.sustained, tier.error, tier.worst) == (1, 1, 0, 0)


def test_an_oversubscribed_tree_errs_by_nothing() -> None:
    # 6 hosts share 2 uplinks, so each host sustains a third of a link's rate, in the network as in the tree.
    for tier in tree("fattree:levels=2,radix=8,p=6").tiers:
        assert tier.implied == pytest.approx(tier.sustained)
        assert tier.sustained < 0.5
        assert tier.error == pytest.approx(0)


@pytest.mark.parametrize("spec", ["slimfly:q=3", "dragonfly:p=1", "jellyfish:switches=12,degree=4,p=3"])
def test_an_exchange_is_a_throughput(spec: str) -> None:
    of = measure(spec)
    fabric, draw = tulle.Fabric(spec), random.Random(1)
    hosts = np.bincount(fabric.endpoint_switch)
    graph = nx.DiGraph()
    for a, b in fabric.channels.tolist():
        graph.add_edge(a, b, capacity=graph.get_edge_data(a, b, {"capacity": 0})["capacity"] + 1)
    for _ in range(5):
        units = draw.sample(range(fabric.num_switches), 5)
        a, b = sorted(units[:2]), sorted(units[2:])
        rows = [(s, d, hosts[s] * hosts[d] / hosts[b].sum()) for s, d in [(s, d) for s in a for d in b]]
        rows += [(d, s, amount) for s, d, amount in rows]
        demands = tulle.analysis.Demands(fabric.num_switches, *map(list, zip(*rows, strict=True)))
        wanted = tulle.analysis.throughput(fabric, demands, "minimal", method="split").lower
        found = of.exchange(np.array(a), np.array(b))
        assert found.sustained == pytest.approx(min(1, wanted))
        flows = []
        for group in (a, b):
            network = graph.copy()
            for switch in range(fabric.num_switches):
                ends = ("source", switch) if switch in group else (switch, "sink")
                network.add_edge(*ends, capacity=int(hosts[switch]))
            flows.append(nx.maximum_flow_value(network, "source", "sink"))
        assert [of.uplink(np.array(group)) for group in (a, b)] == flows
        assert found.implied == pytest.approx(min(1, min(flows) / hosts[a].sum()))


def test_rates_of_links_count() -> None:
    slow = tulle.Fabric("fattree:k=4", links=["all:rate=100Gbps", "endpoint:rate=200Gbps"])
    for tier in tree(slow).tiers:
        assert (tier.implied, tier.sustained) == (0.5, 0.5)


# The grouping.


def test_a_grouping_follows_losses() -> None:
    assert [tier.name for tier in tree("slimfly:q=5").tiers] == ["leaf"]
    assert [tier.name for tier in tree("jellyfish:switches=30,degree=6,p=3").tiers] == ["leaf"]
    assert [tier.name for tier in tree("dragonfly:p=2").tiers] == ["leaf", "group"]
    assert [tier.name for tier in tree("megafly:leaves=3").tiers] == ["leaf", "group"]
    assert [tier.name for tier in tree("fattree:k=8").tiers] == ["leaf", "pod"]
    assert [tier.name for tier in tree("fattree:levels=2,radix=8").tiers] == ["leaf"]
    # In each dimension of a HyperX, all switches of a row are connected to each other.
    assert len(tree("hyperx:shape=4x4x4").tiers) == 3


@pytest.mark.parametrize(("spec", "name"), [("dragonfly:p=2", "cluster"), ("fattree:k=6", "pod")])
def test_groups_are_found_without_coordinates(spec: str, name: str) -> None:
    """Check that the groups stay the same if switches are shuffled and coordinates and levels are removed."""
    fabric = tulle.Fabric(spec)
    places = np.random.default_rng(3).permutation(fabric.num_switches)
    again = tulle.Fabric.from_edges(
        places[fabric.edges.astype(int)],
        places[fabric.endpoint_switch],
        properties={"endpoint_names": [f"n{end}" for end in range(fabric.num_endpoints)]},
    )
    found = tree(again)
    assert [tier.name for tier in found.tiers] == ["leaf", name]
    column = fabric.coordinate_names.index("group" if name == "cluster" else "pod")
    wanted: dict[int, set[str]] = {}
    for end, switch in enumerate(fabric.endpoint_switch.tolist()):
        wanted.setdefault(int(fabric.coordinates[switch, column]), set()).add(f"n{end}")
    assert groups(found) == {frozenset(hosts) for hosts in wanted.values()}


def test_the_seed_chooses_only_samples() -> None:
    routing = tulle.route("dragonfly:p=2", "minimal")
    assert network_tree(routing, 1).leaves == network_tree(routing, 7).leaves
    assert network_tree(routing, 1) == network_tree(routing, 1)


def test_hosts_with_several_ports_are_one_host() -> None:
    # The network has two rails: each host has one port at an even switch and one port at an odd switch.
    names = [f"n{host}:{port}" for host in range(4) for port in (1, 2)]
    at = [0, 1, 0, 1, 2, 3, 2, 3]
    rails = tulle.Fabric.from_edges(
        [[0, 4], [1, 4], [2, 4], [3, 4]],
        at,
        labels=["l0", "l1", "l2", "l3", "spine"],
        properties={"endpoint_names": names, "host_ports": ["1", "2"] * 4},
    )
    found = tree(rails)
    assert [(leaf.name, leaf.hosts) for leaf in found.leaves] == [("l0_l1", ("n0", "n1")), ("l2_l3", ("n2", "n3"))]
    assert (found.hosts, len(found.tiers)) == (4, 1)
