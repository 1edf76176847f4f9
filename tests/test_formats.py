"""Files of networks: what is written reads back, what is read is told apart, and no file makes a reader fall over."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import networkx
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tulle
from tulle import _tulle
from tulle.cabling import read_network
from tulle.cabling.live import read_live
from tulle.registry import registered

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Cli

ROOT = Path(__file__).parent.parent
DATA = Path(__file__).parent / "networks"
FORMATS = {word: extensions for word, _, extensions, *_, written in _tulle.graph_formats() if written}
READ = {word: extensions for word, _, extensions, *_ in _tulle.graph_formats()}
EXAMPLES = [
    entry["examples"][0]
    for entry in registered("fabrics")
    if entry["name"] not in ("file", "jellyfish-like", "jellyfish", "flattenedclos")
] + ["jellyfish:switches=10,degree=3,p=1", "flattenedclos:switches=12,ports=8,layers=2,p=4"]
FUZZ = int(os.environ.get("TULLE_FUZZ", "150"))
SETTINGS = settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


def spec_of(word: str, written: list[Path]) -> str:
    nodes = f",nodes={written[1]}" if len(written) > 1 else ""
    return f"file:edges={written[0]},format={word}{nodes}"


def told(fabric: tulle.Fabric) -> dict[str, object]:
    """All that a fabric tells of its graph, its links and its names."""
    known: dict[str, object] = dict(fabric.properties)
    return {
        **known,
        "channels": fabric.channels.tolist(),
        "reverse": fabric.reverse.tolist(),
        "endpoints": fabric.endpoint_switch.tolist(),
        "labels": fabric.labels,
    }


@st.composite
def fabrics(draw: st.DrawFn) -> tulle.Fabric:
    """Small fabrics with cables side by side, names, ports and links, as far as they are drawn."""
    switches = draw(st.integers(2, 6))
    pairs = st.tuples(st.integers(0, switches - 1), st.integers(0, switches - 1)).filter(lambda pair: pair[0] < pair[1])
    cables = draw(st.lists(pairs, max_size=12))
    endpoints = draw(st.lists(st.integers(0, switches - 1), max_size=6).map(sorted))
    names = st.text("abcAB 019_-/.#,:\"'\\\\<&>{}[]é→", min_size=1, max_size=8).map(str.strip).filter(bool)
    properties: dict[str, object] = {}

    def column(name: str, values: st.SearchStrategy[object], rows: int) -> None:
        if rows and draw(st.booleans()):
            properties[name] = draw(st.lists(values, min_size=rows, max_size=rows))

    empty = st.just("")
    rate = st.none() | st.sampled_from([10**10, 10**11, 56 * 10**9])
    link = st.tuples(rate, st.none() | st.just(500_000), st.none() | st.just(1500), st.none() | st.just("copper"))
    column("levels", st.integers(0, 3), switches)
    column("roles", empty | names, switches)
    column("switch_ports", st.integers(0, 64), switches)
    column("cable_names", empty | names, len(cables))
    column("ports", st.tuples(empty | names, empty | names), len(cables))
    column("links", link, len(cables))
    column("endpoint_names", empty | names, len(endpoints))
    column("endpoint_ports", empty | names, len(endpoints))
    column("endpoint_links", link, len(endpoints))
    labels = draw(st.none() | st.lists(names, min_size=switches, max_size=switches, unique=True).map(sorted))
    return tulle.Fabric.from_edges(
        cables,
        endpoints,
        num_switches=switches,
        labels=labels,
        properties=properties or None,  # type: ignore[arg-type]
    )


@pytest.mark.parametrize("word", ["fabric", "node-link", "dot"])
@SETTINGS
@given(fabric=fabrics())
def test_all_that_is_said_reads_back(tmp_path: Path, word: str, fabric: tulle.Fabric) -> None:
    written = fabric.write(tmp_path / "x", word)
    used = {*fabric.edges.ravel().tolist(), *fabric.endpoint_switch.tolist()}
    if word != "fabric" and not used:
        with pytest.raises(tulle.FormatError, match="no switch has a cable or an endpoint; legal: one or more"):
            tulle.Fabric(spec_of(word, written))
        return
    other = tulle.Fabric(spec_of(word, written))
    if word != "fabric" and len(used) < fabric.num_switches:
        assert "without cables and endpoints" in other.warnings[0]
        assert (other.num_switches, other.num_cables) == (len(used), fabric.num_cables)
        return
    assert other.warnings == ()
    if word == "dot" and other.labels != fabric.labels:
        # Numbers in names are sorted by value: then ids are written, and that is said.
        assert "names of switches" in fabric.left_out(tmp_path / "x", word)[0]
        return
    assert told(other) == told(fabric)


@pytest.mark.parametrize("word", FORMATS)
@pytest.mark.parametrize("example", EXAMPLES)
def test_every_family_reads_back(tmp_path: Path, word: str, example: str) -> None:
    whole = tulle.Fabric(example, links=["all:rate=100Gbps,latency=1us"])
    damaged = [whole.without(switches=1, seed=2)] if whole.num_switches > 1 else []
    for fabric in (whole, whole.without(links="30%", seed=1), *damaged):
        try:
            written = fabric.write(tmp_path / "x", word)
        except tulle.FormatError as error:
            refusal = str(error)
        else:
            refusal = ""
        if refusal:
            assert re.search("legal: ascending by switch|holds one cable between two routers", refusal), refusal
            continue
        other = tulle.Fabric(spec_of(word, written))
        if other.num_switches < fabric.num_switches:
            assert (word != "fabric", other.num_cables) == (True, fabric.num_cables)
            assert any("without cables and endpoints" in warning for warning in other.warnings)
            continue
        for column in ("channels", "reverse", "endpoint_switch"):
            assert np.array_equal(getattr(other, column), getattr(fabric, column)), column
        if word == "fabric":
            assert (other.ports, other.endpoint_ports) == (fabric.ports, fabric.endpoint_ports)
            assert np.array_equal(other.coordinates, fabric.coordinates)
            assert (other.class_names, other.classes.tolist()) == (fabric.class_names, fabric.classes.tolist())
            assert np.array_equal(other.levels, fabric.levels)
            assert fabric.left_out(tmp_path / "x", word) == ()
        if word in ("fabric", "node-link", "hpcc", "ibnetdiscover"):
            assert np.array_equal(other.link_rate, fabric.link_rate)


def test_networkx_reads_what_is_written_and_is_read(tmp_path: Path) -> None:
    fabric = tulle.Fabric("torus:shape=2x3,p=2", links=["all:rate=100Gbps"])
    (path,) = fabric.write(tmp_path / "x.node-link.json")
    graph = networkx.node_link_graph(json.loads(path.read_text()), edges="edges")
    assert told(tulle.Fabric.from_networkx(graph)) == told(fabric)
    for edges in ("edges", "links"):
        path.write_text(json.dumps(networkx.node_link_data(fabric.to_networkx(), edges=edges)))
        assert told(tulle.Fabric(f"file:edges={path}")) == told(fabric)
    strange = networkx.Graph()
    strange.add_edge((0, "a"), 7, weight=3)
    path.write_text(json.dumps(networkx.node_link_data(strange, edges="edges")))
    read = tulle.Fabric(f"file:edges={path}")
    assert (read.labels, read.warnings) == (("(0, a)", "7"), (f"{path}: attribute 'weight' is ignored",))


def test_what_is_left_out_is_said(tulle: Cli, tmp_path: Path) -> None:
    printed = tulle("fabric", "slimfly:q=3", "--write", "x.edges")
    said = "left out, as this format (edge list) cannot hold it: coordinates, classes of channels"
    assert (printed.returncode, printed.stderr) == (0, f"tulle: x.edges: {said}\n")
    assert tulle("fabric", "slimfly:q=3", "--write", "x.json").stderr == ""
    printed = tulle("fabric", "slimfly:q=3", "--write", "topology", "--format", "dot", "--json")
    assert json.loads(printed.stdout)["written"] == ["topology"]
    assert tulle("fabric", "file:edges=topology,format=dot").returncode == 0
    printed = tulle("fabric", "slimfly:q=3", "--write", "x.dat")
    assert (printed.returncode, "'.dat' is not a known extension" in printed.stderr) == (2, True)
    printed = tulle("fabric", "slimfly:q=3", "--write", "x.dat", "--format", "pajek")
    assert (printed.returncode, "format=pajek is not known; legal: csv, edge-list" in printed.stderr) == (2, True)
    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".dat"] == []


def test_every_format_is_in_the_documentation() -> None:
    text = (ROOT / "docs" / "files.md").read_text()
    for word, extensions in READ.items():
        assert f"`{word}`" in text, word
        for extension in extensions:
            assert f"`.{extension}`" in text, extension


# Networks that are there.

CSV = "side_a_device,side_a_type,side_a_name,side_b_device,side_b_type,side_b_name"


def lldp(*ports: tuple[str, str, str], name: str | None = None) -> str:
    """What lldpctl prints of ports, each with its neighbour and the port there."""
    interfaces = [
        {
            "name": port,
            "via": "LLDP",
            "chassis": [{"id": [{"type": "mac", "value": "00:01"}], "name": [{"value": neighbour}]}],
            "port": [
                {
                    "id": [{"type": "ifname", "value": other}],
                    "descr": [{"value": other}],
                    "auto-negotiation": [{"current": [{"value": "10GbaseT - Four-pair"}]}],
                }
            ],
        }
        for port, neighbour, other in ports
    ]
    local = [json.dumps({"local-chassis": [{"chassis": [{"name": [{"value": name}]}]}]})] if name else []
    return "\n".join([*local, json.dumps({"lldp": [{"interface": interfaces}]}, indent=1)])


def write_lldp(folder: Path) -> list[Path]:
    files = {
        "leaf1": lldp(("swp1", "spine", "swp1"), ("swp9", "host", "eth0")),
        "leaf2": lldp(("swp1", "spine", "swp2"), ("swp2", "spine", "swp3"), ("swp9", "host", "eth1")),
        "other": lldp(("swp1", "leaf1", "swp1"), ("swp2", "leaf2", "swp1"), ("swp3", "leaf2", "swp2"), name="spine"),
    }
    for name, text in files.items():
        (folder / f"{name}.json").write_text(text)
    return [folder / f"{name}.json" for name in files]


def test_lldp(tmp_path: Path) -> None:
    imported = read_network("lldp", write_lldp(tmp_path))
    fabric = imported.fabric
    assert (fabric.labels, fabric.edges.tolist()) == (("leaf1", "leaf2", "spine"), [[0, 2], [1, 2], [1, 2]])
    assert fabric.properties["ports"] == [("swp1", "swp1"), ("swp1", "swp2"), ("swp2", "swp3")]
    assert (fabric.endpoint_names, fabric.endpoint_ports) == (("host:eth0", "host:eth1"), ("swp9", "swp9"))
    assert set(fabric.link_rate.tolist()) == {10**10}
    several = f"{tmp_path / 'leaf1.json'}: 1 host with several ports is one endpoint per port, as host:eth0"
    assert imported.warnings == (several,)
    (tmp_path / "leaf1.json").write_text(lldp(("swp1", "spine", "swp2")))
    with pytest.raises(
        tulle.FormatError, match=r"leaf1\.json:5:5: port 'swp1' of 'leaf1' hears 'swp2' of 'spine', whi"
    ):
        read_network("lldp", write_lldp_again(tmp_path))


def write_lldp_again(folder: Path) -> list[Path]:
    return [folder / f"{name}.json" for name in ("leaf1", "leaf2", "other")]


def test_netbox(tmp_path: Path) -> None:
    path = tmp_path / "cables.csv"
    i = "dcim.interface"
    path.write_text(
        f"{CSV},type,length,length_unit,label,colour\n"
        f'leaf1,{i},"swp""1",spine,{i},swp1,smf,10,m,c1,red\nleaf2,{i},swp1,spine,{i},swp2,,,,,\n'
        f"leaf1,{i},swp2,h1,{i},eth0,dac-passive,200,cm,,\nleaf2,dcim.consoleport,c,x,{i},y,,,,,\n"
        f"leaf2,{i},swp2,h2,{i},eth0,,,,,\n"
    )
    imported = read_network("netbox", [path])
    fabric = imported.fabric
    assert (fabric.labels, fabric.endpoint_names) == (("leaf1", "leaf2", "spine"), ("h1", "h2"))
    assert fabric.properties["ports"][0] == ('swp"1', "swp1")
    assert fabric.properties["links"][0] == (None, None, 10_000, "smf")
    assert int(fabric.endpoint_length[0]) == 2000
    assert imported.warnings == (
        f"{path}: column 'colour' is ignored",
        f"{path}: 1 cable at other things than interfaces is ignored",
    )
    assert read_network("netbox", [path], ["h1"]).fabric.labels == ("h2", "leaf1", "leaf2", "spine")
    for row, message in (
        (f"a,{i},p,b,{i},q\na,{i},p,c,{i},q", ":3:1: a second cable at port 'p' of 'a'; legal: one"),
        (f"a,{i},p,b,{i}", ":2:1: the row has 5 values; legal: 6"),
        (f'a,{i},p,"b,{i},q', ":2:20: a quote without its end"),
    ):
        path.write_text(f"{CSV}\n{row}\n")
        with pytest.raises(tulle.FormatError, match=re.escape(f"cables.csv{message}")):
            read_network("netbox", [path])


TOPO = """MTS3600 S-1
   P1 -4x-10G-> MT23108 H-1 P1
   P2 -4x-10G-> MT23108 H-1 P2
   P24 -4x-14G-> MTS3600 S-2 P3

