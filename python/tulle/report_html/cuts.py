"""What a routing does if one cable fails: the table entries that rerouting changes, computed for a few cables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tulle.errors import InputError
from tulle.report_html.packing import packed
from tulle.report_html.routes import local

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tulle.fabric import Fabric
    from tulle.routing.routing import Routing


def cuts(routing: Routing, cables: NDArray[np.int64], kept: int) -> list[dict[str, Any]]:
    """Cut these cables (rows of `Fabric.cables`) one at a time, reroute, and return the changes of each cut.

    ``changes`` lists the changed entries of the first `kept` layers. An entry has layer, switch, destination, the
    number of ports of its new group, and the positions of the ports' channels. Path sets have only the numbers of
    changes.
    """
    if not len(cables):
        return []
    before = {"busiest_before": _busiest(routing), "longest_before": _longest(routing)}
    old = None if routing.num_paths is not None else local(routing.fabric, routing.next_hop_groups[:kept])
    return [_cut(routing, int(row), before, old) for row in cables]


def chosen(routing: Routing, most: int) -> NDArray[np.int64]:
    """Choose the cables to cut: the busiest cable of each class, then cables at even distances in the order of load."""
    load = paths_per_cable(routing)
    cables = routing.fabric.cables
    classes = routing.fabric.classes[cables]
    order = np.argsort(-load, kind="stable")
    busiest = [int(order[classes[order] == kind][0]) for kind in np.unique(classes)]
    spread = order[np.linspace(0, len(order) - 1, min(most, len(order)), dtype=np.int64)] if most else order[:0]
    return np.array(list(dict.fromkeys([*busiest, *spread.tolist()]))[:most], dtype=np.int64)


def paths_per_cable(routing: Routing) -> NDArray[np.float64]:
    """Return the number of paths over each cable, in both directions."""
    over, cables = routing.paths_over(), routing.fabric.cables
    found: NDArray[np.float64] = over[cables] + over[routing.fabric.reverse[cables]]
    return found


def _cut(routing: Routing, row: int, before: dict[str, float], old: NDArray[np.int64] | None) -> dict[str, Any]:
    fabric = routing.fabric
    damaged = fabric.without(links=fabric.cables[row : row + 1])
    try:
        found = routing.reroute(damaged)
    except InputError as error:
        return {"cable": row, "problem": str(error)}
    numbers = {
        "cable": row,
        "entries": found.entries,
        "touched": found.touched,
        "broken": found.broken,
        "added": found.added,
        **before,
        "busiest_after": _busiest(found.routing),
        "longest_after": _longest(found.routing),
    }
    return numbers if old is None else {**numbers, "changes": packed(_changes(fabric, old, found.routing))}


def _changes(fabric: Fabric, old: NDArray[np.int64], after: Routing) -> NDArray[np.int64]:
    """Return the changed entries one after the other; `old` has the positions of the old channels."""
    origin = after.fabric.origin
    assert origin is not None
    groups = after.next_hop_groups[: len(old)]
    # The damaged fabric has the same switches. Its channels have other ids, but the same order.
    new = local(fabric, np.where(groups < 0, -1, origin["channels"][groups]))
    width = max(old.shape[3], new.shape[3])
    old, new = (np.pad(of, [(0, 0)] * 3 + [(0, width - of.shape[3])], constant_values=-1) for of in (old, new))
    parts: list[int] = []
    for at in np.argwhere((old != new).any(axis=3)).tolist():
        ports = [port for port in new[tuple(at)].tolist() if port >= 0]
        parts += [*at, len(ports), *ports]
    return np.array(parts, dtype=np.int64)


def _busiest(routing: Routing) -> float:
    return float(routing.paths_over().max(initial=0))


def _longest(routing: Routing) -> int:
    if routing.num_paths is not None:
        return int(np.diff(routing.path_columns().offsets).max(initial=0))
    return max(len(routing.hop_counts(layer)) - 1 for layer in range(routing.num_layers))
