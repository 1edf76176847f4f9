"""Check variants of the file formats in test_graph_files.py that tools and people also write."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import networkx
import pytest
from test_graph_files import DUAL, YED, check_read, pairs, read, sizes

import tulle

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

PETERSEN = networkx.petersen_graph()
SIMAI = (
    "11 4 2 1 12 A100\n8 9 10\n"
    + "".join(f"{gpu} {8 + gpu // 4} 2880Gbps 0.000025ms 0\n" for gpu in range(8))
    + "".join(f"{gpu} 10 400Gbps 0.0005ms 0\n" for gpu in (0, 1, 4, 5))
)
ANYNET = "router 0 node 0 router 1 router 2\nrouter 1 node 1 router 2\nrouter 2 node 2\n"
GROUPED = """<?xml version="1.0"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:y="http://www.yworks.com/xml/graphml">
  <key for="node" id="d6" yfiles.type="nodegraphics"/>
  <graph edgedefault="undirected" id="G">
    <node id="n0"><data key="d6"><y:ShapeNode><y:NodeLabel>leaf1</y:NodeLabel></y:ShapeNode></data></node>
    <node id="n1"/>
    <node id="n2" yfiles.foldertype="group">
      <graph edgedefault="undirected" id="n2:"><node id="n2::n0"/><node id="n2::n1"/>
        <edge source="n2::n0" target="n2::n1"/></graph>
    </node>
    <edge source="n0" target="n2::n0"/>
    <edge source="n1" target="n2::n1"/>
  </graph>
