"""Check graph files of other tools: tulle reads the right graph, or prints a one-line error that names the file."""

from __future__ import annotations

import json
import pickle
import re
from typing import TYPE_CHECKING, Literal

import networkx
import numpy as np
import pytest
from hypothesis import HealthCheck, settings

import tulle

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

SETTINGS = settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
PETERSEN = networkx.petersen_graph()
SNAP = """# Undirected graph: each pair twice
# Nodes: 4 Edges: 8
# FromNodeId\tToNodeId
0\t1
1\t0
1\t2
2\t1
2\t3
3\t2
3\t0
0\t3
"""
NETBENCH = """# three switches in a ring
|V|=3
|E|=6
ToRs=set(0,1,2)
Servers=set(0,1,2)
Switches=set()

# Links
0 1
1 0
1 2
2 1
2 0
0 2
"""
HTSIM = """Nodes 4
Tiers 2
Podsize 4
Tier 0
Radix_Down 2
Radix_Up 1
Tier 1
Radix_Down 2
"""
DUAL = """6 4 8
2 3 4 5
0 2 25Gbps 1us 0
0 3 25Gbps 1us 0
1 4 25Gbps 1us 0
1 5 25Gbps 1us 0
2 4 100Gbps 1us 0
3 5 100Gbps 1us 0
2 3 100Gbps 1us 0
4 5 100Gbps 1us 0
"""
MATRIX = "0 1 0 1\n1 0 1 0\n0 1 0 1\n1 0 1 0\n"
RING = "\n0 1\n1 2\n2 3\n3 4\n4 0\n"
YED = (
    '<graphml><graph edgedefault="directed"><node id="n0"/><node id="n1"/><node id="n2"/>'
    '<edge source="n0" target="n1"/><edge source="n1" target="n2"/><edge source="n2" target="n0"/></graph></graphml>'
)
# The reverse of each edge of `YED`, and one of them once more.
UNEQUAL = "".join(f'<edge source="n{a}" target="n{b}"/>' for a, b in [(1, 0), (2, 1), (0, 2), (0, 2)])


def read(path: Path, content: str | bytes, extra: str = "") -> tulle.Fabric:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return tulle.Fabric(f"file:edges={path}{extra}")


def check_read(path: Path, content: str, size: tuple[int, int, int], message: str) -> None:
    """Check a graph's size, and that a warning contains `message`; if `message` is empty, there must be no warning."""
    fabric = read(path, content)
    assert sizes(fabric) == size
    assert any(message in warning for warning in fabric.warnings) if message else fabric.warnings == ()


def sizes(fabric: tulle.Fabric) -> tuple[int, int, int]:
    return fabric.num_switches, fabric.num_endpoints, fabric.num_cables


def pairs(fabric: tulle.Fabric) -> list[tuple[str, str]]:
    """Return the cables as pairs of switch names."""
    return sorted(tuple(sorted((fabric.labels[a], fabric.labels[b]))) for a, b in fabric.edges.tolist())


