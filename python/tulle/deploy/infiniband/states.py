"""Prove that a repair is safe: while switches load its tables, no intermediate state can deadlock on the real cabling.

Switches load tables, SL-to-VL rows and single entries one at a time, in any order. Hosts keep the service level (SL)
of a path until they query its path record again, so packets with old SLs may meet new tables at any later time.

One dependency graph covers all these states. At every hop, a packet may meet the old or the new forwarding entry, and
the old or the new SL-to-VL row. Every path is followed on each SL that its source may use. If the graph has no cycle,
all states and mixtures of states are free of deadlock. If it has one, single states are checked to find the cause.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tulle._internal.html_summary import Shown, shown
from tulle._internal.text import counted, listed, verb
from tulle.deploy.infiniband.intent import LEVELS, NO_LANE
from tulle.deploy.infiniband.wiring import counted_paths
from tulle.deploy.reach import DISCARD, NOWHERE, NUM_VCS, cycle_text, in_cycles, loops, one_cycle, reach

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tulle.deploy.infiniband.generate import Deployment
    from tulle.deploy.infiniband.intent import Intent
    from tulle.deploy.infiniband.wiring import Wiring
    from tulle.deploy.reach import Dependencies

__all__ = [
    "Loaded",
    "PathRecord",
    "Proof",
    "State",
    "cycle_words",
    "entry_ports",
    "loaded",
    "proof_of",
    "sent",
    "to_load",
]


class Loaded(NamedTuple):
    """The tables of switches and service levels of hosts, by the switches and LIDs of the loaded bundle."""

    ports: NDArray[np.uint8]
    """The output port, by switch and LID."""
    levels: NDArray[np.uint16]
    """The service levels of packets by source switch and LID, one bit for each; 0: nothing is sent."""
    lanes: NDArray[np.uint8]
    """The VL by switch, input port, output port and service level."""


@dataclass(frozen=True)
class State(Shown):
    """A state that was checked: the forwarding tables, the service levels of hosts, and the SL-to-VL tables."""

    tables: str
    """The version of the forwarding tables: ``old``, ``new``, or ``any`` (old or new at each switch)."""
    levels: str
    lanes: str
    circular: int
    """The number of virtual lanes of links that are in dependency cycles, or that can be reached from a cycle."""
    circle: str
    """One of these cycles, as text."""
    unknown: int
    """The number of hops whose lane is unknown, and of ports to switches whose tables are unknown."""
    strangers: tuple[str, ...] = ()
    """Switches outside the bundle to which packets can be sent, as text. Their tables are unknown."""

    @property
    def proved(self) -> bool:
        """Whether the state is proved free of deadlock."""
        return not self.circular and not self.unknown

    @property
    def problem(self) -> str:
        """A description of the state's problem."""
        if self.circular:
            return f"{counted(self.circular, 'lane')} of links can deadlock; {self.circle}"
        if self.strangers:
            number = len(self.strangers)
            return (
                f"packets can be sent to {listed(self.strangers)}, {verb(number, 'a switch', 'switches')} outside the "
                f"bundle with unknown tables"
            )
        return f"cables are in ports for which the bundle has no SL-to-VL rows ({counted(self.unknown, 'hop')})"

    def fields(self) -> dict[str, Any]:
        """The fields for JSON."""
        return {
            "tables": self.tables,
            "levels": self.levels,
            "lanes": self.lanes,
            "proved": self.proved,
            "circular_lanes": self.circular,
            "unknown": self.unknown,
        }


@shown
class PathRecord(NamedTuple):
    """A path record whose service level changes."""

    switch: int
    """The source switch, by its id in the loaded bundle."""
    lid: int
    old: int
    """The highest outdated service level that hosts may use."""
    new: int


@dataclass(frozen=True)
class Proof(Shown):
    """The proof of a repair."""

    states: tuple[State, ...]
    """The checked states. The first one combines all states; if it is free of deadlock, no other state is checked."""
    final: State
    """The state after the repair, when all tables and service levels are new."""
    records: tuple[PathRecord, ...]
    """Path records whose service level changes."""
    looping: int
    """The number of paths of the loaded tables that loop on the actual cabling. All commands count the same paths:
    see `counted_paths`.
    """
    looping_after: int
    """The number of paths of the new tables that loop on the actual cabling, counted in the same way."""
    uncounted: tuple[int, int] = (0, 0)
    """The numbers of other paths that loop, with the loaded tables and with the new ones: paths between hosts of the
    same switch, and paths from switches whose hosts are all off.
    """
    multicast_shares: bool = False
    """Whether paths use the lane that only multicast used before."""
    unproved_tables: str = ""
    """Why the proof fails for tables of switches that have not loaded the bundle; empty if it does not fail."""

    @property
    def proved(self) -> bool:
        """Whether switches and hosts may load the repair under traffic, in any order."""
        is_out = self.loops or self.loops_after or self.multicast_shares or self.unproved_tables
        return not is_out and self.states[0].proved

    @property
    def loops(self) -> str:
        """The paths of the loaded tables that loop, as text; empty if there are none."""
        return _loops(self.looping, self.uncounted[0])

    @property
    def loops_after(self) -> str:
        """The paths of the new tables that loop, as text; empty if there are none."""
        return _loops(self.looping_after, self.uncounted[1])

    @property
    def why_not(self) -> str:
        """Why the repair is unsafe under traffic; empty if it is safe."""
        if self.proved:
            return ""
        if loops := self.loops or self.loops_after:
            return f"{loops} on the actual cabling"
        if self.unproved_tables:
            return self.unproved_tables
        if self.states[0].proved:
            return "paths use the lane that only multicast used before"
        blamed = next((state for state in self.states[1:] if not state.proved), self.states[0])
        return f"{_moment(blamed)}: {blamed.problem}"


