"""Check that link properties, levels and names stay the same if a fabric is converted to networkx and back."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import networkx
import numpy as np
import pytest

import tulle

if TYPE_CHECKING:
    from pathlib import Path


def again(fabric: tulle.Fabric) -> tulle.Fabric:
    return tulle.Fabric.from_networkx(fabric.to_networkx())


@pytest.mark.parametrize(
    ("spec", "links"),
    [
        ("fattree:levels=3,radix=4", ["up:rate=400Gbps,latency=500ns", "endpoint:latency=25ns,medium=copper"]),
        ("dragonfly:p=2", ["global:length=50m"]),
        ("fattree:levels=2,leaves=3,cores=2,cables=2,p=2", ["all:rate=1Gbps"]),
        ("slimfly:q=5", []),
    ],
)
def test_a_round_trip_is_equal(spec: str, links: list[str]) -> None:
    once = again(tulle.Fabric(spec, links=links))
    assert again(once) == once
    assert once.properties == tulle.Fabric(spec, links=links).properties
    assert (once.levels == tulle.Fabric(spec).levels).all()


def test_names_come_back() -> None:
    properties: dict[str, object] = {
        "levels": [0, 0, 1],
        "roles": ["leaf", "leaf", "spine"],
        "switch_ports": [0, 0, 64],
        "cable_names": ["red", "", "blue"],
        "ports": [("1", "2"), ("", ""), ("swp1", "")],
        "links": [(10**9, None, 1500, "om4"), (None, None, None, None), (10**9, 5, None, None)],
        "links_back": [(2 * 10**9, None, 1500, "om4"), (None, None, None, None), (10**9, 6, None, None)],
        "endpoint_names": ["h1", ""],
        "endpoint_ports": ["", "eth0"],
        "endpoint_links": [(10**9, None, None, None), (None, None, None, None)],
    }
    fabric = tulle.Fabric.from_edges(
        [(0, 2), (0, 2), (1, 2)],
        [0, 1],
        labels=["leaf1", "leaf2", "spine1"],
        properties=properties,  # type: ignore[arg-type]
    )
    assert fabric.properties == properties
    assert again(fabric) == fabric
    assert again(fabric).cable("leaf2/swp1") == fabric.cable("blue")
    for wrong in (
        {"levels": [0]},
        {"roles": [1, 2, 3]},
        {"links": [(1, 2)] * 3},
        {"endpoint_links": [(1, None, None, None)] * 2},
    ):
        with pytest.raises(tulle.TulleError):
            tulle.Fabric.from_edges([(0, 2), (0, 2), (1, 2)], [0, 1], properties=wrong)  # type: ignore[arg-type]


def test_updown_routes_an_imported_tree() -> None:
    graph = networkx.Graph()
    for leaf in range(4):
        graph.add_node(f"leaf{leaf}", level=0, endpoints=2)
    for spine in range(2):
        graph.add_node(f"spine{spine}", level=1)
        graph.add_edges_from((f"leaf{leaf}", f"spine{spine}") for leaf in range(4))
    fabric = tulle.Fabric.from_networkx(graph)
    routing = tulle.route(fabric, "updown")
    assert len(routing.paths(fabric.switch("leaf0"), fabric.switch("leaf3"))[0]) == 2
    graph.remove_edges_from([("leaf0", "spine0"), ("leaf3", "spine1")])
    with pytest.raises(tulle.InputError, match="has no up-down path from switch leaf3 to leaf0"):
        tulle.route(tulle.Fabric.from_networkx(graph), "updown")


def test_an_imported_leaf_spine_is_routed_and_spoken_of_by_name(tmp_path: Path) -> None:
    edges = tmp_path / "leaf-spine.csv"
    nodes = tmp_path / "leaf-spine.nodes.csv"
    cables = [f"leaf{leaf},spine{spine},800Gbps,500ns" for leaf in (1, 2, 3) for spine in (1, 2)]
    edges.write_text("\n".join(["a,b,rate,latency", *cables]))
    levels = [f",leaf{leaf},0,leaf,," for leaf in (1, 2, 3)] + [f",spine{spine},1,spine,," for spine in (1, 2)]
    hosts = [f"h{leaf}{at},leaf{leaf},,,400Gbps,25ns" for leaf in (1, 2, 3) for at in (1, 2)]
    nodes.write_text("\n".join(["node,switch,level,role,rate,latency", *levels, *hosts]))
    fabric = tulle.Fabric(f"file:edges={edges},nodes={nodes}")
    assert fabric.warnings == ()
    assert (fabric.labels, fabric.roles[3], fabric.levels.tolist()) == (
        ("leaf1", "leaf2", "leaf3", "spine1", "spine2"),
        "spine",
        [0, 0, 0, 1, 1],
    )
    assert {*fabric.link_rate.tolist()} == {800_000_000_000}
    assert (fabric.endpoint_names[0], int(fabric.endpoint_latency[0])) == ("h11", 25_000)
    routing = tulle.route(fabric, "updown")
    result = tulle.simulate(fabric, routing, "permutation:bytes=1MB", transport="ndp:window=60", seed=1)
    assert result.summary()["completed"] == 6
    cut = fabric.without(links=["leaf1--spine1", "leaf1--spine2"])
    with pytest.raises(tulle.InputError, match=r"has no path .*from switch (leaf1 to leaf2|leaf2 to leaf1)"):
        tulle.route(cut, "updown")


def test_numbers_that_are_none_are_refused() -> None:
    graph = networkx.path_graph(2)
    graph.edges[0, 1]["rate"] = "fast"
    with pytest.raises(
        tulle.InputError, match="rate='fast' in a graph is not a whole number of bits per second; legal: 0"
    ):
        tulle.Fabric.from_networkx(graph)


def test_ignored_attributes_are_named_as_in_files(tmp_path: Path) -> None:
    graph = networkx.cycle_graph(4)
    networkx.set_edge_attributes(graph, 3, "weight")
    networkx.set_edge_attributes(graph, "10G", "speed")
    networkx.set_node_attributes(graph, "x", "site")
    path = tmp_path / "x.node-link.json"
    path.write_text(json.dumps(networkx.node_link_data(graph, edges="links")))
    (line,) = tulle.Fabric(f"file:edges={path}").warnings
    assert tulle.Fabric.from_networkx(graph).warnings == (line.removeprefix(f"{path}: "),)
    assert line.endswith("attributes 'site', 'speed', 'weight' are ignored")
    # A weight of 1, for example from a matrix, and what `to_networkx` writes are no lost properties.
    assert (
        tulle.Fabric.from_networkx(networkx.from_numpy_array(networkx.to_numpy_array(networkx.cycle_graph(4)))).warnings
        == ()
    )
    known = tulle.Fabric("slimfly:q=3").with_links(["all:rate=10Gbps,length=2m,medium=copper,cost=3"])
    assert tulle.Fabric.from_networkx(known.to_networkx()).warnings == ()


@pytest.mark.parametrize("wrong", [2.0, "2", np.float64(1.5)])
def test_a_number_of_endpoints_is_whole(wrong: object) -> None:
    legal = "legal: one whole number of endpoints per switch, or the switch of every endpoint"
    with pytest.raises(tulle.InputError, match=re.escape(f"endpoint_switch={wrong!r}; {legal}")):
        tulle.Fabric.from_networkx(networkx.cycle_graph(4), wrong)  # type: ignore[arg-type]
