"""Convert networkx graphs to fabrics and back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from tulle._internal.arguments import kind_of
from tulle._internal.text import brief, counted, verb
from tulle.errors import InputError, MissingDependencyError
from tulle.fabric.foreign import LEFT_OUT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike

    from tulle.fabric.fabric import Fabric
    from tulle.fabric.properties import Link, Properties

    _Row = tuple[int, int, Mapping[str, Any]]
    """An edge: two switches and its attributes."""


def read(graph: Any, endpoint_switch: ArrayLike | int | None, directed: str | None = None) -> dict[str, Any]:
    """Return the arguments of ``Fabric.from_edges`` for a graph; `directed` says how to read a directed graph."""
    if not all(hasattr(graph, name) for name in ("is_directed", "nodes", "edges")):
        raise InputError(f"graph is {kind_of(graph)}; legal: a networkx graph, for example networkx.petersen_graph()")
    if directed not in (None, "undirected"):
        raise InputError(f"directed={brief(repr(directed))} is not a choice; legal: 'undirected', or None")
    number = {node: switch for switch, node in enumerate(graph.nodes)}
    rows = [(number[a], number[b], data) for a, b, data in graph.edges(data=True)]
    loops = [a for a, b, _ in rows if a == b]
    if loops:
        node = brief(repr(list(number)[loops[0]]))
        raise InputError(
            f"{counted(len(loops), 'edge')} from a node to itself, for example at node {node}; legal: none; "
            "graph.remove_edges_from(list(networkx.selfloop_edges(graph))) removes them"
        )
    # The switch with the lower id comes first, as in the properties of cables.
    rows = _cables(rows, directed) if graph.is_directed() else [(min(a, b), max(a, b), data) for a, b, data in rows]
    labels = [data.get("label") for _, data in graph.nodes(data=True)]
    return {
        "edges": np.array([row[:2] for row in rows], dtype=np.int64).reshape(-1, 2),
        "endpoint_switch": _attached(graph) if endpoint_switch is None else _switches(endpoint_switch, number),
        "num_switches": len(number),
        "labels": [str(label) for label in (number if None in labels else labels)],
        "properties": _properties(graph, [data for *_, data in rows], endpoint_switch is None),
        "warnings": _ignored(graph),
    }


# Attributes that `read` uses, and those that hold no property of a network.
_READ_OF_NODES = {"label", "level", "role", "ports", "endpoints", "pos", *LEFT_OUT}
_READ_OF_EDGES = {
    *("rate", "rate_back", "latency", "latency_back", "length", "medium", "cost", "cost_back"),
    *("name", "source_port", "target_port", "cable", *LEFT_OUT),
}


def _ignored(graph: Any) -> list[str]:
    """Return a warning that names the ignored attributes of nodes and edges, in the words of the readers of files."""
    names = {name for _, data in graph.nodes(data=True) for name in data if name not in _READ_OF_NODES}
    for *_, data in graph.edges(data=True):
        # A weight of 1 says nothing about a link; networkx sets it when it reads an adjacency matrix.
        names.update(
            name for name, value in data.items() if name not in _READ_OF_EDGES and (name, value) != ("weight", 1)
        )
    shown = [f"'{brief(str(name))}'" for name in sorted(names, key=str)]
    return (
        [f"attribute{'s' * (len(shown) > 1)} {', '.join(shown)} {verb(len(shown), 'is', 'are')} ignored"]
        if shown
        else []
    )


def _switches(endpoint_switch: ArrayLike | int, number: Mapping[Any, int]) -> ArrayLike | int:
    """Return switch ids for nodes of the graph. Return other values unchanged: ids, or a number of endpoints."""
    if isinstance(endpoint_switch, str) or not isinstance(endpoint_switch, Iterable):
        return endpoint_switch
    listed = list(endpoint_switch)
    try:
        unknown = [each for each in listed if each not in number]
    except TypeError:
        # These values cannot be nodes, for example the rows of an array with two dimensions.
        return endpoint_switch
    if not unknown:
        return np.array([number[each] for each in listed], dtype=np.int64)
    if isinstance(unknown[0], (int, np.integer)):
        return endpoint_switch
    legal = "legal: nodes of the graph, or ids of switches, or one number of endpoints per switch"
    raise InputError(f"endpoint_switch: {brief(repr(unknown[0]))} is not a node of the graph; {legal}")


def _cables(rows: list[_Row], directed: str | None) -> list[_Row]:
    """Return the cables of a directed graph: one per edge, or one per pair of edges if all edges have an opposite."""
    if directed is None:
        raise InputError(
            "a directed graph; legal: directed='undirected', which reads every edge as a cable, or an undirected "
            "graph, for example graph.to_undirected()"
        )
    there = Counter((a, b) for a, b, _ in rows if a < b)
    back = Counter((b, a) for a, b, _ in rows if a > b)
    if there == back:
        return [row for row in rows if row[0] < row[1]]
    if both := len(there.keys() & back.keys()):
        raise InputError(
            f"{both} of {len(there | back)} connected pairs of nodes have edges in both directions, the others in one "
            "direction; legal: an undirected graph, for example graph.to_undirected()"
        )
    return [row if row[0] < row[1] else (row[1], row[0], _reversed(row[2])) for row in rows]


def _reversed(data: Mapping[str, Any]) -> dict[str, Any]:
    """Swap the attributes of an edge that depend on its direction."""
    names = {"source_port": "target_port"}
    # An attribute that only one direction has applies to both.
    names |= {name: back for name in ("rate", "latency", "cost") if (back := f"{name}_back") in data}
    names |= {back: name for name, back in names.items()}
    return {names.get(name, name): value for name, value in data.items()}


def _properties(graph: Any, cables: Sequence[Mapping[str, Any]], endpoints: bool) -> Properties:
    """Read the properties that `write` stores in a graph."""
    found: Properties = {}
    nodes = [data for _, data in graph.nodes(data=True)]
    if any("level" in data for data in nodes):
        found["levels"] = [_whole("level", data.get("level", 0), 255) or 0 for data in nodes]
    if any("role" in data for data in nodes):
        found["roles"] = [str(data.get("role", "")) for data in nodes]
    if any("ports" in data for data in nodes):
        found["switch_ports"] = [_whole("ports", data.get("ports", 0), 1 << 20) or 0 for data in nodes]
    if any("name" in data for data in cables):
        found["cable_names"] = [str(data.get("name", "")) for data in cables]
    if any("source_port" in data or "target_port" in data for data in cables):
        found["ports"] = [(str(data.get("source_port", "")), str(data.get("target_port", ""))) for data in cables]
    if any(name in data for data in cables for name in (*_QUANTITIES, "medium", "rate_back", "latency_back")):
        found["links"] = [_link(data) for data in cables]
        found["links_back"] = [
            _link({**data, **{name: data[f"{name}_back"] for name in _QUANTITIES if f"{name}_back" in data}})
            for data in cables
        ]
    if any(name in data for data in cables for name in ("cost", "cost_back")):
        found["costs"] = [
            (_cost("cost", data.get("cost")), _cost("cost_back", data.get("cost_back", data.get("cost"))))
            for data in cables
        ]
    if endpoints:
        for name in ("endpoint_names", "endpoint_ports", "host_ports", "endpoint_links"):
            if name in graph.graph:
                # JSON has lists for tuples.
                rows = graph.graph[name]
                found[name] = [tuple(row) if isinstance(row, list) else row for row in rows]
    return found


_QUANTITIES = {"rate": "bits per second", "latency": "picoseconds", "length": "millimetres"}


def _link(data: Mapping[str, Any]) -> Link:
    rate, latency, length = (_whole(name, data.get(name), 1 << 53) for name in _QUANTITIES)
    medium = data.get("medium")
    return rate, latency, length, None if medium is None else str(medium)


def _cost(name: str, value: Any) -> int:
    """Return the cost, or 0 if it is unknown."""
    if value is None:
        return 0
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or not 1 <= value < 1 << 32:
        legal = f"whole numbers from 1 to {(1 << 32) - 1}"
        raise InputError(f"{name}={value!r} in a graph is not a valid cost; legal: {legal}")
    return int(value)


def _whole(name: str, value: Any, most: int) -> int | None:
    """Read a whole number from an attribute of a node or edge."""
    if value is None:
        return None
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or not 0 <= value <= most:
        unit = f" of {_QUANTITIES[name]}" if name in _QUANTITIES else ""
        raise InputError(f"{name}={value!r} in a graph is not a whole number{unit}; legal: 0 to {most}")
    return int(value)


def _attached(graph: Any) -> list[int]:
    """Return the switch of every endpoint, from the node attribute ``endpoints``."""
    given = [attributes.get("endpoints", 0) for _, attributes in graph.nodes(data=True)]
    if all(isinstance(count, (int, np.integer)) for count in given):
        if min(given, default=0) < 0:
            node = brief(repr(list(graph)[given.index(min(given))]))
            raise InputError(f"node {node}: endpoints={min(given)}; legal: 0 or more, or a list of endpoint ids")
        return np.repeat(np.arange(len(given)), given).tolist()
    at: dict[int, int] = {}
    for switch, ids in enumerate(given):
        if ids == 0:
            continue
        try:
            at.update({int(endpoint): switch for endpoint in ids})
        except (TypeError, ValueError):
            node = brief(repr(list(graph)[switch]))
            raise InputError(f"node {node}: endpoints={ids!r}; legal: a list of endpoint ids on every node") from None
    count = sum(len(ids) for ids in given if ids != 0)
    if missing := sorted({*range(count)} - at.keys()):
        raise InputError(
            f"the nodes have {count} endpoint ids, but not id {missing[0]}; legal: 0 to {count - 1}, each once"
        )
    return [at[endpoint] for endpoint in range(len(at))]


def write(fabric: Fabric) -> Any:
    """Convert a fabric to a Graph, or to a MultiGraph if it has parallel cables."""
    try:
        import networkx
    except ModuleNotFoundError:
        raise MissingDependencyError("to_networkx needs networkx; install tulle[formats]") from None
    parallel = len(np.unique(fabric.edges, axis=0)) < fabric.num_cables
    graph = networkx.MultiGraph() if parallel else networkx.Graph()
    graph.graph["fabric"] = fabric.spec
    attached: list[list[int]] = [[] for _ in range(fabric.num_switches)]
    for endpoint, switch in enumerate(fabric.endpoint_switch.tolist()):
        attached[switch].append(endpoint)
    levels = fabric.levels.tolist()
    properties = fabric.properties
    roles, ports = properties.get("roles"), properties.get("switch_ports")
    for switch, label in enumerate(fabric.labels):
        graph.add_node(switch, label=label, level=levels[switch], endpoints=attached[switch])
        if roles:
            graph.nodes[switch]["role"] = roles[switch]
        if ports:
            graph.nodes[switch]["ports"] = ports[switch]
    for row, ((a, b), cable) in enumerate(zip(np.asarray(fabric.edges).tolist(), fabric.cables.tolist(), strict=True)):
        graph.add_edge(a, b, cable=cable, **_attributes(properties, row))
    for name in ("endpoint_names", "endpoint_ports", "host_ports", "endpoint_links"):
        if name in properties:
            graph.graph[name] = properties[name]
    return graph


def _attributes(properties: Properties, row: int) -> dict[str, Any]:
    """Return the known properties of a cable as attributes of its edge."""
    data: dict[str, Any] = {}
    if "links" in properties:
        there, back = properties["links"][row], properties["links_back"][row]
        data = dict(zip((*_QUANTITIES, "medium"), there, strict=True))
        data.update({f"{name}_back": back[at] for at, name in enumerate(("rate", "latency")) if back[at] != there[at]})
    if "costs" in properties:
        cost, cost_back = (value or None for value in properties["costs"][row])
        data["cost"] = cost
        if cost_back != cost:
            data["cost_back"] = cost_back
    if "cable_names" in properties:
        data["name"] = properties["cable_names"][row] or None
    if "ports" in properties:
        data["source_port"], data["target_port"] = (port or None for port in properties["ports"][row])
    return {name: value for name, value in data.items() if value is not None or name.endswith("_back")}