def _loops(paths: int, others: int) -> str:
    """Say that paths loop; empty if none loops.

    `paths` is the number of looping paths that all commands count. The other looping paths are mentioned if it is 0.
    """
    if paths:
        return f"{counted(paths, 'path')} {verb(paths, 'loops', 'loop')}"
    return "packets between hosts of the same switch, or from hosts that are off now, loop" if others else ""


def _moment(state: State) -> str:
    """Describe when a state occurs."""
    if state.tables == "any":
        return "while switches load their tables one at a time"
    if state.tables == "new" and state.levels == "new":
        return "while switches with new forwarding tables have old SL-to-VL tables"
    if state.tables == "new":
        return "while hosts use old service levels, until they query path records again"
    return "while forwarding tables are still old, but the hosts' service levels and the SL-to-VL tables are new"


def entry_ports(intent: Intent, maps: Sequence[NDArray[np.uint8]]) -> list[tuple[int, int]]:
    """Return (switch, host port) pairs. Of a switch's host ports with equal SL-to-VL rows, only one is returned."""
    found = []
    ports_of: dict[int, list[int]] = {}
    for switch, port in zip(intent.endpoint_switch.tolist(), intent.endpoint_ports.tolist(), strict=True):
        ports_of.setdefault(switch, []).append(port)
    for switch, ports in sorted(ports_of.items()):
        onward = intent.links.to[switch] >= 0
        seen = set()
        for port in ports:
            key = b"".join(lanes[switch, port][onward].tobytes() for lanes in maps)
            if key not in seen:
                seen.add(key)
                found.append((switch, port))
    return found


def loaded(intent: Intent, unasked: NDArray[np.uint16] | None = None) -> Loaded:
    """The state that a bundle loads, plus older service levels that hosts may still use."""
    levels = sent(intent, intent.levels)
    if unasked is not None:
        levels = np.where(levels != 0, levels | unasked, 0).astype(np.uint16)
    return Loaded(intent.ports, levels, intent.lanes.switches)


def sent(intent: Intent, levels: NDArray[np.uint8]) -> NDArray[np.uint16]:
    """The service levels that hosts use, one bit for each, by source switch and LID of another host."""
    bits = np.left_shift(1, levels.astype(np.uint16)).astype(np.uint16)
    sources = np.zeros(len(levels), np.bool_)
    sources[intent.endpoint_switch] = True
    bits[~sources] = 0
    bits[:, intent.lid_endpoint < 0] = 0
    return bits


def to_load(intent: Intent, made: Deployment, origin: Sequence[int]) -> Loaded:
    """The state after all switches have loaded a repair; switches and LIDs have the ids of the bundle before it.

    The parameter `origin` has the old id of every remaining switch.
    """
    rows, width = np.array(origin, np.int64), intent.top + 1
    ports = np.full((len(intent.switch_guids), width), NOWHERE, np.uint8)
    ports[rows, : made.lfts.shape[1]] = made.lfts
    levels = np.zeros(ports.shape, np.uint8)
    levels[rows, : made.levels.shape[1]] = made.levels
    sending = sent(intent, levels)
    left = np.zeros(ports.shape, np.bool_)
    lids = made._core.endpoint_lids().astype(np.int64)[:, None] + np.arange(1 << made.lmc)
    left[np.ix_(rows, lids.reshape(-1))] = True
    sending[~left] = 0
    # SL-to-VL rows that the new bundle does not have are unknown, because OpenSM may keep or reset them.
    size = intent.num_ports
    lanes = np.full((len(intent.switch_guids), size, size, LEVELS), NO_LANE, np.uint8)
    network, hosts = np.zeros((len(rows), size), np.bool_), np.zeros((len(rows), size), np.bool_)
    sources = np.asarray(made.fabric.channels)[:, 0]
    network[sources, [int(port) for port in made.fabric.ports]] = True
    hosts[made.fabric.endpoint_switch, [int(port) for port in made.fabric.endpoint_ports]] = True
    hosts[:, 0] = True
    for now, before in enumerate(origin):
        outs = np.flatnonzero(network[now] | (hosts[now] & (np.arange(size) > 0)))
        for kind, ins in enumerate((network[now], hosts[now])):
            lanes[before][np.ix_(np.flatnonzero(ins), outs)] = made.lanes[now, kind]
        same = np.flatnonzero(network[now])
        lanes[before][same, same] = DISCARD
    return Loaded(ports, sending, lanes)


