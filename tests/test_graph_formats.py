"""Check that graph files of networkx and scipy read back unchanged, and that damaged files give a one-line error."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import networkx
import numpy as np
import pytest
import scipy.io
import scipy.sparse
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_graph_files import DUAL, HTSIM, NETBENCH, RING, read
from test_mutated_files import mutations, refused_with_a_place

import tulle
import tulle as tulle_module

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Cli

SETTINGS = settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
PETERSEN = networkx.petersen_graph()


def write_mtx(graph: networkx.Graph, path: Path) -> None:
    scipy.io.mmwrite(str(path), networkx.to_scipy_sparse_array(graph, dtype=int))


def write_metis(graph: networkx.Graph, path: Path) -> None:
    lines = [" ".join(str(other + 1) for other in graph[node]) for node in graph]
    path.write_text(f"{len(graph)} {graph.number_of_edges()}\n" + "\n".join(lines) + "\n")


def write_matrix(graph: networkx.Graph, path: Path) -> None:
    np.savetxt(path, networkx.to_numpy_array(graph), fmt="%d", delimiter="," if path.suffix == ".csv" else " ")


def write_adjacency(graph: networkx.Graph, path: Path) -> None:
    """Write a line with the neighbours of each node, so that each cable is listed twice."""
    path.write_text("".join(f"{node} {' '.join(map(str, graph[node]))}\n" for node in graph))


WRITERS: dict[str, Callable[[networkx.Graph, Path], None]] = {
    "x.gml": networkx.write_gml,
    "x.gexf": networkx.write_gexf,
    "x.graphml": networkx.write_graphml,
    "x.net": networkx.write_pajek,
    "x.g6": networkx.write_graph6,
    "x.s6": networkx.write_sparse6,
    "x.adjlist": networkx.write_adjlist,
    "both.adjlist": write_adjacency,
    "x.madj": networkx.write_multiline_adjlist,
    "x.edgelist": networkx.write_edgelist,
    "x.mtx": write_mtx,
    "x.metis": write_metis,
    "x.mat.txt": write_matrix,
    "x.mat.csv": write_matrix,
    "x.csv": write_matrix,
    "x.txt": write_matrix,
}


@pytest.mark.parametrize("name", WRITERS)
def test_petersen(tulle: Cli, tmp_path: Path, name: str) -> None:
    WRITERS[name](PETERSEN, tmp_path / name)
    printed = tulle("fabric", f"file:edges={name}", "--json")
    fields = json.loads(printed.stdout)
    assert (fields["switches"], fields["cables"], fields["diameter"]) == (10, 15, 2)


@st.composite
def graphs(draw: st.DrawFn) -> networkx.Graph:
    """Generate small random graphs without isolated nodes, because tulle leaves out isolated nodes."""
    nodes = draw(st.integers(3, 9))
    pair = st.tuples(st.integers(0, nodes - 1), st.integers(0, nodes - 1)).filter(lambda pair: pair[0] != pair[1])
    graph = networkx.Graph(draw(st.lists(pair, min_size=2, max_size=20)))
    graph = networkx.convert_node_labels_to_integers(graph, ordering="sorted")
    # A matrix numbers nodes in the order in which they were added, so nodes are added in ascending order.
    ordered = networkx.Graph()
    ordered.add_nodes_from(range(len(graph)))
    ordered.add_edges_from(graph.edges)
    return ordered


@pytest.mark.parametrize("name", WRITERS)
@SETTINGS
@given(graph=graphs())
def test_random_graphs_read_back(tmp_path: Path, name: str, graph: networkx.Graph) -> None:
    path = tmp_path / name
    WRITERS[name](graph, path)
    if path.suffix in (".csv", ".txt") and ".mat" not in name and len(graph) < 3:
        return
    fabric = tulle.Fabric(f"file:edges={path}")
    assert fabric.num_switches == len(graph)
    assert [tuple(edge) for edge in fabric.edges.tolist()] == sorted(tuple(sorted(edge)) for edge in graph.edges)


@pytest.mark.parametrize("name", ["x.gml", "x.s6", "x.net", "x.graphml", "x.edgelist", "x.madj"])
@SETTINGS
@given(graph=graphs(), again=st.integers(1, 3))
def test_parallel_edges_and_loops_read_back(tmp_path: Path, name: str, graph: networkx.Graph, again: int) -> None:
    graph = networkx.MultiGraph(graph)
    before = graph.number_of_edges()
    first = next(iter(graph.edges))
    graph.add_edges_from([first[:2]] * again)
    graph.add_edge(0, 0)
    WRITERS[name](graph, tmp_path / name)
    fabric = tulle.Fabric(f"file:edges={tmp_path / name}")
    assert (fabric.num_switches, fabric.num_cables) == (len(graph), before + again)
    assert any(warning.endswith("1 cable from a switch to itself is left out") for warning in fabric.warnings)


def test_names_and_rates_of_networkx_formats(tmp_path: Path) -> None:
    """Check node names, units of attributes, and link speeds in the notation of the Topology Zoo."""
    gml = """Creator "Topology Zoo Toolset"
