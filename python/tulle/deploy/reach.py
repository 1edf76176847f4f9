"""The channel-dependency graph over all paths that packets can take while switches may have old or new tables.

A *state* of a network is a choice: every switch forwards an address by one of several tables, and maps service levels
to virtual channels (VCs) by one of several maps; every source sends on one of several service levels. A packet may meet
a different choice at each switch. A node of the graph is a VC of a link: a virtual lane of InfiniBand, or a priority of
Ethernet. The graph has an edge from each VC that some packet of some state can hold to the VC that it then waits for.
If the graph has no cycle, no state can deadlock, nor can any mixture of states (Dally and Seitz: an acyclic
channel-dependency graph suffices). The condition is sufficient, not necessary.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tulle import _tulle
from tulle._internal.text import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    # Port numbers, unsigned integers of any width.
    Table = NDArray[Any]

__all__ = [
    "DISCARD",
    "NOWHERE",
    "NO_VC",
    "NUM_VCS",
    "Dependencies",
    "Wires",
    "cycle_text",
    "in_cycles",
    "loops",
    "may_deadlock",
    "one_cycle",
    "reach",
]

NUM_VCS = 16
"""The number of VCs, and of service levels."""
DISCARD = 15
"""The VC in a map that makes a switch discard the packet, as VL 15 in an SL-to-VL table does."""
NO_VC = 255
"""The value that stands for the VCs of a map row that is unknown."""
NOWHERE = 255
"""The port number in byte tables that means that the switch does not forward the address."""
# Maximum number of nodes of a cycle in a message.
_MOST_LISTED = 8


class Wires(NamedTuple):
    """The other ends of the links at switch ports. All arrays are indexed by switch and port."""

    to: NDArray[np.int32]
    """The switch at the other end; −1 if the port leads to no switch."""
    port: Table
    """The port of that switch."""
    foreign: NDArray[np.bool_]
    """Whether the other end is a switch whose tables are unknown."""
    down: NDArray[np.int32]
    """The switch at the other end of a link that is now down; −1 if there is no such link. Packets that crossed the
    link before its failure continue.
    """
    down_port: Table
    """The port of that switch."""


class Dependencies(NamedTuple):
    """The channel dependencies of all states."""

    pairs: NDArray[np.int64]
    """The VC held and the VC waited for, each as ``(switch · ports + port) · NUM_VCS + vc``, int64 (pairs, 2)."""
    unknown: int
    """Hops whose VC is unknown."""
    foreign: NDArray[np.int64]
    """Ports, as ``switch · ports + port``, that lead packets to switches whose tables are unknown."""


def reach(
    wires: Wires,
    tables: Sequence[Table],
    levels: NDArray[np.uint16],
    maps: Sequence[NDArray[np.uint8]],
    entry: Sequence[tuple[int, int]],
    rounds_from: int = 0,
) -> Dependencies:
    """Follow every path of every state, and collect the channel dependencies.

    Parameters
    ----------
    wires
        The links.
    tables
        Tables of ports by switch and address; a number above all ports means that the switch does not forward the
        address. A packet may meet any of these tables at each switch.
    levels
        The service levels that sources use, by source switch and address, one bit for each level; 0: nothing is sent.
    maps
        Maps from switch, input port, output port and service level to a VC, or to `DISCARD`. A packet may meet any of
        these maps.
    entry
        Switches with sources, each with a port by which packets from its sources arrive.
    rounds_from
        If tables are loaded in rounds, the number of old tables, which come first in `tables`: a packet that has met a
        new table meets only new ones afterwards. 0: tables are loaded in any order.
    """
    pairs, unknown, foreign = _tulle.state_dependencies(*_state(wires, tables, levels, maps, entry, rounds_from))
    return Dependencies(pairs, unknown, foreign.astype(np.int64))


def may_deadlock(
    wires: Wires,
    tables: Sequence[Table],
    levels: NDArray[np.uint16],
    maps: Sequence[NDArray[np.uint8]],
    entry: Sequence[tuple[int, int]],
    rounds_from: int = 0,
) -> bool:
    """Return whether the channel dependencies of `reach` have a cycle, or the VC of some hop is unknown.

    This is faster than `reach` and `in_cycles`, because the dependencies are not copied.
    """
    return _tulle.may_deadlock(*_state(wires, tables, levels, maps, entry, rounds_from))


class _State(NamedTuple):
    """The arguments of `_tulle.state_dependencies`."""

    ends: tuple[NDArray[np.int32], NDArray[np.uint16], NDArray[np.bool_], NDArray[np.int32], NDArray[np.uint16]]
    tables: list[NDArray[np.uint16]]
    levels: NDArray[np.uint16]
    maps: list[NDArray[np.uint8]]
    entry: list[tuple[int, int]]
    rounds_from: int


def _state(
    wires: Wires,
    tables: Sequence[Table],
    levels: NDArray[np.uint16],
    maps: Sequence[NDArray[np.uint8]],
    entry: Sequence[tuple[int, int]],
    rounds_from: int,
) -> _State:
    ends = (
        np.ascontiguousarray(wires.to, np.int32),
        _ports(wires.port),
        np.ascontiguousarray(wires.foreign, np.bool_),
        np.ascontiguousarray(wires.down, np.int32),
        _ports(wires.down_port),
    )
    # Repairs usually keep the maps, so old and new tables often have the same one.
    different = {id(map_): map_ for map_ in maps}.values()
    return _State(
        ends,
        [_ports(table) for table in tables],
        np.ascontiguousarray(levels, np.uint16),
        [np.ascontiguousarray(map_, np.uint8) for map_ in different],
        [*entry],
        rounds_from,
    )


def _ports(table: Table) -> NDArray[np.uint16]:
    """Return port numbers as 16-bit numbers; the largest number of a type means that there is no port."""
    ports = np.ascontiguousarray(table, np.uint16)
    if table.dtype == np.uint8:
        ports = np.where(ports == NOWHERE, np.iinfo(np.uint16).max, ports).astype(np.uint16)
    return ports


def _onward(wires: Wires, table: Table) -> Table:
    """Drop table entries that lead to no switch."""
    known = table < wires.to.shape[1]
    place = np.where(known, table, 0)
    rows = np.arange(len(table))[:, None]
    leads = (wires.to >= 0) | wires.foreign
    found: Table = np.where(known & leads[rows, place], table, np.iinfo(table.dtype).max).astype(table.dtype)
    return found


def loops(wires: Wires, table: Table, sources: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Find the paths of one table that loop, by source switch and address.

    The parameter `sources` marks the paths to check. All switches use the given table.
    """
    switches = len(table)
    onward = _onward(wires, table)
    go = onward < wires.to.shape[1]
    rows = np.arange(switches)[:, None]
    end = switches
    steps = np.where(go, wires.to[rows, np.where(go, onward, 0)], end)
    steps = np.where(steps < 0, end, steps)
    steps = np.concatenate((steps, np.full((1, table.shape[1]), end, steps.dtype)))
    # Each pass doubles the number of followed hops, until it is at least the number of switches. A path that has not
    # ended by then is a loop.
    for _ in range(max(1, int(switches).bit_length())):
        steps = np.take_along_axis(steps, steps, axis=0)
    found: NDArray[np.bool_] = (steps[:switches] != end) & sources
    return found


