"""Check damaged network files: tulle reads a file, or rejects it with a one-line error that states the position."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_formats import EXAMPLES, FORMATS, FUZZ, SETTINGS, spec_of
from test_import_networks import CSV, DATA, TOPO

import tulle
from tulle.cabling import read_network
from tulle.cabling.live import live_tool, live_tools, read_live
from tulle.cabling.networks import network_format, network_formats

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path


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
    """Generate a function that damages a file: flip bits, delete or copy lines, swap words, insert junk or truncate."""
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
    """Check that tulle reads a file, or rejects it with a one-line error that begins with the file and position."""
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


# Each format has a sample file. The files below are variants of a format, or the output of real tools.
_ROWS = "\n".join(f"l{at % 3},dcim.interface,p{at},s{at % 2},dcim.interface,p{at}" for at in range(6))
_DOT = 'graph {\n "a":"p" -- "b":"q" [rate="10Gbps"];\n subgraph x { c -- d -- a }\n /* c */ e [role=leaf]\n}\n'
NETWORKS = {format.name: [*format.sample] for format in network_formats()}
NETWORKS["ibnetdiscover"].append("two-switches.ibnet")
NETWORKS["netbox"].append("rows.csv")
NETWORKS["topo"] += ["x.topo", "x.dot"]
OTHERS = {"rows.csv": f"{CSV}\n{_ROWS}\n".encode(), "x.topo": TOPO.encode(), "x.dot": _DOT.encode()}
LIVE = {tool.name: [*tool.sample] for tool in live_tools()}
LIVE["ibnetdiscover"].append("two-switches.ibnet")
LIVE["iblinkinfo"].append("iblinkinfo.txt")


def files(folder: Path, sample: Mapping[str, str], name: str, mutate: Callable[[bytes], bytes]) -> list[Path]:
    """Write a sample's files with damage in the file `name`.

    If the sample has no file `name`, write only this file, from the other test data.
    """
    if name not in sample:
        content = OTHERS[name] if name in OTHERS else (DATA / name).read_bytes()
        (folder / name).write_bytes(mutate(content))
        return [folder / name]
    for other, text in sample.items():
        (folder / other).write_bytes(mutate(text.encode()) if other == name else text.encode())
    return [folder / other for other in sample]


@pytest.mark.parametrize("kind", NETWORKS)
@settings(SETTINGS, max_examples=FUZZ)
@given(mutate=mutations(), data=st.data())
def test_mutated_networks(tmp_path: Path, kind: str, mutate: Callable[[bytes], bytes], data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(NETWORKS[kind]))
    paths = files(tmp_path, network_format(kind).sample, name, mutate)
    refused_with_a_place(lambda: read_network(kind, paths))


@pytest.mark.parametrize("tool", LIVE)
@settings(SETTINGS, max_examples=FUZZ)
@given(mutate=mutations(), data=st.data())
def test_mutated_live(tmp_path: Path, tool: str, mutate: Callable[[bytes], bytes], data: st.DataObject) -> None:
    paths = files(tmp_path, live_tool(tool).sample, data.draw(st.sampled_from(LIVE[tool])), mutate)
    refused_with_a_place(lambda: read_live(tool, paths))


@pytest.mark.parametrize("word", FORMATS)
def test_prose_is_no_network(tmp_path: Path, word: str) -> None:
    path = tmp_path / "x"
    for text in ("It was a dark night.\nThe rain fell in torrents, except at times.\n", "no\n", "\n", "{}", "\0" * 50):
        path.write_text(text)
        if word == "edge-list" and text in ("no\n", "{}"):
            continue
        with pytest.raises(tulle.FormatError, match=r":\d+:\d+: "):
            tulle.Fabric(f"file:edges={path},format={word}")


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