graph [
  directed 0
  node [ id 0 label "Wien" Country "Austria" ]
  node [ id 1 label "Graz" Country "Austria" ]
  edge [ source 0 target 1 LinkSpeed "10" LinkSpeedUnits "G" LinkSpeedRaw 10000000000.0 ]
  edge [ source 0 target 1 LinkSpeed "2.5" LinkSpeedUnits "G" ]
  edge [ source 1 target 0 latency "3us" length "2m" weight 4 ]
]
"""
    fabric = read(tmp_path / "x.gml", gml, ",both=parallel")
    assert fabric.labels == ("Graz", "Wien")
    rates = sorted(fabric.properties["links"], key=str)
    assert rates == [(10**10, None, None, None), (2_500_000_000, None, None, None), (None, 3_000_000, 2000, None)]
    assert fabric.warnings == (f"{tmp_path / 'x.gml'}: attributes 'Country', 'weight' are ignored",)
    # If labels are not unique, tulle ignores all labels.
    assert read(tmp_path / "x.gml", gml.replace("Graz", "Wien"), ",both=parallel").labels == ("0", "1")
    # tulle ignores numbers without a unit, unless tulle itself wrote the graph through networkx.
    fabric = read(tmp_path / "x.gml", gml.replace('"3us"', "3"), ",both=parallel")
    assert "'latency (without a unit)'" in fabric.warnings[0]
    whole = tulle.Fabric("hyperx:shape=2x3,p=2")
    networkx.write_gml(whole.to_networkx(), tmp_path / "x.gml")
    again = tulle.Fabric(f"file:edges={tmp_path / 'x.gml'}")
    assert again.edges.tolist() == whole.edges.tolist()
    assert again.endpoint_switch.tolist() == whole.endpoint_switch.tolist()
    graphml = (
        '<graphml><key id="r" for="edge" attr.name="LinkSpeedRaw"/><key id="w" for="edge" attr.name="weight"/><graph>'
        '<node id="0"/><node id="1"/><edge source="0" target="1"><data key="r">1e9</data></edge></graph></graphml>'
    )
    fabric = read(tmp_path / "x.graphml", graphml)
    assert fabric.link_rate.tolist() == [10**9, 10**9]
    assert fabric.warnings == (f"{tmp_path / 'x.graphml'}: attribute 'weight' is ignored",)
    directed = networkx.DiGraph([(0, 1), (1, 2)])
    networkx.write_gexf(directed, tmp_path / "x.gexf")
    with pytest.raises(tulle.FormatError, match="a directed graph; legal: directed=undirected"):
        tulle.Fabric(f"file:edges={tmp_path / 'x.gexf'}")
    assert tulle.Fabric(f"file:edges={tmp_path / 'x.gexf'},directed=undirected").num_cables == 2


def test_without_networkx_one_line_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    networkx.write_gml(PETERSEN, tmp_path / "x.gml")
    monkeypatch.setitem(__import__("sys").modules, "networkx", None)
    with pytest.raises(tulle.FormatError, match=r"x\.gml:1:1: format gml needs networkx; install tulle\[formats\]$"):
        tulle.Fabric(f"file:edges={tmp_path / 'x.gml'}")


def test_formats_that_are_only_read_are_not_written(tulle: Cli, tmp_path: Path) -> None:
    with pytest.raises(
        tulle_module.FormatError, match=r"tulle reads but does not write this format \(GML\); legal: csv, edge-list"
    ):
        tulle_module.Fabric("clique:degree=3").write(tmp_path / "x.gml")
    printed = tulle("fabric", "slimfly:q=3", "--write", "x.gml")
    assert (printed.returncode, printed.stderr.count("\n")) == (2, 1)


@pytest.mark.parametrize("name", [*WRITERS, "x.topology", "x.topo", "x.hpcc", "nm.edges"])
@settings(SETTINGS, max_examples=24)
@given(mutate=mutations())
def test_mutated_files(tmp_path: Path, name: str, mutate: Callable[[bytes], bytes]) -> None:
    path = tmp_path / name
    fixed = {"x.topology": NETBENCH, "x.topo": HTSIM, "x.hpcc": DUAL, "nm.edges": f"5 6{RING}0 2\n"}
    if name in fixed:
        path.write_text(fixed[name])
    else:
        WRITERS[name](PETERSEN, path)
    path.write_bytes(mutate(path.read_bytes()))
    refused_with_a_place(lambda: tulle.Fabric(f"file:edges={path}"))
