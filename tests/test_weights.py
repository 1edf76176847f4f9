"""Compare minimal routing by link latency or link cost with networkx's Dijkstra algorithm."""

from __future__ import annotations

import json
import pickle
from typing import TYPE_CHECKING

import networkx
import numpy as np
import pytest

import tulle as library

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

TRIANGLE = """router 0 node 0 node 1 5 node 2 5 router 1 10
router 1 node 3 router 0 10 router 2 1
router 2 node 4 router 1 1 router 0 30
"""


def test_an_anynet_is_routed_by_its_latencies(tulle: Cli, tmp_path: Path) -> None:
    (tmp_path / "tri.anynet").write_text(TRIANGLE)
    fabric = library.Fabric(f"file:edges={tmp_path / 'tri.anynet'}")
    latencies = dict(zip(map(tuple, fabric.channels.tolist()), fabric.link_latency.tolist(), strict=True))
    # No line names the channel from 0 to 2, so it has the latency of the reverse channel.
    assert latencies == {(0, 1): 10_000, (1, 0): 10_000, (1, 2): 1_000, (2, 1): 1_000, (2, 0): 30_000, (0, 2): 30_000}
    assert any("1 channel that no line names gets" in warning for warning in fabric.warnings)
    path = library.route(fabric, "minimal:weight=latency").paths(0, 2)[0]
    assert (len(path), int(fabric.link_latency[path].sum())) == (2, 11_000)
    arguments = ["--routing", "minimal:weight=latency", "--load", "0.01", "--window", "2000", "--json"]
    run = tulle("flit", "file:edges=tri.anynet", *arguments)
    assert run.returncode == 0, run.stderr
    assert "a cycle is 1000 ps" in run.stderr
    assert "latencies of 2 links to nodes are ignored" in run.stderr
    assert json.loads(run.stdout)["routing"] == "minimal:weight=latency"


def test_two_hops_of_less_latency_come_before_one(tulle: Cli, tmp_path: Path) -> None:
    (tmp_path / "tri.csv").write_text("a,b,latency\n0,1,10ns\n1,2,1ns\n0,2,30ns\n")
    fabric = library.Fabric(f"file:edges={tmp_path / 'tri.csv'}")
    for weight, hops in (("latency", 2), ("hops", 1)):
        assert len(library.route(fabric, f"minimal:weight={weight}").paths(0, 2)[0]) == hops
    refused = tulle("route", "clique:degree=3", "minimal:weight=latency")
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert "has no latency; legal: a latency for every cable" in refused.stderr


def check_next_hops(fabric: library.Fabric, weights: list[int], routing: library.Routing) -> None:
    graph = networkx.DiGraph()
    for (one, other), value in zip(fabric.channels.tolist(), weights, strict=True):
        graph.add_edge(one, other, weight=value)
    least = dict(networkx.all_pairs_dijkstra_path_length(graph))
    groups = routing.next_hop_groups[0]
    for switch in range(fabric.num_switches):
        for destination in range(fabric.num_switches):
            expected = {
                (switch, following)
                for following in graph[switch]
                if switch != destination
                and graph[switch][following]["weight"] + least[following][destination] == least[switch][destination]
            }
            found = {
                tuple(fabric.channels[channel].tolist()) for channel in groups[switch, destination] if channel >= 0
            }
            assert found == expected


@pytest.mark.parametrize("seed", range(4))
def test_latencies_are_those_of_dijkstra(tmp_path: Path, seed: int) -> None:
    random = np.random.default_rng(seed)
    edges = library.Fabric("jellyfish:switches=14,degree=4", seed=seed).edges.tolist()
    rows = [f"{one},{other},{random.integers(1, 5)}ns" for one, other in edges]
    (tmp_path / "net.csv").write_text("\n".join(["a,b,latency", *rows]))
    fabric = library.Fabric(f"file:edges={tmp_path / 'net.csv'}")
    check_next_hops(fabric, fabric.link_latency.tolist(), library.route(fabric, "minimal:weight=latency"))


def costly(tmp_path: Path, seed: int) -> tuple[library.Fabric, dict[tuple[int, int], int]]:
    """Write a CSV file with a random link cost per direction; return the fabric that tulle reads, and the costs."""
    random = np.random.default_rng(seed)
    costs: dict[tuple[int, int], int] = {}
    rows = []
    for one, other in library.Fabric("jellyfish:switches=14,degree=4", seed=seed).edges.tolist():
        there, back = costs[one, other], costs[other, one] = random.integers(1, 5, 2).tolist()
        rows.append(f"{one},{other},{there},{'' if back == there else back}")
    (tmp_path / "net.csv").write_text("\n".join(["a,b,cost,cost_back", *rows]))
    return library.Fabric(f"file:edges={tmp_path / 'net.csv'}"), costs


