"""Convert fabrics from and to networkx, and compare distances with networkx."""

import networkx as nx
import numpy as np
import pytest

import tulle


@pytest.mark.parametrize("spec", ["slimfly:q=4", "hyperx:shape=2x3", "dragonfly:p=2", "torus:shape=3x4", "oft:k=3"])
def test_round_trip_and_distances(spec: str) -> None:
    fabric = tulle.Fabric(spec)
    graph = fabric.to_networkx()
    again = tulle.Fabric.from_networkx(graph)
    assert np.array_equal(again.channels, fabric.channels)
    assert np.array_equal(again.endpoint_switch, fabric.endpoint_switch)
    edge = sorted(set(fabric.endpoint_switch.tolist()))
    lengths = dict(nx.all_pairs_shortest_path_length(graph))
    hops = [lengths[a][b] for a in edge for b in edge if a != b]
    assert fabric.diameter == max(hops)
    assert fabric.average_path_length == pytest.approx(np.mean(hops))


G = 10**9


def test_parallel_cables_make_a_multigraph() -> None:
    fabric = tulle.Fabric.from_edges([(0, 1), (1, 0), (1, 2)], 1)
    graph = fabric.to_networkx()
    assert isinstance(graph, nx.MultiGraph)
    assert sorted(data["cable"] for _, _, data in graph.edges(data=True)) == fabric.cables.tolist()
    assert np.array_equal(tulle.Fabric.from_networkx(graph).edges, fabric.edges)
    assert not isinstance(tulle.Fabric("clique:degree=3").to_networkx(), nx.MultiGraph)


def test_endpoints_are_attached_to_nodes_of_any_type() -> None:
    grid = nx.grid_2d_graph(2, 2)
    assert tulle.Fabric.from_networkx(grid, 2 * list(grid.nodes)).endpoint_switch.tolist() == [0, 1, 2, 3, 0, 1, 2, 3]
    named = nx.relabel_nodes(nx.cycle_graph(4), dict(enumerate("dcba")))
    assert tulle.Fabric.from_networkx(named, ["b", "d"]).endpoint_switch.tolist() == [2, 0]
    assert tulle.Fabric.from_networkx(named, np.array(["b", "d"])).endpoint_switch.tolist() == [2, 0]
    # The nodes of this graph are texts, so the numbers are ids of switches.
    assert tulle.Fabric.from_networkx(named, [3, 3]).endpoint_switch.tolist() == [3, 3]
    # Numbers that are nodes are read as nodes: here, node 3 is switch 0.
    backwards = nx.relabel_nodes(nx.cycle_graph(4), {0: 3, 1: 2, 2: 1, 3: 0})
    assert tulle.Fabric.from_networkx(backwards, [3, 0]).endpoint_switch.tolist() == [0, 3]
    with pytest.raises(tulle.InputError, match="endpoint_switch: 'x' is not a node of the graph; legal: nodes"):
        tulle.Fabric.from_networkx(named, ["a", "x"])
    with pytest.raises(tulle.InputError, match="endpoint on switch 9; legal: below 4"):
        tulle.Fabric.from_networkx(named, [9])


def test_nodes_become_labels() -> None:
    graph = nx.petersen_graph()
    graph = nx.relabel_nodes(graph, {node: f"s{node}" for node in graph})
    fabric = tulle.Fabric.from_networkx(graph, 3)
    assert fabric.labels[:2] == ("s0", "s1")
    assert (fabric.num_switches, fabric.num_cables, fabric.num_endpoints, fabric.diameter) == (10, 15, 30, 2)


def test_counts_of_endpoints() -> None:
    graph = nx.path_graph(3)
    graph.nodes[1]["endpoints"] = 2
    assert tulle.Fabric.from_networkx(graph).endpoint_switch.tolist() == [1, 1]


def test_directed_graphs_are_read_on_demand() -> None:
    once = nx.DiGraph()
    once.add_edge(0, 1, source_port="a", target_port="b", rate=5 * G)
    once.add_edge(2, 1, source_port="c", target_port="d", rate=7 * G, rate_back=8 * G, latency=9)
    fabric = tulle.Fabric.from_networkx(once, 1, directed="undirected")
    assert fabric.edges.tolist() == [[0, 1], [1, 2]]
    assert fabric.properties["ports"] == [("a", "b"), ("d", "c")]
    # `links` has the properties of the channel from the switch with the lower id; `links_back` has those of the reverse
    # channel. The second edge starts at the switch with the higher id.
    assert [link[:2] for link in fabric.properties["links"]] == [(5 * G, None), (8 * G, 9)]
    assert [link[:2] for link in fabric.properties["links_back"]] == [(5 * G, None), (7 * G, 9)]
    # If all edges have a reverse edge, tulle reads each edge and its reverse edge as one cable.
    twice = nx.MultiDiGraph([(0, 1), (1, 0), (0, 1), (1, 0), (1, 2), (2, 1)])
    assert tulle.Fabric.from_networkx(twice, directed="undirected").edges.tolist() == [[0, 1], [0, 1], [1, 2]]
    twice.add_edge(0, 2)
    with pytest.raises(tulle.InputError, match="2 of 3 connected pairs of nodes have edges in both directions"):
        tulle.Fabric.from_networkx(twice, directed="undirected")


def test_refuses() -> None:
    # The messages about directed graphs and loops state how to read the graph.
    with pytest.raises(tulle.InputError, match=r"directed='undirected', .* graph\.to_undirected\(\)"):
        tulle.Fabric.from_networkx(nx.DiGraph([(0, 1)]))
    with pytest.raises(tulle.InputError, match="'both' is not a choice; legal: 'undirected'"):
        tulle.Fabric.from_networkx(nx.DiGraph([(0, 1)]), directed="both")  # type: ignore[arg-type]
    loop = nx.Graph([(0, 1), (1, 1)])
    message = r"1 edge from a node to itself, for example at node 1; legal: none; graph\.remove_edges_from\("
    with pytest.raises(tulle.InputError, match=message):
        tulle.Fabric.from_networkx(loop)
    loop.remove_edges_from(list(nx.selfloop_edges(loop)))
    assert tulle.Fabric.from_networkx(loop).num_cables == 1
    for attached, message in [
        ([0, 2], "have 2 endpoint ids, but not id 1; legal: 0 to 1, each once"),
        ([0, 0], "have 2 endpoint ids, but not id 1; legal: 0 to 1, each once"),
        (["a"], "legal: a list"),
        (-1, "endpoints=-1"),
    ]:
        graph = nx.path_graph(2)
        graph.nodes[0]["endpoints"] = attached
        with pytest.raises(tulle.InputError, match=message):
            tulle.Fabric.from_networkx(graph)
