"""Which lanes of links wait for which, over all paths that packets can walk while several tables may be loaded.

A *state* of a network is a choice: every switch forwards an address by one of several tables, and maps service levels
to virtual lanes by one of several maps; every source sends on one of several service levels. A packet may meet a
different choice at each switch. The graph here has an edge for each pair of lanes of links that some packet of some
state can hold and wait for. If it has no cycle, no state can deadlock, nor can any mixture of states (Dally and Seitz:
an acyclic channel-dependency graph suffices). The condition is sufficient, not necessary.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    # Ports, of unsigned integers.
    Table = NDArray[Any]

__all__ = ["LANES", "NOWHERE", "NO_LANE", "Waits", "Wires", "in_circles", "loops", "one_circle", "reach"]

LANES = 16
"""Virtual lanes and service levels that a packet can have."""
NO_LANE = 255
"""The lane where no row of a map tells it."""
NOWHERE = 255
"""The port of an address that a switch does not forward, in tables of bytes."""

# Pairs of an address and a switch that are walked together: bounds memory.
_TOGETHER = 1 << 20


class Wires(NamedTuple):
    """Where ports of switches lead, arrays by switch and port."""

    to: NDArray[np.int32]
    """The switch; −1 where none is."""
    port: Table
    """The port there."""
    strange: NDArray[np.bool_]
    """Whether a switch is there whose tables are not known."""
    gone: NDArray[np.int32]
    """The switch to which a link led that is down; −1 where none did. Packets that crossed it before go on."""
    gone_port: Table
    """The port there."""


class Waits(NamedTuple):
    """What packets can hold and wait for."""

    pairs: NDArray[np.int64]
    """Lane held and lane waited for, each ``(switch · ports + port) · LANES + lane``, int64 (pairs, 2)."""
    unknown: int
    """Hops whose lane no map tells."""
    strange: NDArray[np.int64]
    """Ports, ``switch · ports + port``, that lead packets to switches whose tables are not known."""


def reach(
    wires: Wires,
    tables: Sequence[Table],
    levels: NDArray[np.uint16],
    maps: Sequence[NDArray[np.uint8]],
    entry: Sequence[tuple[int, int]],
    rounds_from: int = 0,
) -> Waits:
    """Walks every path of every state.

    Parameters
    ----------
    wires
        The links.
    tables
        Ports by switch and address, a number above all ports where a switch does not forward it; a packet may meet any
        of these.
    levels
        By source switch and address the service levels that packets can be sent on, a bit for each; 0: none is sent.
    maps
        The lane by switch, in-port, out-port and service level; a packet may meet any of these.
    entry
        Switches that have sources, with a port by which packets of sources come in.
    rounds_from
        Of tables that are loaded in rounds, so that a packet which has met a new one meets new ones alone from there
        on, how many come first that are old; 0: they are loaded in any order.
    """
    columns = _columns(wires, tables, levels)
    chunk = max(1, _TOGETHER // max(1, len(wires.to)))
    pairs, strange, unknown = [np.zeros((0, 2), np.int64)], [np.zeros(0, np.int64)], 0
    for first in range(0, len(columns), chunk):
        some = columns[first : first + chunk]
        found = _walk(wires, [table[:, some] for table in tables], levels[:, some], maps, entry, rounds_from)
        pairs.append(found.pairs)
        strange.append(found.strange)
        unknown += found.unknown
    return Waits(_unique_pairs(np.concatenate(pairs)), unknown, np.unique(np.concatenate(strange)))


def _columns(wires: Wires, tables: Sequence[Table], levels: NDArray[np.uint16]) -> NDArray[np.int64]:
    """One address of each set that all switches forward alike and whose sources have the same service levels."""
    parts: list[NDArray[Any]] = [*(_onward(wires, table, gone=True) for table in tables), levels]
    seen: dict[bytes, int] = {}
    for address in range(levels.shape[1]):
        if levels[:, address].any():
            key = b"".join(part[:, address].tobytes() for part in parts)
            seen.setdefault(key, address)
    return np.array(sorted(seen.values()), np.int64)


def _onward(wires: Wires, table: Table, *, gone: bool = False) -> Table:
    """A table without entries that lead to no switch: there, packets wait for no link between switches."""
    known = table < wires.to.shape[1]
    place = np.where(known, table, 0)
    rows = np.arange(len(table))[:, None]
    leads = (wires.to >= 0) | wires.strange | (gone & (wires.gone >= 0))
    found: Table = np.where(known & leads[rows, place], table, np.iinfo(table.dtype).max).astype(table.dtype)
    return found


def _walk(
    wires: Wires,
    tables: Sequence[Table],
    levels: NDArray[np.uint16],
    maps: Sequence[NDArray[np.uint8]],
    entry: Sequence[tuple[int, int]],
    rounds_from: int,
) -> Waits:
    switches, ports = wires.to.shape
    nodes = switches * ports * LANES
    starts: list[NDArray[np.int64]] = []
    for switch, port in entry:
        for level in range(LANES):
            addresses = np.flatnonzero(levels[switch] >> level & 1)
            flow = (addresses * LANES + level) * 2
            starts.append(np.stack(np.broadcast_arrays(flow, switch, port, -1), axis=1).astype(np.int64))
    # Columns: flow (address, service level, and whether it has met a new table of rounds), switch, in-port, lane of a
    # link that is held. A packet from its source, or over a link that is down since, holds nothing that others wait
    # for: −1.
    front = np.concatenate(starts) if starts else np.zeros((0, 4), np.int64)
    ends = np.concatenate((wires.to.reshape(-1), wires.gone.reshape(-1))).astype(np.int64)
    ins = np.concatenate((wires.port.reshape(-1), wires.gone_port.reshape(-1))).astype(np.int64)
    visited = np.zeros(0, np.int64)
    pairs, strange, unknown = [np.zeros((0, 2), np.int64)], [np.zeros(0, np.int64)], 0
    while len(front):
        # Columns: flow, lane that it holds, lane of the next link; links that are down come last.
        onward = []
        for number, table in enumerate(tables):
            flow, at, came, held = front[front[:, 0] % 2 == 0].T if number < rounds_from else front.T
            out = table[at, flow // (2 * LANES)].astype(np.int64)
            if 0 < rounds_from <= number:
                flow = flow | 1
            known = out < ports
            place = np.where(known, out, 0)
            link = at * ports + out
            strange.append(np.unique(link[known & wires.strange[at, place]]))
            lost = known & (wires.gone[at, place] >= 0)
            onward.append(np.stack((flow, held, nodes + link * LANES), axis=1)[lost])
            go = known & (wires.to[at, place] >= 0)
            flow, at, came, held, out, link = (column[go] for column in (flow, at, came, held, out, link))
            for lanes in maps:
                lane = lanes[at, came, out, flow // 2 % LANES].astype(np.int64)
                told = lane < LANES
                unknown += int(np.count_nonzero(~told))
                onward.append(np.stack((flow, held, link * LANES + lane), axis=1)[told])
        steps = np.concatenate(onward)
        waiting = (steps[:, 1] >= 0) & (steps[:, 2] < nodes)
        pairs.append(_unique_pairs(steps[waiting][:, 1:]))
        keys = np.unique(steps[:, 0] * (2 * nodes) + steps[:, 2])
        keys = keys[~np.isin(keys, visited, assume_unique=True)]
        visited = np.union1d(visited, keys)
        flow, now = np.divmod(keys, 2 * nodes)
        link = now // LANES
        held = np.where(now < nodes, now, -1)
        front = np.stack((flow, ends[link], ins[link], held), axis=1)
    return Waits(_unique_pairs(np.concatenate(pairs)), unknown, np.unique(np.concatenate(strange)))


def _unique_pairs(pairs: NDArray[np.int64]) -> NDArray[np.int64]:
    span = int(pairs.max(initial=0)) + 1
    keys = np.unique(pairs[:, 0] * span + pairs[:, 1])
    return np.stack((keys // span, keys % span), axis=1)


def loops(wires: Wires, table: Table, sources: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The paths of one table that lead around, by source switch and address.

    `sources` has the paths that matter; the table alone is loaded everywhere.
    """
    switches = len(table)
    onward = _onward(wires, table)
    go = onward < wires.to.shape[1]
    rows = np.arange(switches)[:, None]
    end = switches
    steps = np.where(go, wires.to[rows, np.where(go, onward, 0)], end)
    steps = np.where(steps < 0, end, steps)
    steps = np.concatenate((steps, np.full((1, table.shape[1]), end, steps.dtype)))
    # After 2^n hops, at least as many as there are switches, whoever is not at an end goes around.
    for _ in range(max(1, int(switches).bit_length())):
        steps = np.take_along_axis(steps, steps, axis=0)
    found: NDArray[np.bool_] = (steps[:switches] != end) & sources
    return found


