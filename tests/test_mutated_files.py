"""Damaged files of networks: each is read, or refused in one line with its place."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_formats import EXAMPLES, FORMATS, FUZZ, SETTINGS, spec_of
from test_import_networks import CSV, DATA, TOPO, lldp, write_lldp

import tulle
from tulle.cabling import read_network
from tulle.cabling.live import read_live

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


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