@pytest.mark.parametrize(
    ("name", "content", "size", "message"),
    [
        ("as.txt", SNAP, (4, 0, 4), "4 cables are listed twice (as 'a b' and 'b a'); each is read as one cable, or"),
        ("ring.edges", "0 1\n1 0\n1 2\n2 1\n2 0\n0 2\n", (3, 0, 3), "3 cables are listed twice (as 'a b' and 'b a')"),
        ("some.edges", "0 1\n1 0\n1 2\n", (3, 0, 3), "1 pair of switches is listed in both orders; both entries"),
        ("tri.topology", NETBENCH, (3, 3, 3), ""),
        ("tri.txt", NETBENCH, (3, 3, 3), "read as topology of netbench, because of its content"),
        ("ls.topo", HTSIM, (3, 4, 2), ""),
        ("ls.txt", HTSIM, (3, 4, 2), "read as topology of htsim, because of its content"),
        ("nm.edges", f"5 6{RING}0 2\n", (5, 0, 6), "the first line, '5 6', is read as the numbers of switches (5)"),
        ("nm2.edges", f"5 5{RING}", (5, 0, 5), "is read as the numbers of switches"),
        ("one.edges", "4 3\n1 2 7\n2 3 7\n3 4 7\n", (4, 0, 3), "is read as the numbers of switches"),
        ("twice.edges", "3 2\n0 1\n1 0\n1 2\n2 1\n", (3, 0, 2), "is read as the numbers of switches"),
        ("spare.edges", "4 2\n0 1\n1 2\n", (3, 0, 2), "1 switch without cables and endpoints is left out: '3'"),
        ("c4.txt", MATRIX, (4, 0, 4), "read as adjacency matrix, because of its content"),
        ("c4.csv", MATRIX.replace(" ", ","), (4, 0, 4), "read as adjacency matrix, because of its content"),
        ("named.csv", ",x,y,z\nx,0,1,0\ny,1,0,1\nz,0,1,0\n", (3, 0, 2), "read as adjacency matrix"),
        ("upper.mat", "0 1 1\n0 0 1\n0 0 0\n", (3, 0, 3), ""),
        ("loop.mat", "1 1\n1 0\n", (2, 0, 1), "1 cable from a switch to itself is left out"),
        ("loop.edges", "0 1\n1 1\n2 2\n1 2\n", (3, 0, 2), "2 cables from a switch to itself are left out"),
        ("loop.csv", "a,b\n0,1\n1,1\n", (2, 0, 1), "1 cable from a switch to itself is left out"),
        ("loop.dot", "graph { a -- b; b -- b }", (2, 0, 1), "1 cable from a switch to itself is left out"),
        ("loop.adj", "2 1\n1 0 \n0 \n", (2, 0, 1), "1 cable from a switch to itself is left out"),
        ("loop.anynet", "router 0 router 0 router 1\n", (2, 0, 1), "1 cable from a switch to itself is left out"),
        ("konect.txt", "% sym unweighted\n1 2\n2 3\n", (3, 0, 2), ""),
        ("end.hpcc", "3 1 2\n2\n0 2 25Gbps 1us 0\n1 2 25Gbps 1us 0\n\nFirst: counts\n", (1, 2, 0), "the text after"),
        ("wrap.hpcc", "3 1\n2 2 0 2\n25Gbps 1us 0 1 2 25Gbps 1us 0", (1, 2, 0), ""),
        ("dgx.hpcc", "3 0 2\n\n0 1 200Gbps 0.005ms 0\n1 2 400Gbps 5us 0\n", (3, 3, 2), "each of the 3 servers"),
        ("dual.hpcc", DUAL, (4, 4, 4), "2 servers have several ports: each port is an endpoint, called server:port"),
        ("net.txt", DUAL, (4, 4, 4), "read as topology of HPCC, because of its content"),
        ("simai.hpcc", "4 2 1 1 4 H100\n2 3\n0 2 2400Gbps 25ns 0\n1 2 2400Gbps 25ns 0\n0 3 400Gbps 1us 0\n"
         "1 3 400Gbps 1us 0\n", (2, 4, 0), "2 servers have several ports"),
        ("adj.adjlist", "a: b, c\nb: a, c\nc: a, b\n", (3, 0, 3), ""),
        ("w.edges", "0 1 2\n1 2 2\n", (3, 0, 2), "column '3' is ignored"),
        ("g.graph", "% METIS\n3 2 001\n2 7\n1 7 3 9\n2 9\n", (3, 0, 2), "weights are ignored"),
    ],
)  # fmt: skip
def test_files_of_other_tools(
    tmp_path: Path, name: str, content: str, size: tuple[int, int, int], message: str
) -> None:
    check_read(tmp_path / name, content, size, message)


