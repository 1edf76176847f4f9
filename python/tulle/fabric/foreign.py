"""Graph files that networkx reads: GML, GEXF, Pajek, graph6, sparse6, multiline adjacency lists.

The Rust core calls `convert` for these formats, and reads the returned JSON, which is networkx's
node-link format. Attributes keep the names that networkx gives them.
"""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tulle._internal.text import counted
from tulle._tulle import read_duration, read_length, read_rate
from tulle.errors import TulleError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["convert"]


def convert(path: str, word: str) -> str:
    """Convert the file to networkx's node-link JSON.

    Parameters
    ----------
    path
        The file.
    word
        The name of the file's format, for example ``gml``.

    Raises
    ------
    ValueError
        The reason why the file cannot be read, in one line.
    """
    try:
        import networkx
    except ModuleNotFoundError:
        raise ValueError(f"format {word} needs networkx; install tulle[formats]") from None
    content = Path(path).read_bytes()
    try:
        graph = _READERS[word](networkx, content)
    except _RefusedError as refused:
        raise ValueError(str(refused)) from None
    except RecursionError:
        raise ValueError(f"networkx cannot read this as {word}: too deeply nested") from None
    except Exception as error:  # networkx's parsers can raise any exception.
        said = " ".join(str(error).split()) or type(error).__name__
        raise ValueError(f"networkx cannot read this as {word}: {_short(said)}") from None
    try:
        return json.dumps(_node_link(graph))
    except TulleError as error:
        raise ValueError(str(error)) from None


class _RefusedError(Exception):
    """Raised for content that tulle refuses, for example because networkx would misread it or drop it silently."""


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:60]}…"


def _text(content: bytes) -> str:
    return content.decode("utf-8-sig")


def _gml(networkx: Any, content: bytes) -> Any:
    text = _text(content)
    # networkx refuses parallel edges unless the file declares them, and many files do not. Declaring them is harmless.
    if not re.search(r"^\s*multigraph\s+1\b", text, re.MULTILINE):
        text = re.sub(r"(\bgraph\s*\[)", r"\1\n  multigraph 1\n", text, count=1)
    return networkx.parse_gml(text.splitlines(), label="id")


def _gexf(networkx: Any, content: bytes) -> Any:
    return networkx.read_gexf(io.BytesIO(content))


def _pajek(networkx: Any, content: bytes) -> Any:
    """Read the vertices and all lists of edges; networkx would read only one list and need a name for every vertex."""
    known = ("*network", "*vertices", "*edges", "*edgeslist", "*arcs", "*arcslist", "*matrix")
    ids: list[str] = []
    vertices: dict[str, dict[str, str]] = {}
    edges: list[tuple[str, str, dict[str, str]]] = []
    arcs: list[tuple[str, str, dict[str, str]]] = []
    rows = 0
    kind = ""
    for line in _text(content).splitlines():
        words = _PAJEK_WORD.findall(line)
        if not words or line.lstrip().startswith("%"):
            continue
        if words[0].startswith("*"):
            kind = words[0].lower().rstrip(":")
            if kind not in known:
                raise _RefusedError(f"'{_short(kind)}' of Pajek is not read; legal: {', '.join(known)}")
            if kind == "*vertices":
                ids = _vertices(ids, words, content)
        elif kind == "*vertices":
            label = {"label": words[1].strip('"')} if len(words) > 1 else {}
            # The attributes follow the vertex's coordinates and shape.
            vertices[_known_vertex(words[0], ids)] = {**_attributes(words[5:]), **label}
        elif kind in ("*edges", "*arcs"):
            ends = [_known_vertex(word, ids) for word in words[:2]]
            if len(ends) < 2:
                raise _RefusedError(f"'{_short(line.strip())}' names one vertex; legal: two")
            weight = {"weight": words[2]} if len(words) > 2 and not _is_one(words[2]) else {}
            (edges if kind == "*edges" else arcs).append((ends[0], ends[1], {**_attributes(words[3:]), **weight}))
        elif kind in ("*edgeslist", "*arcslist"):
            first, *others = [_known_vertex(word, ids) for word in words]
            (edges if kind == "*edgeslist" else arcs).extend((first, other, {}) for other in others)
        elif kind == "*matrix":
            if rows >= len(ids) or len(words) != len(ids):
                count = len(ids)
                raise _RefusedError(
                    f"row {rows + 1} has {counted(len(words), 'value')}; legal: {count} rows of {count} values"
                )
            weights = [{} if _is_one(word) else {"weight": word} for word in words]
            arcs.extend((ids[rows], ids[at], weights[at]) for at, word in enumerate(words) if float(word) != 0)
            rows += 1
    if not ids:
        raise _RefusedError("the file has no vertices; legal: one list, after *vertices")
    graph = networkx.MultiDiGraph() if arcs else networkx.MultiGraph()
    graph.add_nodes_from((node, {"label": node, **vertices.get(node, {})}) for node in ids)
    graph.add_edges_from([*edges, *arcs])
    return graph


_PAJEK_WORD = re.compile(r'"[^"]*"|\S+')


def _vertices(ids: list[str], words: list[str], content: bytes) -> list[str]:
    """Return the numbers of the vertices, from 1."""
    if ids:
        raise _RefusedError("a second list of vertices; legal: one")
    said = words[1] if len(words) > 1 else ""
    if not (said.isascii() and said.isdecimal()) or not 0 < int(said) <= max(1 << 16, len(content)):
        legal = f"legal: 1 to {max(1 << 16, len(content))}"
        raise _RefusedError(f"'{_short(said)}' is not a legal number of vertices; {legal}")
    return [str(number) for number in range(1, int(said) + 1)]


