"""Check that network files read back unchanged, and that tulle names properties that a format cannot represent."""

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
from tulle.registry import registered

if TYPE_CHECKING:
    from conftest import Cli

ROOT = Path(__file__).parent.parent
DATA = Path(__file__).parent / "networks"
FORMATS = {word: extensions for word, _, extensions, *_, written in _tulle.graph_formats() if written}
READ = {word: extensions for word, _, extensions, *_ in _tulle.graph_formats()}
GLOBAL_MAP = ROOT / "crates" / "tulle-topologies" / "tests" / "data" / "global.map.csv"
EXAMPLES = [
    entry["examples"][0].replace(GLOBAL_MAP.name, str(GLOBAL_MAP))
    for entry in registered("fabrics")
    if entry["name"] not in ("file", "jellyfish-like", "jellyfish", "flattenedclos")
] + ["jellyfish:switches=10,degree=3,p=1", "flattenedclos:switches=12,ports=8,layers=2,p=4"]
FUZZ = int(os.environ.get("TULLE_FUZZ", "60"))
SETTINGS = settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


def spec_of(word: str, written: list[Path]) -> str:
    nodes = f",nodes={written[1]}" if len(written) > 1 else ""
    return f"file:edges={written[0]},format={word}{nodes}"


def described(fabric: tulle.Fabric) -> dict[str, object]:
    """Return a fabric's channels, endpoints, names and link properties for comparison."""
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
    """Generate small random fabrics; they can have parallel cables, names, ports and link properties."""
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
def test_all_properties_read_back(tmp_path: Path, word: str, fabric: tulle.Fabric) -> None:
    written = fabric.write(tmp_path / "x", word)
    used = {*fabric.edges.ravel().tolist(), *fabric.endpoint_switch.tolist()}
    if word != "fabric" and not used:
        with pytest.raises(
            tulle.FormatError, match="no switch has a cable or an endpoint; legal: one or more cables or endpoints"
        ):
            tulle.Fabric(spec_of(word, written))
        return
    other = tulle.Fabric(spec_of(word, written))
    if word != "fabric" and len(used) < fabric.num_switches:
        assert "without cables and endpoints" in other.warnings[0]
        assert (other.num_switches, other.num_cables) == (len(used), fabric.num_cables)
        return
    assert other.warnings == ()
    if word == "dot" and other.labels != fabric.labels:
        # The DOT reader sorts switches by the numbers in their names. If this would change their order, tulle writes
        # ids in place of names, and prints a note.
        assert "names of switches" in fabric.left_out(tmp_path / "x", word)[0]
        return
    assert described(other) == described(fabric)


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
            assert re.search("legal: endpoints numbered|only one cable between two routers", refusal), refusal
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
    assert described(tulle.Fabric.from_networkx(graph)) == described(fabric)
    for edges in ("edges", "links"):
        path.write_text(json.dumps(networkx.node_link_data(fabric.to_networkx(), edges=edges)))
        assert described(tulle.Fabric(f"file:edges={path}")) == described(fabric)
    strange = networkx.Graph()
    strange.add_edge((0, "a"), 7, weight=3)
    path.write_text(json.dumps(networkx.node_link_data(strange, edges="edges")))
    read = tulle.Fabric(f"file:edges={path}")
    assert (read.labels, read.warnings) == (("(0, a)", "7"), (f"{path}: attribute 'weight' is ignored",))


def test_left_out_properties_give_a_warning(tulle: Cli, tmp_path: Path) -> None:
    printed = tulle("fabric", "slimfly:q=3", "--write", "x.edges")
    message = "left out, because this format (edge list) cannot store it: coordinates, classes of channels"
    assert (printed.returncode, printed.stderr) == (0, f"tulle: x.edges: {message}\n")
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
    text = (ROOT / "docs" / "reference" / "files.md").read_text()
    for word, extensions in READ.items():
        assert f"`{word}`" in text, word
        for extension in extensions:
            assert f"`.{extension}`" in text, extension


@pytest.mark.parametrize(
    ("name", "word", "problem"),
    [
        ("net.gml", None, "tulle reads but does not write this format (GML)"),
        ("net", "metis", "tulle reads but does not write this format (graph of METIS)"),
        ("net.mat.csv", None, "tulle reads but does not write this format (adjacency matrix)"),
        ("net.xyz", None, "'.xyz' is not a known extension"),
        ("net", None, "'.' is not a known extension"),
        ("net", "nope", "format 'nope' is not known"),
    ],
)
def test_left_out_lists_only_formats_that_tulle_writes(
    tmp_path: Path, name: str, word: str | None, problem: str
) -> None:
    fabric = tulle.Fabric("slimfly:q=3")
    with pytest.raises(tulle.FormatError) as told:
        fabric.left_out(tmp_path / name, word)
    assert str(told.value) == f"{tmp_path / name}:1:1: {problem}; legal: {', '.join(FORMATS)}"
    with pytest.raises(tulle.FormatError, match=re.escape(problem)):
        fabric.write(tmp_path / name, word)


def test_formats_that_tulle_writes_are_accepted(tmp_path: Path) -> None:
    fabric = tulle.Fabric("slimfly:q=3")
    for word, extensions in FORMATS.items():
        for extension in extensions:
            assert fabric.left_out(tmp_path / f"X.{extension.upper()}") == fabric.left_out(
                f"{tmp_path}/X.{extension.upper()}", word
            )


def test_a_matrix_is_refused_before_work(tulle: Cli) -> None:
    done = tulle("fabric", "slimfly:q=6", "--write", "net.mat.csv")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(
        "tulle: net.mat.csv:1:1: tulle reads but does not write this format (adjacency matrix)"
    )