@pytest.mark.parametrize("seed", range(4))
def test_costs_are_those_of_dijkstra(tmp_path: Path, seed: int) -> None:
    fabric, costs = costly(tmp_path, seed)
    weights = [costs[one, other] for one, other in fabric.channels.tolist()]
    check_next_hops(fabric, weights, library.route(fabric, "minimal:weight=cost"))


@pytest.mark.parametrize("name", ["net.csv", "fabric.json", "net.graphml", "net.dot", "net.node-link.json"])
def test_costs_survive_files(tmp_path: Path, name: str) -> None:
    fabric, _ = costly(tmp_path, 1)
    (tmp_path / "written").mkdir()
    path = tmp_path / "written" / name
    fabric.write(path)
    again = library.Fabric(f"file:edges={path}")
    assert (again.link_cost == fabric.link_cost).all()
    assert not any("cost" in line.replace(str(tmp_path), "") for line in (*again.warnings, *fabric.left_out(path)))
    assert any("costs" in line for line in fabric.left_out(tmp_path / "net.edges"))


def test_costs_survive_networkx_properties_and_faults(tmp_path: Path) -> None:
    fabric, _ = costly(tmp_path, 2)
    assert (library.Fabric.from_networkx(fabric.to_networkx()).link_cost == fabric.link_cost).all()
    again = library.Fabric.from_edges(fabric.edges, num_switches=14, properties=fabric.properties)
    assert (again.link_cost == fabric.link_cost).all()
    assert (pickle.loads(pickle.dumps(fabric)).link_cost == fabric.link_cost).all()
    damaged = fabric.without(links="20%", seed=3)
    assert damaged.origin is not None
    assert (damaged.link_cost == fabric.link_cost[damaged.origin["channels"]]).all()


def test_costs_by_rule_and_their_errors(tulle: Cli, tmp_path: Path) -> None:
    fabric = library.Fabric("clique:degree=3", links=["all:cost=10"])
    assert (fabric.link_cost == 10).all()
    assert library.Fabric("clique:degree=3").link_cost.max() == -1
    refused = tulle("route", "clique:degree=3", "minimal:weight=cost")
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert "cable 0--1 has no cost from 0 to 1; legal: a cost for every cable" in refused.stderr
    assert tulle("route", "clique:degree=3", "minimal:weight=cost", "--link", "all:cost=10").returncode == 0
    for cost in ("0", "1.5", "4294967296", "-1"):
        (tmp_path / "bad.csv").write_text(f"a,b,cost\n0,1,1\n1,2,{cost}\n")
        refused = tulle("fabric", f"file:edges={tmp_path / 'bad.csv'}")
        assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
        assert (
            f"bad.csv:3:5: cost '{cost}' is not a valid cost; legal: whole numbers from 1 to 4294967295"
            in refused.stderr
        )
        graph = fabric.to_networkx()
        graph.edges[0, 1]["cost"] = float(cost)
        with pytest.raises(library.TulleError, match="is not a valid cost"):
            library.Fabric.from_networkx(graph)


def test_a_weight_is_no_cost(tmp_path: Path) -> None:
    (tmp_path / "net.csv").write_text("a,b,weight\n0,1,7\n")
    fabric = library.Fabric(f"file:edges={tmp_path / 'net.csv'}")
    assert fabric.link_cost.max() == -1
    assert any("weight" in warning for warning in fabric.warnings)


@pytest.mark.parametrize("seed", range(8))
def test_rerouted_paths_are_of_least_weight(tmp_path: Path, seed: int) -> None:
    """Check that rerouted paths after cable failures have minimum cost, as OSPF's paths do."""
    fabric, _ = costly(tmp_path, seed)
    routing = library.route(fabric, "minimal:weight=cost")
    damaged = fabric.with_failures("links=2", seed)
    rerouted = routing.reroute(damaged)
    check_next_hops(damaged, damaged.link_cost.tolist(), rerouted.routing)
    assert 0 < rerouted.broken <= rerouted.touched < rerouted.entries / 2