def _known_vertex(word: str, ids: list[str]) -> str:
    if not (word.isascii() and word.isdecimal()) or not 0 < int(word) <= len(ids):
        raise _RefusedError(f"vertex '{_short(word)}' is unknown; legal: 1 to {len(ids)}")
    return str(int(word))


def _attributes(words: list[str]) -> dict[str, str]:
    """Return the attributes as a dictionary; the words alternate between name and value."""
    return {name: value.strip('"') for name, value in zip(words[::2], words[1::2], strict=False)}


def _is_one(weight: str) -> bool:
    try:
        return float(weight) == 1
    except ValueError:
        return False


def _graph6(networkx: Any, content: bytes) -> Any:
    return networkx.from_graph6_bytes(_single(content))


def _sparse6(networkx: Any, content: bytes) -> Any:
    line = _single(content)
    # networkx creates all nodes before it reads an edge, and a file of a few bytes may declare 2**36 nodes.
    said = line.removeprefix(b">>sparse6<<").removeprefix(b":")
    digits = said[2:8] if said.startswith(b"~~") else said[1:4] if said.startswith(b"~") else said[:1]
    nodes = 0
    for digit in digits:
        nodes = 64 * nodes + max(0, digit - 63)
    most = max(1 << 16, 8 * len(line))
    if nodes > most:
        raise _RefusedError(f"{nodes} nodes are too many for a file of {len(line)} bytes; legal: at most {most}")
    return networkx.from_sparse6_bytes(line)


def _single(content: bytes) -> bytes:
    lines = content.split()
    if len(lines) != 1:
        raise _RefusedError(f"{len(lines)} graphs in the file; legal: one")
    return lines[0]


def _multiline(networkx: Any, content: bytes) -> Any:
    # The file may list each cable once from each end. In a directed graph, the two entries stay apart, so that the
    # Rust core recognises them.
    return networkx.parse_multiline_adjlist(iter(_text(content).splitlines()), create_using=networkx.MultiDiGraph())


_READERS: dict[str, Callable[[Any, bytes], Any]] = {
    "gml": _gml,
    "gexf": _gexf,
    "pajek": _pajek,
    "graph6": _graph6,
    "sparse6": _sparse6,
    "multiline-adjacency-list": _multiline,
}

# Attributes that are ignored: positions and styles of drawings, generated names of edges, repeated node names.
LEFT_OUT = {"id", "key", "viz", "x", "y", "shape"}
_UNITS: dict[str, Callable[[str], int]] = {
    "rate": lambda text: read_rate("edge", "rate", text),
    "latency": lambda text: read_duration("latency", text),
    "length": lambda text: read_length("edge", "length", text),
}
_SPEEDS = {"k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}


def _node_link(graph: Any) -> dict[str, Any]:
    """Return the graph in the form that the Rust core reads."""
    nodes = []
    # A graph that tulle wrote through networkx has numbers in tulle's units.
    is_ours = "fabric" in graph.graph
    labels = [str(said["label"]) for _, said in graph.nodes(data=True) if said.get("label") not in (None, "")]
    labelled = len(labels) == len(graph) == len(set(labels))
    for node, said in graph.nodes(data=True):
        kept = {name: _plain(value) for name, value in said.items() if name not in LEFT_OUT and name != "label"}
        label = {"label": str(said["label"])} if labelled else {}
        nodes.append({**kept, **label, "id": str(node)})
    edges = []
    for a, b, said in graph.edges(data=True):
        kept = {name: _plain(value) for name, value in said.items() if name not in LEFT_OUT}
        # In Pajek and GEXF the default weight is 1, so a weight of 1 says nothing about a link.
        if kept.get("weight") == 1:
            del kept["weight"]
        edges.append({**_quantities(kept, is_ours), "source": str(a), "target": str(b)})
    # All quantities were converted to tulle's units above.
    said = {"fabric": "foreign"}
    return {"directed": graph.is_directed(), "multigraph": True, "graph": said, "nodes": nodes, "edges": edges}


def _plain(value: Any) -> Any:
    if isinstance(value, list) and all(isinstance(part, int) for part in value):
        return value
    return value if isinstance(value, (str, int, float, bool)) else str(value)


def _quantities(said: dict[str, Any], is_ours: bool) -> dict[str, Any]:
    """Convert texts with units, and the link speeds of the Topology Zoo, to numbers in tulle's units."""
    for name, read in _UNITS.items():
        if isinstance(said.get(name), str):
            said[name] = read(said[name])
        elif name in said and not is_ours:
            said[f"{name} (without a unit)"] = said.pop(name)
    for name in ("cost", "cost_back"):
        text = said.get(name)
        # Formats that have only text attributes write numbers as text.
        if isinstance(text, str) and text.isascii() and text.isdecimal():
            said[name] = int(text)
    if "rate" not in said:
        try:
            if "LinkSpeedRaw" in said:
                rate = float(said["LinkSpeedRaw"])
            else:
                rate = float(said["LinkSpeed"]) * _SPEEDS[str(said["LinkSpeedUnits"]).lower()]
        except (KeyError, ValueError):
            return said
        if rate >= 1 and rate == int(rate):
            said["rate"] = int(rate)
            for name in ("LinkSpeedRaw", "LinkSpeed", "LinkSpeedUnits"):
                said.pop(name, None)
    return said