# If the combined state is not proved safe, these states are checked one by one to find the cause, and the first unsafe
# one is reported. Each names the versions of forwarding tables, service levels and SL-to-VL tables.
_SINGLE = (
    ("new", "old", "new"),
    ("new", "any", "new"),
    ("new", "old", "old"),
    ("new", "new", "old"),
    ("any", "old", "old"),
    ("any", "new", "new"),
    ("old", "new", "new"),
    ("old", "new", "old"),
    ("old", "old", "new"),
)


def proof_of(
    intent: Intent, before: Loaded, after: Loaded, wiring: Wiring, still: Sequence[NDArray[np.uint8]] = ()
) -> Proof:
    """Check all states between the state `before` and the state `after` on the actual cabling.

    The parameter `still` has older forwarding tables: a switch that has not loaded `before` yet may use one of them.
    Loops are counted only in the tables of `before` and of `after`. Mixtures of tables can send packets back and forth
    between two switches, but switches discard such packets.
    """
    wires = wiring.wires
    # Packets that arrived over a link that is now down use the old SL-to-VL rows of the port at which they arrived.
    down = (wires.down >= 0) & (wires.to < 0) & ~wires.foreign
    lanes = np.where(down[:, :, None, None], before.lanes, after.lanes)
    after = after._replace(lanes=lanes)
    entry = entry_ports(intent, (before.lanes, after.lanes))
    earlier = tuple(before._replace(ports=ports) for ports in still)
    pick = {"old": (*earlier, before), "new": (after,), "any": (*earlier, before, after)}

    def state(tables: str, levels: str, lanes: str) -> State:
        sending = np.bitwise_or.reduce([one.levels for one in pick[levels]])
        # The states in `earlier` have the lanes of `before`.
        maps = [one.lanes for one in pick[lanes][-2 if lanes == "any" else -1 :]]
        found = reach(wires, [one.ports for one in pick[tables]], sending, maps, entry)
        return _state(intent, found, wiring, (tables, levels, lanes))

    states = [state("any", "any", "any")]
    if not states[0].proved:
        same_levels = np.array_equal(before.levels, after.levels)
        known = after.lanes != NO_LANE
        same_lanes = np.array_equal(before.lanes[known], after.lanes[known])
        states += [
            state(tables, levels, lanes)
            for tables, levels, lanes in _SINGLE
            if not (same_levels and levels != "new") and not (same_lanes and lanes == "old")
        ]
    paths = counted_paths(intent, wiring.links)
    looping = [loops(wires, one.ports, (one.levels != 0) | paths) for one in (before, after)]
    return Proof(
        tuple(states),
        state("new", "new", "new"),
        _records(before, after),
        int(np.count_nonzero(looping[0] & paths)),
        int(np.count_nonzero(looping[1] & paths)),
        (int(np.count_nonzero(looping[0] & ~paths)), int(np.count_nonzero(looping[1] & ~paths))),
    )


def _state(intent: Intent, found: Dependencies, wiring: Wiring, names: tuple[str, str, str]) -> State:
    left = in_cycles(found.pairs)
    circle = cycle_words(intent, one_cycle(found.pairs, left)) if len(left) else ""
    reached = [wiring.unplanned[divmod(port, intent.num_ports)] for port in found.foreign.tolist()]
    switches = dict.fromkeys(f"{node.name} (0x{node.guid:016x})" for node in reached)
    return State(*names, len(left), circle, found.unknown + len(found.foreign), tuple(switches))


def _records(before: Loaded, after: Loaded) -> tuple[PathRecord, ...]:
    held = np.where(after.levels != 0, before.levels & ~after.levels, 0)
    return tuple(
        PathRecord(
            switch, lid, int(held[switch, lid]).bit_length() - 1, int(after.levels[switch, lid]).bit_length() - 1
        )
        for switch, lid in np.argwhere(held != 0).tolist()
    )


def cycle_words(intent: Intent, circle: list[int]) -> str:
    """Describe a dependency cycle: its length, and the lanes of links that wait for each other."""

    def name(node: int) -> str:
        switch, port = divmod(node // NUM_VCS, intent.num_ports)
        return f"{intent.fabric.labels[switch]} port {port} VL {node % NUM_VCS}"

    return cycle_text("lane", "lanes", circle, name)