</graphml>"""
GEXF = """<?xml version="1.0" encoding="UTF-8"?>
<gexf xmlns="http://www.gexf.net/1.2draft" version="1.2"><graph defaultedgetype="undirected">
<nodes><node id="0" label="a"/><node id="1" label="b"/><node id="2" label="c"/></nodes>
<edges><edge id="0" source="0" target="1"/><edge id="1" source="1" target="2"/></edges></graph></gexf>"""
ALL = "0 1 2 3\n1 0 2 3\n2 0 1 3\n3 0 1 2\n"
D3 = {"nodes": [{"id": "a", "group": 1}, {"id": "b"}], "links": [{"source": "a", "target": "b", "value": 1}]}


@pytest.mark.parametrize(
    ("name", "content", "size", "message"),
    [
        # The names of these adjacency lists and METIS graphs suggest an edge list.
        ("colon.txt", "0: 1 3\n1: 0 2\n2: 1 3\n3: 2 0\n", (4, 0, 4), "read as adjacency list, because of its content"),
        ("once.txt", "0: 1 3\n1: 2\n2: 3\n3:\n", (4, 0, 4), "read as adjacency list, because of its content"),
        ("all.txt", ALL, (4, 0, 6), "read as adjacency list, because of its content"),
        ("ragged.edges", "a b c\nb a\nc a\n", (3, 0, 2), "read as adjacency list, because of its content"),
        ("ring.txt", "4 4\n2 4\n1 3\n2 4\n1 3\n", (4, 0, 4), "read as graph of METIS, because of its content"),
        ("weights.txt", "3 2 001\n2 7\n1 7 3 9\n2 9\n", (3, 0, 2), "read as graph of METIS, because of its content"),
        ("comma.adjlist", "a,b,c\nb,a,c\nc,a,b\n", (3, 0, 3), ""),
        # These files list cables.
        ("comma.txt", "0,1\n1,2\n2,0\n", (3, 0, 3), ""),
        ("blanks.txt", "0, 1\n1, 2\n2, 0\n", (3, 0, 3), ""),
        ("semicolon.edges", "0;1;5\n1;2;5\n", (3, 0, 2), "column '3' is ignored"),
        ("nx.edges", "0,1,{'weight': 2}\n1,2,{}\n", (3, 0, 2), "attribute 'weight' is ignored"),
        ("slashes.txt", "// cables\n0 1\n1 2\n", (3, 0, 2), ""),
        ("weighted.txt", "0 1 10\n1 2 10\n2 3 10\n3 0 10\n", (4, 0, 4), "column '3' is ignored"),
        # The first lines of these files state the numbers of switches or cables.
        ("n.txt", "3\n0 1\n1 2\n2 0\n", (3, 0, 3), "the first line, '3', is read as the number of switches"),
        ("one.txt", "3\n1 2\n2 3\n3 1\n", (3, 0, 3), "the first line, '3', is read as the number of switches"),
        ("lines.txt", "3\n3\n0 1\n1 2\n2 0\n", (3, 0, 3), "is read as the numbers of switches (3) and cables (3)"),
        ("comma-counts.txt", "3,2\n0,1\n1,2\n", (3, 0, 2), "is read as the numbers of switches (3) and cables (2)"),
        ("spare.txt", "0 1\n1 2\n7\n", (3, 0, 2), "1 switch without cables and endpoints is left out: '7'"),
        # These tables have other separators or column names.
        ("semicolon.csv", "source;target;rate\na;b;1Gbps\nb;c;\n", (3, 0, 2), ""),
        ("tab.tsv", "node1\tnode2\na b\tc\nc\td\n", (3, 0, 2), ""),
        ("tab.csv", "source\ttarget\na\tb\n", (2, 0, 1), ""),
        # The names of these files suggest another format, or no format.
        ("Spectrum-X_8g_4gps_400Gbps_A100", SIMAI, (3, 12, 0), "read as topology of HPCC, because of its content"),
        ("anynet_file", ANYNET, (3, 3, 3), "read as anynet of BookSim, because of its content"),
        ("c4.dat", "0 1 0 1\n1 0 1 0\n0 1 0 1\n1 0 1 0\n", (4, 0, 4), "read as adjacency matrix, because"),
        ("net.json", json.dumps(D3), (2, 0, 1), "read as JSON of networkx, because of its content"),
        ("gephi.xml", GEXF, (3, 0, 2), "read as GEXF, because of its content"),
        # The first HPCC file has switches with lower ids than hosts, and the second has Windows line ends.
        ("first.hpcc", "4 2 3\n0 1\n2 0 1Gbps 1us 0\n3 1 1Gbps 1us 0\n0 1 4Gbps 1us 0.0\n", (2, 2, 1), ""),
        ("crlf.hpcc", "3 1 2\r\n2\r\n0 2 1Gbps 1us 0\r\n1 2 1Gbps 1us 0\r\n", (1, 2, 0), ""),
        # These files are GraphML of yEd with groups, GML without labels, and GEXF of Gephi.
        ("groups.graphml", GROUPED, (4, 0, 3), "1 group of nodes is not read as a switch"),
        ("bare.gml", "graph [\n node [ id 5 ]\n node [ id 7 ]\n edge [ source 5 target 7 ]\n]\n", (2, 0, 1), ""),
        ("gephi.gexf", GEXF, (3, 0, 2), ""),
        # Pajek writes an empty list of arcs before the edges.
        ("both.net", '*Vertices 3\n1 "a"\n2 "b"\n3 "c"\n*Arcs\n*Edges\n1 2 1\n2 3 1\n', (3, 0, 2), ""),
        ("bare.net", "*vertices 3\n*edges\n1 2\n2 3\n", (3, 0, 2), ""),
        ("list.net", "*Vertices 4\n*Edgeslist\n1 2 3\n2 4\n", (4, 0, 3), ""),
        ("twice.net", '*Vertices 3\n1 "a"\n2 "a"\n3 "c"\n*Edges\n1 2\n2 3\n', (3, 0, 2), ""),
        ("relation.net", '*Network x\n*Vertices 2\n*Edges :1 "r"\n1 2 3.5\n', (2, 0, 1), "'weight' is ignored"),
        # In DOT files, edges can join groups of nodes, and labels can be HTML.
        ("group.dot", "graph { a -- {b c} -- d }", (4, 0, 4), ""),
        ("groups.dot", "graph { subgraph l {a b} -- subgraph {c; d} [cost=3] }", (4, 0, 4), ""),
        ("nested.dot", "graph { {a {b c}} -- d; d -- e:p1 -- {f} }", (6, 0, 5), ""),
        ("html.dot", "graph { a [label=<<b>x</b>>]; a -- b }", (2, 0, 1), "attribute 'label' is ignored"),
    ],
)  # fmt: skip
def test_other_forms(tmp_path: Path, name: str, content: str, size: tuple[int, int, int], message: str) -> None:
    check_read(tmp_path / name, content, size, message)


@pytest.mark.parametrize(
    ("name", "content", "extra", "message"),
    [
        ("arrow.txt", "0 -> 1\n1 -> 2\n", "", ":1:3: '->' is not a switch name; legal: two names per line"),
        ("dashes.txt", "a -- b\nb -- c\n", "", ":1:3: '--' is not a switch name"),
        ("tuples.txt", "(0, 1)\n(1, 2)\n", "", ":1:1: '(0,' begins or ends with a separator"),
        ("some.txt", "0, 1\n1 2\n", "", ":1:1: '0,' begins or ends with a separator"),
        ("adj.txt", "0 1 3\n1 2\n2 3\n3\n", "", "or 1; format=adjacency-list reads any number of neighbours per line"),
        ("n.txt", "n 3\nm 3\n0 1\n1 2\n2 0\n", "", "the file is a list of settings"),
        ("colon.txt", "Nodes: 4\nEdges: 3\n", "", "the file is a list of settings"),
        ("brite.txt", "Topology: ( 3 Nodes, 3 Edges )\n", "", "the file is a topology of BRITE"),
        ("snd.txt", "?SNDlib native format; type: network\n", "", "the file is a network of SNDlib"),
        ("all.txt", ALL, ",format=edge-list", "the file has the format adjacency list; legal: format=adjacency-list"),
        ("unknown.dat", "0 1\n1 2\n", "", "'.dat' is not a known extension"),
        ("groups.graphml", YED.replace("</graph>", '<node id="g"><graph edgedefault="directed"/></node></graph>'), "",
         "a directed graph; legal: directed=undirected"),
        ("x.net", "*Vertices 2\n*Edges\n1 7\n", "", "vertex '7' is unknown; legal: 1 to 2"),
        ("y.net", "*Vertices 99999999999\n*Edges\n1 7\n", "",
         "'99999999999' is not a legal number of vertices; legal: 1 to 65536"),
        ("m.net", "*Vertices 2\n*Matrix\n0 1\n1\n", "", "row 2 has 1 value; legal: 2 rows of 2 values"),
        ("open.dot", "graph { a [label=<<b>x] -- b }", "", "an unterminated HTML text; legal: <…>"),
        ("mixed.dot", "graph { {a b} -> c }", "", "'c'; legal: -- in this kind of graph"),
    ],
)  # fmt: skip
def test_what_is_no_such_form_is_refused(tmp_path: Path, name: str, content: str, extra: str, message: str) -> None:
    with pytest.raises(tulle.FormatError, match=rf"{name}:\d+:\d+: ") as caught:
        read(tmp_path / name, content, extra)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_file_without_an_extension_is_missing(tulle: Cli) -> None:
    printed = tulle("fabric", "file:edges=absent")
    assert (printed.returncode, printed.stderr) == (2, "tulle: absent: No such file or directory\n")


def test_groups_of_dot_join_all_their_nodes(tmp_path: Path) -> None:
    fabric = read(tmp_path / "x.dot", "graph { a -- {b {c a2}} [rate=1Gbps]; {b} -- subgraph s {d} -- e }")
    assert pairs(fabric) == [("a", "a2"), ("a", "b"), ("a", "c"), ("b", "d"), ("d", "e")]
    assert sorted(fabric.link_rate.tolist()) == [-1] * 4 + [10**9] * 6
    # Deeply nested groups must not overflow the stack, and a short file with very many edges must not exhaust memory.
    deep = "{" * 100_000 + "a" + "}" * 100_000
    assert sizes(read(tmp_path / "x.dot", f"graph {{ {deep} -- b }}")) == (2, 0, 1)
    many = "{" + " ".join(f"n{node}" for node in range(2100)) + "}"
    with pytest.raises(tulle.FormatError, match="too many edges; legal: at most 4194304"):
        read(tmp_path / "x.dot", f"graph {{ {many} -- {many} }}")


def test_arcs_and_edges_of_pajek_are_a_directed_graph(tmp_path: Path) -> None:
    content = "*Vertices 3\n*Arcs\n1 2\n*Edges\n2 3\n"
    with pytest.raises(tulle.FormatError, match="a directed graph; legal: directed=undirected"):
        read(tmp_path / "x.net", content)
    assert sizes(read(tmp_path / "x.net", content, ",directed=undirected")) == (3, 0, 2)


@pytest.mark.parametrize("name", ["x.gml", "x.gexf", "x.net", "x.dot", "x.graphml"])
def test_costs_of_links(tmp_path: Path, name: str) -> None:
    """Check link costs in five formats that have attributes of edges."""
    graph = networkx.Graph()
    graph.add_edge("a", "b", cost=7)
    graph.add_edge("b", "c", cost=2, rate="10Gbps")
    graph.add_edge("a", "c")
    if name == "x.dot":
        lines = [
            f"{a} -- {b} [{', '.join(f'{key}={value}' for key, value in message.items())}]"
            for a, b, message in graph.edges(data=True)
        ]
        (tmp_path / name).write_text("graph { " + "; ".join(lines) + " }")
    elif name == "x.net":
        # networkx's Pajek writer accepts only strings.
        for *_, message in graph.edges(data=True):
            message.update({key: str(value) for key, value in message.items()})
        networkx.write_pajek(graph, tmp_path / name)
    else:
        getattr(networkx, f"write_{name.removeprefix('x.')}")(graph, tmp_path / name)
    fabric = tulle.Fabric(f"file:edges={tmp_path / name}")
    costs = {
        (fabric.labels[a], fabric.labels[b]): cost
        for (a, b), cost in zip(fabric.channels.tolist(), fabric.link_cost.tolist(), strict=True)
    }
    both = {("a", "b"): 7, ("b", "c"): 2, ("a", "c"): -1}
    assert costs == {**both, **{(b, a): cost for (a, b), cost in both.items()}}
    assert fabric.warnings == ()


def test_costs_of_the_links_of_endpoints_in_dot_are_none(tmp_path: Path) -> None:
    fabric = read(tmp_path / "x.dot", "graph { h [endpoint=0]; a -- b [cost=3]; a -- h [cost=5, rate=1Gbps] }")
    assert fabric.link_cost.tolist() == [3, 3]
    assert fabric.endpoint_rate.tolist() == [10**9]


def test_flows_name_the_servers_of_a_topology(tulle: Cli, tmp_path: Path) -> None:
    """Check the ports of flows between servers: the flows of a server with several ports alternate between these ports.

    Endpoints are in the order of server ids, also if switches have lower ids than servers.
    """
    (tmp_path / "dual.hpcc").write_text(DUAL)
    (tmp_path / "flows.txt").write_text("3\n0 1 3 100 1000 0\n0 1 3 100 1000 0\n1 0 3 100 2000 0\n")
    load = tulle_traffic(tmp_path / "dual.hpcc", tmp_path / "flows.txt")
    # Endpoints 0 to 3 have the names 0:0, 0:1, 1:0 and 1:1.
    assert (load.source.tolist(), load.destination.tolist()) == ([0, 1, 2], [2, 3, 0])
    (tmp_path / "first.hpcc").write_text("4 2 3\n0 1\n2 0 1Gbps 1us 0\n3 1 1Gbps 1us 0\n0 1 4Gbps 1us 0\n")
    (tmp_path / "flows.txt").write_text("1\n3 2 3 100 1000 0\n")
    load = tulle_traffic(tmp_path / "first.hpcc", tmp_path / "flows.txt")
    assert (load.source.tolist(), load.destination.tolist()) == ([1], [0])
    (tmp_path / "flows.txt").write_text("1\n0 2 3 100 1000 0\n")
    printed = tulle("simulate", "file:edges=first.hpcc", "--traffic", "hpcc:file=flows.txt")
    assert printed.returncode == 2
    assert (
        "flows.txt:2: node 0 is not an endpoint; legal: the number in the name of an endpoint, up to 3"
        in printed.stderr
    )


def tulle_traffic(topology: Path, flows: Path) -> tulle.Workload:
    return tulle.traffic(tulle.Fabric(f"file:edges={topology}"), f"hpcc:file={flows}")


def test_anynet_is_written_with_latencies(tulle: Cli, tmp_path: Path) -> None:
    fabric = tulle_fabric("all:latency=30ns")
    fabric.write(tmp_path / "x.anynet")
    assert (tmp_path / "x.anynet").read_text() == (
        "router 0 node 0 router 1 30 router 2 30\nrouter 1 node 1 router 0 30 router 2 30\n"
        "router 2 node 2 router 0 30 router 1 30\n"
    )
    assert tulle_again(tmp_path / "x.anynet").link_latency.tolist() == [30_000] * 6
    # The two directions of a cable have different latencies.
    (tmp_path / "y.anynet").write_text("router 0 node 0 router 1 7\nrouter 1 node 1 router 0\n")
    tulle_again(tmp_path / "y.anynet").write(tmp_path / "z.anynet")
    assert (tmp_path / "z.anynet").read_text() == "router 0 node 0 router 1 7\nrouter 1 node 1 router 0 1\n"
    # tulle leaves out properties that BookSim cannot represent, and prints a note.
    for latency in ("1500ps", "20us"):
        printed = tulle("fabric", "clique:degree=2", "--link", f"all:latency={latency}", "--write", "w.anynet")
        assert re.search(
            r"^tulle: w.anynet: latencies are left out: they are not whole cycles of 1 ns", printed.stderr, re.M
        )
        assert "router 1 router" in (tmp_path / "w.anynet").read_text()
    printed = tulle("fabric", "clique:degree=2", "--write", "w.anynet")
    assert "latencies" not in printed.stderr


def tulle_fabric(*links: str) -> tulle.Fabric:
    return tulle.Fabric("clique:degree=2,p=1", links=list(links))


def tulle_again(path: Path) -> tulle.Fabric:
    return tulle.Fabric(f"file:edges={path}")


def test_names_in_written_tables_are_no_formulas(tmp_path: Path) -> None:
    """Check that tulle escapes names that a spreadsheet would execute, and reads them back unchanged."""
    names = sorted(["=cmd|'/C calc'!A0", "@x", "leaf\u202e1", "'=quoted", "a\\u202eb", "-rack"])
    fabric = tulle.Fabric.from_edges(
        [[0, 1], [1, 2], [2, 3], [3, 4], [4, 5]], endpoint_switch=[0, 5], labels=names,
        properties={"endpoint_names": ["+host", "@host"], "roles": ["=role"] * 6},
    )  # fmt: skip
    edges, nodes = fabric.write(tmp_path / "x.csv")
    for path in (edges, nodes):
        text = path.read_text(encoding="utf-8")
        assert "\u202e" not in text
        cells = [cell.strip('"') for line in text.splitlines() for cell in line.split(",")]
        assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))]
    again = tulle.Fabric(f"file:edges={edges},nodes={nodes}")
    assert again.labels == tuple(names)
    assert again.endpoint_names == ("+host", "@host")
    assert set(again.roles) == {"=role"}
    assert again.edges.tolist() == fabric.edges.tolist()


WEIGHTS = [[0, 10, 0, 5], [10, 0, 3, 0], [0, 3, 0, 2], [5, 0, 2, 0]]
BITS = [[min(value, 1) for value in row] for row in WEIGHTS]


def rows(matrix: list[list[int]], separator: str, form: str = "d", names: str = "") -> str:
    """Return the matrix as text; if `names` is not empty, the names are the first row and the first column."""
    head = separator.join(["", *names]) + "\n" if names else ""
    beside = [f"{name}{separator}" for name in names] or [""] * len(matrix)
    lines = [
        before + separator.join(format(value, form) for value in row)
        for before, row in zip(beside, matrix, strict=True)
    ]
    return head + "\n".join(lines) + "\n"


@pytest.mark.parametrize("name", ["x.txt", "x.edges", "x.csv", "x.dat"])
@pytest.mark.parametrize(("separator", "form"), [(" ", "d"), (" ", ".18e"), (",", "d"), (",", ".1f")])
@pytest.mark.parametrize("names", ["", "abcd", "wxyz"])
def test_matrices_of_numbers(tmp_path: Path, name: str, separator: str, form: str, names: str) -> None:
    """Check that matrices of 0 and 1 can have any number format, and that other entries give a one-line error."""
    fabric = read(tmp_path / name, rows(BITS, separator, form, names))
    assert fabric.labels == tuple(names or "0123")
    assert pairs(fabric) == [
        tuple(names[at] if names else str(at) for at in pair) for pair in ((0, 1), (0, 3), (1, 2), (2, 3))
    ]
    with pytest.raises(
        tulle.FormatError, match=r":\d+:\d+: '1[^']*' in the adjacency matrix; legal: 0 or 1 .a list "
    ) as caught:
        read(tmp_path / name, rows(WEIGHTS, separator, form, names))
    assert "\n" not in str(caught.value)


def test_tables_and_lists_that_are_no_matrices(tmp_path: Path) -> None:
    # A table whose first row and first column have the same names is a matrix.
    for content in (",a,b\na,0,2\nb,2,0\n", "node,a,b,c\na,0,,7\nb,1,0,2\nc,0,9,0\n"):
        with pytest.raises(tulle.FormatError, match="in the adjacency matrix; legal: 0 or 1"):
            read(tmp_path / "x.csv", content)
    # Three rows with three numbers each could be a matrix, but these files are edge lists with weights.
    for content in ("source target weight\n0 1 5\n1 0 7\n5 7 0\n", "source target weight\n0 1 5\n1 2 7\n2 0 5\n"):
        assert read(tmp_path / "x.txt", content).num_cables >= 2
    assert sizes(read(tmp_path / "x.csv", ",source,target\n0,0,1\n1,1,2\n")) == (3, 0, 2)
    assert sizes(read(tmp_path / "x.txt", "0 1 5\n1 2 5\n2 0 5\n")) == (3, 0, 3)
    # The rows could be a symmetric matrix, but this file is an adjacency list.
    assert sizes(read(tmp_path / "x.txt", "0 1 2 3\n1 0 3 2\n2 3 0 1\n3 2 1 0\n")) == (4, 0, 6)


def test_the_largest_component_with_servers_of_several_ports(tmp_path: Path) -> None:
    dot = "graph { h0 [endpoint=0]; h1 [endpoint=1]; h0:p -- a; h0:q -- b; a -- b -- e; h1 -- c; h1 -- d; c -- d }"
    fabric = read(tmp_path / "x.dot", dot, ",component=largest")
    assert sizes(fabric) == (3, 2, 2)
    assert fabric.endpoint_names == ("h0:p", "h0:q")
    assert fabric.properties["host_ports"] == ["p", "q"]
    # In this graph, the component of c, d, f and g is the largest one.
    dot = dot.replace("c -- d", "c -- d -- f -- g")
    fabric = read(tmp_path / "x.dot", dot, ",component=largest")
    assert (sizes(fabric), fabric.endpoint_names) == ((4, 2, 3), ("h1:0", "h1:1"))
    assert fabric.properties["host_ports"] == ["0", "1"]


@pytest.mark.parametrize(
    "name", ["x.gml", "x.gexf", "x.net", "x.g6", "x.s6", "x.madj", "x.node-link.json", "x.json", "x.graphml"]
)
def test_endpoints_of_files_without_any(tmp_path: Path, name: str) -> None:
    ring = networkx.cycle_graph(4)
    path = tmp_path / name
    writers = {
        "x.net": networkx.write_pajek, "x.g6": networkx.write_graph6, "x.s6": networkx.write_sparse6,
        "x.madj": networkx.write_multiline_adjlist, "x.gml": networkx.write_gml, "x.gexf": networkx.write_gexf,
    }  # fmt: skip
    if name in writers:
        writers[name](ring, path)
    else:
        tulle.Fabric.from_networkx(ring).write(path)
    (tmp_path / "n.csv").write_text("node,switch\nh1,0\nh2,2\n")
    bare = f"file:edges={path}"
    assert sizes(tulle.Fabric(bare)) == (4, 0, 4)
    assert sizes(tulle.Fabric(f"{bare},p=0")) == (4, 0, 4)
    assert sizes(tulle.Fabric(f"{bare},p=2")) == (4, 8, 4)
    fabric = tulle.Fabric(f"{bare},nodes={tmp_path / 'n.csv'}")
    assert (sizes(fabric), fabric.endpoint_names) == ((4, 2, 4), ("h1", "h2"))
    assert fabric.endpoint_switch.tolist() == [0, 2]
    with pytest.raises(tulle.SpecError, match="cannot be given together"):
        tulle.Fabric(f"{bare},p=1,nodes={tmp_path / 'n.csv'}")


def test_a_nodes_file_with_a_switch_without_coordinates(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    tulle.Fabric("hyperx:shape=2x2,p=0").write(path)
    (tmp_path / "n.csv").write_text("node,switch\n,new\nh1,new\n")
    with pytest.raises(tulle.FormatError, match="switch 'new' has no coordinates, because it is not in the graph file"):
        tulle.Fabric(f"file:edges={path},nodes={tmp_path / 'n.csv'}")


def test_multiline_adjacency_of_both_directions(tmp_path: Path) -> None:
    networkx.write_multiline_adjlist(PETERSEN.to_directed(), tmp_path / "x.madj")
    fabric = tulle.Fabric(f"file:edges={tmp_path / 'x.madj'}")
    assert sizes(fabric) == (10, 0, 15)
    message = (
        f"{tmp_path / 'x.madj'}: 15 cables are listed twice (as 'a b' and 'b a'); each is read as one cable, "
        "or with both=parallel as two"
    )
    assert fabric.warnings == (message,)
    assert tulle.Fabric(f"file:edges={tmp_path / 'x.madj'},both=parallel").num_cables == 30


def test_hosts_of_ptm_are_counted(tulle: Cli, tmp_path: Path) -> None:
    content = """graph "pod" {
        "s1" [function="Host"]; h [function="host", endpoint=0];
        "l1" [function="leaf"]; "l2" [function=leaf]; "sp" [function=spine]; st [function="storage switch"];
        "s1":"eth0" -- "l1":"swp1"; "s1":"eth1" -- "l2":"swp1"; l1:swp2 -- sp:swp1; l2:swp2 -- sp:swp2;
        st -- sp; h -- st }"""
    fabric = read(tmp_path / "x.dot", content)
    message = "1 node with the function of a host is read as a switch; 'tulle import topo' reads it as an endpoint"
    assert f"{tmp_path / 'x.dot'}: {message}" in fabric.warnings
    assert sizes(fabric) == (5, 1, 5)
    printed = tulle("import", "topo", "x.dot", "-o", "x.json")
    assert (printed.returncode, "tulle import topo" in printed.stderr) == (0, False)
    assert sizes(tulle_again(tmp_path / "x.json")) == (4, 3, 3)
    fabric = read(tmp_path / "x.dot", "graph { a [function=server]; b [function=host]; a -- s -- b }")
    message = "2 nodes with the function of a host are read as switches; 'tulle import topo' reads them as endpoints"
    assert fabric.warnings == (f"{tmp_path / 'x.dot'}: {message}",)
    fabric = read(tmp_path / "x.dot", "graph { a [role=server]; a -- s }")
    assert fabric.warnings == ()


def test_counts_with_a_third_number(tmp_path: Path) -> None:
    fabric = read(tmp_path / "x.txt", "5 6 1\n0 1 7\n1 2 7\n2 3 7\n3 4 7\n4 0 7\n0 2 7\n")
    assert sizes(fabric) == (5, 0, 6)
    assert any(
        "the first line, '5 6 1', is read as the numbers of switches (5)" in message for message in fabric.warnings
    )
    # The first line of the next file does not match the number of cables, so it counts as a cable. In the last two
    # files, the first line names its counts, for example n=5.
    assert sizes(read(tmp_path / "x.txt", "5 6 1\n0 1 7\n1 2 7\n")) == (5, 0, 3)
    for head in ("n=5 m=6", "nodes=5, edges=6"):
        with pytest.raises(tulle.FormatError, match="the file is a list of settings, not a list of cables"):
            read(tmp_path / "x.txt", f"{head}\n0 1\n1 2\n")


def test_units_in_json_of_networkx(tmp_path: Path) -> None:
    graph = networkx.Graph()
    graph.add_edge("a", "b", latency="10ns", rate="1Gbps", length="2m", cost=3)
    graph.add_edge("b", "c", latency="20ns", medium="copper")
    path = tmp_path / "x.json"
    path.write_text(json.dumps(networkx.node_link_data(graph, edges="links")))
    fabric = tulle.Fabric(f"file:edges={path}")
    assert sorted(fabric.link_latency.tolist()) == [10_000, 10_000, 20_000, 20_000]
    assert sorted(fabric.link_rate.tolist()) == [-1, -1, 10**9, 10**9]
    warning = "read as JSON of networkx, because of its content; format= selects another format"
    assert fabric.warnings == (f"{path}: {warning}",)
    # A latency without a unit is an error if another latency has a unit.
    graph["b"]["c"]["latency"] = 10
    path.write_text(json.dumps(networkx.node_link_data(graph, edges="edges")))
    with pytest.raises(tulle.FormatError, match=r":1:\d+: latency '10' has no unit; did you mean 10us or 10ns\?"):
        tulle.Fabric(f"file:edges={path}")
    # If no latency has a unit, tulle ignores latencies, but reads the file's other attributes.
    graph["a"]["b"]["latency"] = 10
    path.write_text(json.dumps(networkx.node_link_data(graph, edges="edges")))
    fabric = tulle.Fabric(f"file:edges={path}")
    assert fabric.link_latency is None or set(fabric.link_latency.tolist()) == {-1}
    assert f"{path}: attribute 'latency' is ignored: numbers without a unit" in fabric.warnings
    assert sorted(fabric.link_rate.tolist()) == [-1, -1, 10**9, 10**9]
    # If tulle wrote the file, numbers have tulle's units. A string has the unit that it contains.
    data = networkx.node_link_data(tulle_fabric("all:latency=30ns").to_networkx(), edges="edges")
    data["edges"][0]["latency"] = "5ns"
    path.write_text(json.dumps(data))
    assert sorted(set(tulle.Fabric(f"file:edges={path}").link_latency.tolist())) == [5_000, 30_000]
    data["edges"][0]["latency"] = "fast"
    path.write_text(json.dumps(data))
    with pytest.raises(tulle.FormatError, match="latency 'fast' is not a"):
        tulle.Fabric(f"file:edges={path}")


@pytest.mark.parametrize("name", ["x.json", "x.node-link.json", "x.txt"])
@pytest.mark.parametrize("kind", ["adjacency", "cytoscape"])
def test_other_json_of_networkx_is_refused_by_name(tmp_path: Path, name: str, kind: str) -> None:
    data = getattr(networkx, f"{kind}_data")(networkx.path_graph(3))
    message = (
        f"the file is JSON of networkx.{kind}_data, which tulle does not read; legal: JSON of networkx.node_link_data"
    )
    with pytest.raises(tulle.FormatError, match=message):
        read(tmp_path / name, json.dumps(data))