MTS3600 S-2
   P3 -4x-14G-> MTS3600 S-1 P24
"""


def test_topologies(tmp_path: Path) -> None:
    path = tmp_path / "net.topo"
    path.write_text(TOPO)
    (tmp_path / "MT23108.ibnl").write_text("TOPSYSTEM MT23108\n\nNODE CA 2 MT23108 U1\n1 -4x-> P1\n2 -4x-> P2\n")
    (tmp_path / "MTS3600.ibnl").write_text("TOPSYSTEM MTS3600\n\nNODE SW 36 MT48436 U1\n1 -4x-> P1\n")
    imported = read_network("topo", [path])
    assert (imported.fabric.labels, imported.fabric.endpoint_names) == (("S-1", "S-2"), ("H-1:1", "H-1:2"))
    assert imported.fabric.properties["ports"] == [("24", "3")]
    assert (imported.fabric.link_rate[0], imported.fabric.endpoint_rate[0]) == (56 * 10**9, 40 * 10**9)
    path.write_text(TOPO.replace("S-1 P24", "S-1 P23"))
    with pytest.raises(tulle.FormatError, match=r"net\.topo:7:4: port '3' of 'S-2' here leads elsewhere"):
        read_network("topo", [path])
    path = tmp_path / "topology.dot"
    path.write_text(
        'graph G {\n "l1":"swp1" -- "s1":"swp1"\n "l2":"swp1" -- "s1":"swp2"\n "l1":"swp2" -- "h":"eth0"\n'
        ' "l2":"swp2" -- "h2":"eth0"\n}\n'
    )
    fabric = read_network("topo", [path]).fabric
    assert (fabric.labels, fabric.endpoint_names) == (("l1", "l2", "s1"), ("h", "h2"))


def test_import(tulle: Cli, tmp_path: Path) -> None:
    (tmp_path / "net").write_text((DATA / "two-switches.ibnet").read_text())
    printed = tulle("import", "ibnetdiscover", "net", "-o", "fabric.json", "--json")
    several = "tulle: net: 1 host with several ports is one endpoint per port, as node2 HCA-1:1\n"
    assert (printed.returncode, printed.stderr) == (0, several)
    assert {key: json.loads(printed.stdout)[key] for key in ("switches", "endpoints", "cables")} == {
        "switches": 2,
        "endpoints": 3,
        "cables": 2,
    }
    assert tulle("fabric", "file:edges=fabric.json").returncode == 0
    assert tulle("route", "file:edges=fabric.json", "minimal").returncode == 0
    said = json.loads((tmp_path / "fabric.json").read_text())
    assert said["endpoints"][2] == {
        "switch": "sf-s0-r0-i0", "name": "node2 HCA-1:2", "port": "2", "host_port": "2", "rate": "56Gbps",
        "node_guid": "0x5f00000000800100", "port_guid": "0x5f00000000800102", "lid": 12, "lmc": 2, "adapter_port": 2,
    }  # fmt: skip
    printed = tulle("import", "pajek", "net", "-o", "fabric.json")
    assert (printed.returncode, printed.stderr.count("\n")) == (2, 1)


# Mutated files.


def ibnet() -> bytes:
    return (DATA / "two-switches.ibnet").read_bytes()


def linkinfo() -> bytes:
    return (DATA / "iblinkinfo.txt").read_bytes()


SPLICES = [
    b"\0",
    b"\r",
    b"\xff",
    b"\xc3",
    b"9" * 30,
    b"-1",
    b"1e999",
    b"\n\n",
    b"{",
    b"]",
    b'"',
    b"\\",
    b"[[",
    b"a b",
    b"4294967296",
    b"NaN",
    b"\xef\xbb\xbf",
    b"\xe2\x80\xa8",
    b"<x>",
    b"&#0;",
    b"#",
    b"%",
    b"0x",
]


@st.composite
def mutations(draw: st.DrawFn) -> Callable[[bytes], bytes]:
    """A few of: bits flipped, lines cut out, words swapped, junk put in, the end cut off."""
    steps = draw(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 1 << 30), st.integers(0, 1 << 30)), max_size=4))

    def mutate(content: bytes) -> bytes:
        for kind, a, b in steps:
            if not content:
                return content
            at = a % len(content)
            if kind == 0:
                content = content[:at] + bytes([content[at] ^ (1 << b % 8)]) + content[at + 1 :]
            elif kind == 1:
                lines = content.split(b"\n")
                del lines[a % len(lines)]
                content = b"\n".join(lines)
            elif kind == 2:
                words = re.split(rb"(\W+)", content)
                a, b = a % len(words), b % len(words)
                words[a], words[b] = words[b], words[a]
                content = b"".join(words)
            elif kind == 3:
                content = content[:at] + SPLICES[b % len(SPLICES)] + content[at:]
            elif kind == 4:
                content = content[:at]
            else:
                lines = content.split(b"\n")
                lines.insert(a % len(lines), lines[b % len(lines)])
                content = b"\n".join(lines)
        return content

    return mutate


def refused_with_a_place(read: Callable[[], object]) -> None:
    """That a file is read, or refused in a line that begins with the place."""
    refusal = None
    try:
        read()
    except tulle.FormatError as error:
        refusal = str(error)
    assert refusal is None or re.match(r"[^\n\r]*?:[1-9]\d*:[1-9]\d*: [^\n\r]+\Z", refusal), refusal


@pytest.mark.parametrize("word", FORMATS)
@settings(SETTINGS, max_examples=FUZZ)
@given(mutate=mutations(), example=st.sampled_from(EXAMPLES[:6]))
def test_mutated_graphs(tmp_path: Path, word: str, mutate: Callable[[bytes], bytes], example: str) -> None:
    fabric = tulle.Fabric(example, links=["all:rate=100Gbps,latency=1us,medium=copper"])
    try:
        path, *nodes = fabric.write(tmp_path / "x", word)
    except tulle.FormatError:
        return
    path.write_bytes(mutate(path.read_bytes()))
    refused_with_a_place(lambda: tulle.Fabric(spec_of(word, [path, *nodes])))
    for beside in nodes:
        fabric.write(path, word)
        beside.write_bytes(mutate(beside.read_bytes()))
        refused_with_a_place(lambda: tulle.Fabric(spec_of(word, [path, *nodes])))


@pytest.mark.parametrize("kind", ["ibnetdiscover", "lldp", "netbox", "topo", "dot"])
@settings(SETTINGS, max_examples=FUZZ)
@given(mutate=mutations())
def test_mutated_networks(tmp_path: Path, kind: str, mutate: Callable[[bytes], bytes]) -> None:
    rows = "\n".join(f"l{at % 3},dcim.interface,p{at},s{at % 2},dcim.interface,p{at}" for at in range(6))
    dot = 'graph {\n "a":"p" -- "b":"q" [rate="10Gbps"];\n subgraph x { c -- d -- a }\n /* c */ e [role=leaf]\n}\n'
    if kind == "lldp":
        files = write_lldp(tmp_path)
    else:
        name = {"topo": "x.topo", "dot": "x.dot"}.get(kind, "x")
        content = {"ibnetdiscover": ibnet(), "netbox": f"{CSV}\n{rows}\n".encode(), "topo": TOPO.encode()}
        (tmp_path / name).write_bytes(content.get(kind, dot.encode()))
        files = [tmp_path / name]
    files[0].write_bytes(mutate(files[0].read_bytes()))
    refused_with_a_place(lambda: read_network("topo" if kind == "dot" else kind, files))


@pytest.mark.parametrize("tool", ["ibnetdiscover", "iblinkinfo", "lldp"])
@settings(SETTINGS, max_examples=FUZZ)
@given(mutate=mutations())
def test_mutated_live(tmp_path: Path, tool: str, mutate: Callable[[bytes], bytes]) -> None:
    path = tmp_path / "x"
    content = {"ibnetdiscover": ibnet(), "iblinkinfo": linkinfo()}.get(tool, lldp(("a", "b", "c")).encode())
    path.write_bytes(mutate(content))
    refused_with_a_place(lambda: read_live(tool, [path]))


@pytest.mark.parametrize("word", FORMATS)
def test_prose_is_no_network(tmp_path: Path, word: str) -> None:
    path = tmp_path / "x"
    for text in ("It was a dark night.\nThe rain fell in torrents, except at times.\n", "no\n", "\n", "{}", "\0" * 50):
        path.write_text(text)
        if word == "edge-list" and text in ("no\n", "{}"):
            continue
        with pytest.raises(tulle.FormatError, match=r":\d+:\d+: "):
            tulle.Fabric(f"file:edges={path},format={word}")


def test_live_ports() -> None:
    ports = read_live("iblinkinfo", [DATA / "iblinkinfo.txt"])
    states = [(port.device, port.port, port.neighbour, port.neighbour_port, port.state) for port in ports]
    assert states == [
        ("node1 HCA-1", "1", "sf-s0-r0-i0", "1", "up"),
        ("sf-s0-r0-i0", "1", "node1 HCA-1", "1", "up"),
        ("sf-s0-r0-i0", "5", "sf-s0-r0-i1", "5", "up"),
        ("sf-s0-r0-i0", "6", None, None, "down"),
        ("sf-s0-r0-i0", "7", None, None, "disabled"),
    ]
    assert [(port.rate, port.best_rate) for port in ports[:3]] == [
        (56 * 10**9, None),
        (56 * 10**9, None),
        (14 * 10**9, 56 * 10**9),
    ]
    assert [port.switch for port in ports] == [False, True, True, True, True]
    ports = read_live("ibnetdiscover", [DATA / "two-switches.ibnet"])
    assert [(port.device, port.port, port.neighbour, port.neighbour_port) for port in ports[:2]] == [
        ("sf-s0-r0-i0", "1", "node1 HCA-1", "1"),
        ("sf-s0-r0-i0", "2", "node2 HCA-1", "2"),
    ]
    assert ports[0].rate == 56 * 10**9


def test_live_ports_line_by_line(tmp_path: Path) -> None:
    """As `iblinkinfo -l` prints them, of a network that is being wired."""
    path = tmp_path / "links"
    path.write_text(
        '0x5f00000000010700 "                           sw7"      0    8[  ] ==( 4X       14.0625 Gbps Initialize/'
        '  LinkUp)==>  0x5f00000000010f00      0    6[  ] "sw15" (Could be 12X Could be 53.125 Gbps)\n'
        '0x5f00000000010700 "                           sw7"      0    9[  ] ==(                Down/ Polling)==>'
        '             [  ] "" ( )\n'
    )
    up, down = read_live("iblinkinfo", [path])
    assert (up.device, up.port, up.neighbour, up.neighbour_port, up.switch) == ("sw7", "8", "sw15", "6", None)
    assert (up.rate, up.best_rate) == (56 * 10**9, 600 * 10**9)
    assert (down.device, down.port, down.neighbour, down.state) == ("sw7", "9", None, "down")
    path.write_text('Switch 36 "S-1" # "sf" base port 0\n[7] "S-2"[9] # "other" lid 3 4xHDR\n')
    (alone,) = read_live("ibnetdiscover", [path])
    assert (alone.device, alone.port, alone.neighbour, alone.neighbour_port) == ("sf", "7", "other", "9")
    assert alone.rate == 200 * 10**9
    with pytest.raises(
        tulle.InputError, match=r"pajek is no tool that is read; legal: ibnetdiscover, iblinkinfo, lldp"
    ):
        read_live("pajek", [path])


def test_counts_alone_take_no_memory(tmp_path: Path) -> None:
    for name, text in {
        "x.hpcc": "268435456 1 1\n0\n",
        "x.adj": "268435456 1\n",
        "x.anynet": "router 268435456 node 4\n",
        "x.dot": "graph { a [endpoint=268435455]; a -- b }",
        "x.json": '{"switches": [{}], "endpoints": [{"switch": 268435455}]}',
        "x.metis": "268435456 1\n",
        "x.topology": "|V|=268435456\n|E|=0\nServers=incl_range(0,268435455)\n",
    }.items():
        (tmp_path / name).write_text(text)
        with pytest.raises(tulle.FormatError, match=r":[13]:\d+: "):
            tulle.Fabric(f"file:edges={tmp_path / name}")
