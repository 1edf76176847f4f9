"""Fabrics from and to networkx graphs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tulle.errors import InputError, MissingDependencyError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from tulle.fabric import Fabric


def read(graph: Any, endpoint_switch: ArrayLike | int | None) -> dict[str, Any]:
    """The arguments of ``Fabric.from_edges`` for an undirected graph."""
    if graph.is_directed():
        raise InputError("a directed graph; legal: an undirected one, as graph.to_undirected() makes")
    number = {node: switch for switch, node in enumerate(graph.nodes)}
    edges = np.array([(number[a], number[b]) for a, b in graph.edges()], dtype=np.int64).reshape(-1, 2)
    return {
        "edges": edges,
        "endpoint_switch": _attached(graph) if endpoint_switch is None else endpoint_switch,
        "num_switches": len(number),
        "labels": [str(node) for node in number],
    }


def _attached(graph: Any) -> list[int]:
    """The switch of every endpoint, from the node attribute ``endpoints``."""
    given = [attributes.get("endpoints", 0) for _, attributes in graph.nodes(data=True)]
    if all(isinstance(count, (int, np.integer)) for count in given):
        if min(given, default=0) < 0:
            raise InputError(f"endpoints={min(given)} on a node; legal: 0 or more, or a list of endpoint ids")
        return np.repeat(np.arange(len(given)), given).tolist()
    at: dict[int, int] = {}
    for switch, ids in enumerate(given):
        if ids == 0:
            continue
        try:
            at.update({int(endpoint): switch for endpoint in ids})
        except (TypeError, ValueError):
            raise InputError(f"endpoints={ids!r} on a node; legal: a list of endpoint ids on every node") from None
    if sorted(at) != list(range(len(at))) or len(at) != sum(len(ids) for ids in given if ids != 0):
        raise InputError(f"the endpoint ids of the nodes are not 0 to {len(at) - 1}, each once")
    return [at[endpoint] for endpoint in range(len(at))]


def write(fabric: Fabric) -> Any:
    """A Graph, or a MultiGraph where cables are parallel."""
    try:
        import networkx
    except ImportError:
        raise MissingDependencyError("to_networkx needs networkx, which is not installed") from None
    parallel = len(np.unique(fabric.edges, axis=0)) < fabric.num_cables
    graph = networkx.MultiGraph() if parallel else networkx.Graph()
    graph.graph["fabric"] = fabric.spec
    attached: list[list[int]] = [[] for _ in range(fabric.num_switches)]
    for endpoint, switch in enumerate(fabric.endpoint_switch.tolist()):
        attached[switch].append(endpoint)
    levels = fabric.levels.tolist()
    for switch, label in enumerate(fabric.labels):
        graph.add_node(switch, label=label, level=levels[switch], endpoints=attached[switch])
    for (a, b), cable in zip(fabric.edges.tolist(), fabric.cables.tolist(), strict=True):
        graph.add_edge(a, b, cable=cable)
    return graph