def in_circles(pairs: NDArray[np.int64]) -> NDArray[np.int64]:
    """The nodes that stay when those that nothing waits behind are taken away, again and again; empty: no cycle."""
    nodes, flat = np.unique(pairs, return_inverse=True)
    held, wanted = flat.reshape(-1, 2).T
    order = np.argsort(held, kind="stable")
    starts = np.searchsorted(held[order], np.arange(len(nodes) + 1))
    indegree = np.bincount(wanted, minlength=len(nodes))
    gone = np.zeros(len(nodes), np.bool_)
    front = np.flatnonzero(indegree == 0)
    while len(front):
        gone[front] = True
        parts = [order[starts[node] : starts[node + 1]] for node in front.tolist()]
        after = wanted[np.concatenate(parts)]
        np.subtract.at(indegree, after, 1)
        after = np.unique(after)
        front = after[(indegree[after] == 0) & ~gone[after]]
    return nodes[~gone]


def one_circle(pairs: NDArray[np.int64], left: NDArray[np.int64]) -> list[int]:
    """A circle among the nodes that `in_circles` leaves, each waiting for the next."""
    inside = pairs[np.isin(pairs[:, 0], left) & np.isin(pairs[:, 1], left)]
    # Whatever is left has one that holds it and waits: backward, one comes around.
    before = {int(wanted): int(held) for held, wanted in inside[::-1]}
    trail, at = [], int(left[0])
    while at not in trail:
        trail.append(at)
        at = before[at]
    return trail[trail.index(at) :][::-1]