@pytest.mark.parametrize(
    ("name", "content", "extra", "message"),
    [
        ("tri.txt", NETBENCH, ",format=edge-list", "the file has the format topology of netbench; legal: "),
        ("s.txt", "Nodes 16\nEdges 4\n", "", "the file is a list of settings, not a list of cables"),
        ("s.edges", "# x\nServers=4\nTiers=2\n", "", "the file is a list of settings"),
        ("x.txt", "Nodes 2\nConnections 1\n0->1 id 1 start 0 size 2000\n", "", "a connection matrix of htsim"),
        ("d.txt", "c x\np edge 2 1\ne 1 2\n", "", "a graph of DIMACS"),
        ("j.txt", '{"hosts": 4}', "", "the file is JSON"),
        ("short.edges", "5 6\n0 1\n1 2\n2 3\n3 4\n", "", "looks like 5 switches and 6 cables, but 4 cables follow"),
        ("d.graphml", YED, "", "a directed graph; legal: directed=undirected, which reads every edge as a cable"),
        ("mixed.graphml", YED.replace("</graph>", '<edge source="n1" target="n0"/></graph>'), ",directed=undirected",
         "1 of 3 connected pairs of switches are listed in both orders (a b and b a), the others in one order only"),
        ("more.graphml", YED.replace("</graph>", UNEQUAL + "</graph>"), ",directed=undirected",
         "3 of 3 connected pairs of switches are listed in both orders (a b and b a), but not equally often in both"),
        ("w.mat", "0 2 0\n2 0 1\n0 1 0\n", "", "'2' in the adjacency matrix; legal: 0 or 1 (a list of cables"),
        ("cut.mat", "0 1 0\n1 0 0\n", "", "the row has 3 entries; legal: 2"),
        ("d.mat", "0 1 1\n0 0 0\n0 1 0\n", "", "a directed graph; legal: directed=undirected"),
        ("x.hpcc", "5 2 1\n3 4\n0 3 25Gbps\n", "", "the file ends before the delay of a link"),
        ("x.topo", HTSIM.replace("Radix_Down 2\nRadix_Up 1", "Radix_Down 3\nRadix_Up 1"), "", "Radix_Down of tier 0"),
        ("ib.topo", "MTS3600 S-1\n   P1 -4x-10G-> MT23108 H-1 P1\n", "", "'MTS3600'; legal: Nodes, Tiers or Podsize"),
        ("x.topology", "|V|=2\n|E|=1\nServers=set(0,1)\n0 9\n", "", "node 9 in a network of 2 nodes; legal: 0 to 1"),
        ("v.topology", "|V|=4\n|E|=2\nSwitches=set(0,1)\n0 1\n1 0\n", "", "node 2 is missing; legal: all 4 nodes"),
        ("x.metis", "3 2\n2\n1 3\n1\n", "", "legal: equally often"),
        ("x.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 3 1\n1 2\n", "", "2 rows and 3 columns"),
        ("x.net", "*Vertices 2\n*Partition\n1\n2\n", "", "'*partition' of Pajek is not read"),
        ("x.s6", ":~~zzzzzz\n", "", "nodes are too many for a file of 9 bytes; legal: at most 65536"),
        ("x.g6", "A_\nA_\n", "", "2 graphs in the file; legal: one"),
        ("x.gml", "graph [\n", "", "networkx cannot read this as gml"),
        ("bare.edges", "a\nb\n", "", "no switch has a cable or an endpoint; legal: one or more cables or endpoints"),
    ],
)  # fmt: skip
def test_what_is_no_such_graph_is_refused(tmp_path: Path, name: str, content: str, extra: str, message: str) -> None:
    with pytest.raises(tulle.FormatError, match=rf"{name}:\d+:\d+: .*{re.escape(message)}") as caught:
        read(tmp_path / name, content, extra)
    assert "\n" not in str(caught.value)


