"""Minimal routing by the latency of links, against Dijkstra of networkx."""

from __future__ import annotations

import json
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
    # No line names the channel from 0 to 2: it takes the latency of the other direction.
    assert latencies == {(0, 1): 10_000, (1, 0): 10_000, (1, 2): 1_000, (2, 1): 1_000, (2, 0): 30_000, (0, 2): 30_000}
    assert any("1 channels that no line names" in warning for warning in fabric.warnings)
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


@pytest.mark.parametrize("seed", range(4))
def test_latencies_are_those_of_dijkstra(tmp_path: Path, seed: int) -> None:
    random = np.random.default_rng(seed)
    edges = library.Fabric("jellyfish:switches=14,degree=4", seed=seed).edges.tolist()
    rows = [f"{one},{other},{random.integers(1, 5)}ns" for one, other in edges]
    (tmp_path / "net.csv").write_text("\n".join(["a,b,latency", *rows]))
    fabric = library.Fabric(f"file:edges={tmp_path / 'net.csv'}")
    graph = networkx.DiGraph()
    for (one, other), latency in zip(fabric.channels.tolist(), fabric.link_latency.tolist(), strict=True):
        graph.add_edge(one, other, weight=latency)
    least = dict(networkx.all_pairs_dijkstra_path_length(graph))
    groups = library.route(fabric, "minimal:weight=latency").next_hop_groups[0]
    for switch in range(14):
        for destination in range(14):
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