def in_cycles(pairs: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the nodes on a cycle, and those that a cycle leads to, in ascending order."""
    return _tulle.in_cycles(np.ascontiguousarray(pairs.reshape(-1, 2), np.int64)).astype(np.int64)


def one_cycle(pairs: NDArray[np.int64], left: NDArray[np.int64]) -> list[int]:
    """Find one cycle among the nodes that `in_cycles` returns; each node waits for the next."""
    inside = pairs[np.isin(pairs[:, 0], left) & np.isin(pairs[:, 1], left)]
    # Every remaining node has a predecessor, so following predecessors returns to a node that was visited.
    before = {int(wanted): int(held) for held, wanted in inside[::-1]}
    trail, at = [], int(left[0])
    while at not in trail:
        trail.append(at)
        at = before[at]
    return trail[trail.index(at) :][::-1]


def cycle_text(one: str, several: str, cycle: Sequence[int], name: Callable[[int], str]) -> str:
    """Describe a cycle of `one_cycle`: its length and its nodes. Of a long cycle, only the first nodes are named."""
    names = ", ".join(name(node) for node in cycle[:_MOST_LISTED])
    begins = " begins with" if len(cycle) > _MOST_LISTED else ":"
    return f"one cycle of {counted(len(cycle), one, several)}{begins} {names}"