def test_pairs_in_both_orders(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    both = "a,b,rate,source_port,target_port\n0,1,1Gbps,p,q\n0,1,2Gbps,r,s\n1,0,3Gbps,s,r\n1,0,4Gbps,q,p\n"
    fabric = read(path, both)
    assert fabric.properties["ports"] == [("p", "q"), ("r", "s")]
    assert fabric.link_rate.tolist() == [10**9, 2 * 10**9, 4 * 10**9, 3 * 10**9]
    assert read(path, both, ",both=parallel").num_cables == 4
    assert sizes(read(path, "a,b\n0,1\n1,0\n1,2\n", ",both=merge")) == (3, 0, 2)
    assert sizes(read(tmp_path / "d.graphml", YED, ",directed=undirected")) == (3, 0, 3)
    assert sizes(read(tmp_path / "d.dot", "digraph { a -> b -> c -> a }", ",directed=undirected")) == (3, 0, 3)
    with pytest.raises(tulle.SpecError, match="both=twice is not a choice; legal: merge, parallel"):
        read(path, both, ",both=twice")


def test_snap_carries_half_of_what_parallel_cables_would(tulle: Cli, tmp_path: Path) -> None:
    (tmp_path / "as.txt").write_text(SNAP)
    printed = tulle("throughput", "file:edges=as.txt,p=1", "all-to-all", "--json")
    assert json.loads(printed.stdout)["lower"] == pytest.approx(1.5)
    assert "4 cables are listed twice (as 'a b' and 'b a')" in printed.stderr


def test_servers_with_several_ports_have_an_endpoint_each(tmp_path: Path) -> None:
    fabric = read(tmp_path / "x.hpcc", DUAL)
    assert fabric.endpoint_names == ("0:0", "0:1", "1:0", "1:1")
    assert fabric.endpoint_switch.tolist() == [0, 1, 2, 3]
    assert set(fabric.endpoint_rate.tolist()) == {25 * 10**9}
    (tmp_path / "n.csv").write_text("node,switch,port,rate\nh,1,p9,1Gbps\nh,0,p8,2Gbps\ng,0,p7,\n")
    fabric = read(tmp_path / "x.csv", "a,b\n0,1\n", f",nodes={tmp_path / 'n.csv'}")
    assert (fabric.endpoint_names, fabric.endpoint_ports) == (("g", "h:0", "h:1"), ("p7", "p9", "p8"))
    assert fabric.endpoint_switch.tolist() == [0, 1, 0]
    assert fabric.warnings[0].endswith("1 node has several ports: each port is an endpoint, called node:port")
    fabric = read(
        tmp_path / "x.dot", 'graph { h [endpoint=0]; a -- b; "a":"p1" -- "h":"eth0"; "b":"p2" -- "h":"eth1" }'
    )
    assert (fabric.endpoint_names, fabric.endpoint_ports) == (("h:eth0", "h:eth1"), ("p1", "p2"))
    netbench = "|V|=4\n|E|=6\nServers=set(2,3)\nToRs=set(0,1)\nSwitches=set()\n0 1\n1 0\n2 0\n0 2\n3 1\n1 3\n"
    fabric = read(tmp_path / "x.topology", netbench)
    assert (sizes(fabric), fabric.endpoint_switch.tolist()) == ((2, 2, 1), [0, 1])


def test_fat_trees_of_htsim(tmp_path: Path) -> None:
    """Check a three-tier fat tree of csg-htsim, whose pods connect to the core by bundles of parallel cables."""
    content = """Nodes 16
Tiers 3
Podsize 8
Tier 0
Radix_Down 4
Radix_Up 2
Oversubscribed 2
Downlink_speed_Gbps 100
Downlink_Latency_ns 1000
Switch_Latency_ns 200
Queue_Down 100
Tier 1
Radix_Down 2
Radix_Up 2
Downlink_speed_Gbps 100
Downlink_Latency_ns 500
Switch_Latency_ns 100
Tier 2
Radix_Down 4
Bundle 2
Downlink_speed_Gbps 200
Downlink_Latency_ns 300
"""
    fabric = read(tmp_path / "x.topo", content)
    # Each pod has 2 ToR and 2 aggregation switches. In each pod, the first aggregation switch has 2 cables to the first
    # core switch, and the second has 2 cables to the second.
    assert sizes(fabric) == (4 + 4 + 2, 16, 8 + 8)
    assert fabric.levels.tolist() == [0] * 4 + [1] * 4 + [2] * 2
    cables = [(0, 4), (0, 5), (1, 4), (1, 5), (2, 6), (2, 7), (3, 6), (3, 7)]
    cables += [(4, 8), (4, 8), (5, 9), (5, 9), (6, 8), (6, 8), (7, 9), (7, 9)]
    assert [tuple(cable) for cable in fabric.edges.tolist()] == cables
    assert fabric.endpoint_switch.tolist() == [host // 4 for host in range(16)]
    latency = dict(zip(map(tuple, fabric.channels.tolist()), fabric.link_latency.tolist(), strict=True))
    rate = dict(zip(map(tuple, fabric.channels.tolist()), fabric.link_rate.tolist(), strict=True))
    assert (latency[0, 4], latency[4, 8], rate[0, 4], rate[4, 8]) == (650_000, 350_000, 10**11, 2 * 10**11)
    assert set(fabric.endpoint_latency.tolist()) == {1_100_000}
    # A cable's latency includes half of the switch latency at each of its two ends. So the latency of a path through a
    # core switch includes two ToR switches and two aggregation switches.
    whole = 2 * (1_100_000 + latency[0, 4] + latency[4, 8])
    assert whole == 1000 * (2 * (1000 + 500 + 300) + 2 * (200 + 100))
    assert [warning.rsplit(": ", 1)[1] for warning in fabric.warnings] == ["setting 'Queue_Down' is ignored"]
    with pytest.raises(tulle.FormatError, match="whose rates down and up have the ratio 400:"):
        read(tmp_path / "x.topo", content.replace("Oversubscribed 2", "Oversubscribed 3"))


def test_latencies_of_anynet(tmp_path: Path) -> None:
    """Check latencies that tulle reads from BookSim's anynet files.

    A cycle is 1 ns. If any channel has a number, a channel without one has a latency of one cycle, and a channel that
    no line names has the latency of its reverse channel.
    """
    fabric = read(tmp_path / "x.anynet", "router 0 node 0 node 1 5 router 1 10\nrouter 1 router 0 10 router 2\n")
    latency = dict(zip(map(tuple, fabric.channels.tolist()), fabric.link_latency.tolist(), strict=True))
    assert latency == {(0, 1): 10_000, (1, 0): 10_000, (1, 2): 1000, (2, 1): 1000}
    assert fabric.endpoint_latency.tolist() == [-1, -1]
    assert [warning.split(": ", 1)[1] for warning in fabric.warnings] == [
        "latencies are read as nanoseconds, one per cycle",
        "1 channel that no line names gets the latency of the reverse direction (BookSim assumes 1 cycle)",
        "the latency of 1 link to a node is ignored",
    ]
    fabric = read(tmp_path / "x.anynet", "router 0 router 1 7\nrouter 1 router 0\n")
    assert fabric.link_latency.tolist() == [7000, 1000]
    fabric = read(tmp_path / "x.anynet", "router 0 router 1\n")
    assert (fabric.link_latency.tolist(), fabric.warnings) == ([-1, -1], ())
    with pytest.raises(tulle.FormatError, match=r":1:19: a latency of '10001' cycles; legal: 0 to 10000"):
        read(tmp_path / "x.anynet", "router 0 router 1 10001\n")


def test_switches_without_cables(tulle: Cli, tmp_path: Path) -> None:
    (tmp_path / "iso.edges").write_text("0 1\n1 2\n2 0\n3\n")
    (tmp_path / "iso.nodes.csv").write_text("node,switch\n0,0\n1,1\n2,2\n")
    printed = tulle("route", "file:edges=iso.edges,nodes=iso.nodes.csv", "minimal")
    assert printed.returncode == 0
    assert "1 switch without cables and endpoints is left out: '3'" in printed.stderr
    (tmp_path / "two.csv").write_text("a,b,rate\n9,8,9Gbps\n1,2,1Gbps\n2,3,2Gbps\n")
    (tmp_path / "two.nodes.csv").write_text("node,switch,level\n,3,1\n,9,4\n0,9,\n1,2,\n")
    printed = tulle("fabric", "file:edges=two.csv,nodes=two.nodes.csv,component=largest", "--write", "x.json")
    left = "component=largest leaves out 2 switches, 1 cable and 1 endpoint outside the largest component of 3 switches"
    assert (printed.returncode, left in printed.stderr) == (0, True)
    fabric = json.loads((tmp_path / "x.json").read_text())
    assert [switch["name"] for switch in fabric["switches"]] == ["1", "2", "3"]
    assert [switch.get("level", 0) for switch in fabric["switches"]] == [0, 0, 1]
    assert [cable["rate"] for cable in fabric["cables"]] == ["1Gbps", "2Gbps"]
    assert [(endpoint["switch"], endpoint["name"]) for endpoint in fabric["endpoints"]] == [("2", "1")]
    # With p=2, each switch has two endpoints.
    (tmp_path / "p.edges").write_text("0 1\n2\n")
    printed = tulle("fabric", "file:edges=p.edges,p=2,component=largest", "--json")
    assert {key: json.loads(printed.stdout)[key] for key in ("switches", "endpoints")} == {
        "switches": 2,
        "endpoints": 4,
    }
    assert "leaves out 1 switch, 0 cables and 2 endpoints" in printed.stderr


def test_endpoints_are_counted_before_they_take_memory(tmp_path: Path) -> None:
    key = '<key id="k" for="node" attr.name="endpoints"/>'
    for count, message in (
        (1 << 28, "endpoints '268435456' is not a valid count of a switch's endpoints; legal: 0 to 1048576"),
    ):
        content = f'<graphml>{key}<graph><node id="0"><data key="k">{count}</data></node></graph></graphml>'
        with pytest.raises(tulle.FormatError, match=re.escape(message)):
            read(tmp_path / "x.graphml", content)
    node = '<node id="{}"><data key="k">1048576</data></node>'
    nodes = "".join(node.format(number) for number in range(257))
    with pytest.raises(tulle.FormatError, match="too many endpoints; legal: at most 268435456"):
        read(tmp_path / "x.graphml", f"<graphml>{key}<graph>{nodes}</graph></graphml>")
    default = key.replace("/>", "><default>268435456</default></key>")
    with pytest.raises(tulle.FormatError, match="'268435456' is not a valid count"):
        read(tmp_path / "x.graphml", f'<graphml>{default}<graph><node id="0"/></graph></graphml>')
    with pytest.raises(tulle.FormatError, match=r"is '268435456'; legal: a whole number from 0 to 1048576"):
        read(tmp_path / "x.node-link.json", '{"nodes": [{"id": 0, "endpoints": 268435456}], "edges": []}')


@pytest.mark.parametrize("word", ["fabric", "csv", "graphml", "dot", "node-link"])
def test_ports_keep_their_numbers(tmp_path: Path, word: str) -> None:
    whole = tulle.Fabric("clique:degree=4,p=2")
    for damaged in (whole.with_failures("links=ids:2"), whole.without(switches=[1]), whole.without(links=0)):
        written = damaged.write(tmp_path / "x", word)
        nodes = f",nodes={written[1]}" if len(written) > 1 else ""
        again = tulle.Fabric(f"file:edges={written[0]},format={word}{nodes}")
        assert (again.ports, again.endpoint_ports) == (damaged.ports, damaged.endpoint_ports)
        assert not any("ports" in line for line in damaged.left_out(tmp_path / "x", word))
    networked = tulle.Fabric.from_networkx(whole.with_failures("links=ids:2").to_networkx())
    assert networked.ports == whole.with_failures("links=ids:2").ports


@pytest.mark.parametrize("word", ["edge-list", "anynet", "evalnet", "hpcc"])
def test_formats_without_ports_say_so(tulle: Cli, word: str) -> None:
    link = ("--link", "all:rate=1Gbps,latency=1us")
    printed = tulle("fabric", "clique:degree=4", *link, "--fail", "links=ids:2", "--write", "x", "--format", word)
    assert printed.returncode == 0
    assert re.search(r"^tulle: x: left out, .*\bports of cables\b", printed.stderr, re.MULTILINE), printed.stderr
    whole = tulle("fabric", "clique:degree=4", *link, "--write", "y", "--format", word)
    assert "ports of cables" not in whole.stderr


def test_names_that_nobody_could_read_are_not_written(tmp_path: Path) -> None:
    long = "x" * 300
    for properties in (
        {"endpoint_names": [long, ""]},
        {"endpoint_ports": [long, ""]},
        {"cable_names": [long]},
        {"ports": [("", long)]},
        {"roles": [long, ""]},
    ):
        fabric = tulle.Fabric.from_edges([[0, 1]], [0, 1], properties=properties)  # type: ignore[arg-type]
        for word in ("fabric", "csv", "graphml", "dot", "node-link"):
            with pytest.raises(tulle.FormatError, match=r"the name 'x{60}…' has 300 bytes; legal: 1 to 256 bytes"):
                fabric.write(tmp_path / "x", word)
            assert not (tmp_path / "x").exists()


@pytest.mark.parametrize(
    ("switches", "endpoints", "note"),
    [
        ("aab", "hi", "tulle: net.json: two switches are named a: ids 0 and 1\n"),
        ("abc", "hh", "tulle: net.json: two endpoints are named h: ids 0 and 1\n"),
        ("abc", "hi", ""),
    ],
)
def test_a_note_says_if_two_parts_have_the_same_name(
    tulle: Cli, tmp_path: Path, switches: str, endpoints: str, note: str
) -> None:
    content = {
        "format": "tulle fabric",
        "version": 1,
        "switches": [{"name": name} for name in switches],
        "cables": [{"a": 0, "b": 2}, {"a": 1, "b": 2}],
        "endpoints": [{"switch": at, "name": name} for at, name in enumerate(endpoints)],
    }
    (tmp_path / "net.json").write_text(json.dumps(content))
    done = tulle("fabric", "file:edges=net.json")
    assert (done.returncode, done.stderr) == (0, note)


@pytest.mark.parametrize("both", [None, "merge", "parallel"])
@pytest.mark.parametrize(
    "rows",
    [
        [(0, 1), (1, 0), (1, 2), (2, 1)],
        [(0, 1), (1, 0), (1, 2)],
        [(0, 1), (1, 0), (0, 1), (1, 0)],
        [(0, 1), (0, 1), (1, 0)],
        [(0, 1), (0, 1), (2, 1)],
    ],
)
def test_rows_in_both_orders_are_read_as_in_files(
    rows: list[tuple[int, int]], both: Literal["merge", "parallel"] | None, tmp_path: Path
) -> None:
    path = tmp_path / "x.csv"
    path.write_text("a,b\n" + "".join(f"{a},{b}\n" for a, b in rows))
    file = tulle.Fabric(f"file:edges={path}" + (f",both={both}" if both else ""))
    fabric = tulle.Fabric.from_edges(rows, both=both)
    assert np.array_equal(fabric.edges, file.edges)
    # Rows of a file that repeat an earlier row cause a warning. Rows of an array do not, because programs seldom repeat
    # rows by mistake.
    of_order = [line for line in file.warnings if "repeats an earlier cable" not in line]
    assert [f"{path}: {line}" for line in fabric.warnings] == of_order
    assert pickle.loads(pickle.dumps(fabric)) == fabric


def test_a_symmetric_matrix_is_one_cable_per_pair() -> None:
    graph = networkx.cycle_graph(4)
    rows = np.argwhere(networkx.to_numpy_array(graph))
    fabric = tulle.Fabric.from_edges(rows, 2)
    assert (fabric.num_cables, len(fabric.warnings)) == (4, 1)
    assert tulle.Fabric.from_edges(rows, 2, both="parallel").num_cables == 8
    # Rows with properties are cables, so nothing is merged.
    names = [f"c{row}" for row in range(len(rows))]
    named = tulle.Fabric.from_edges(rows, 2, properties={"cable_names": names})
    assert (named.num_cables, named.warnings) == (8, ())
    with pytest.raises(tulle.InputError, match=r"^both='merge' with properties of cables; legal: one row"):
        tulle.Fabric.from_edges(rows, 2, properties={"cable_names": names}, both="merge")
    with pytest.raises(tulle.InputError, match=r"^both='x' is not a choice; legal: 'merge', 'parallel', or None"):
        tulle.Fabric.from_edges(rows, both="x")  # type: ignore[arg-type]
