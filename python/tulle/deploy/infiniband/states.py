"""The proof of a repair: no state that can exist while it is loaded can deadlock, over the wiring that is there.

Switches take tables, SL-to-VL rows and single entries one at a time, in any order. Hosts keep the service level (SL)
of a path until they ask for its path record again, so packets of old SLs meet new tables for as long as hosts like. The
proof is one graph of all of these: every switch with its old or its new entry and its old or its new SL-to-VL row at
every hop, every path on each SL that its source may have. Without a cycle all states are free of deadlock, and all
mixtures. Where it has one, single states are looked at, to say which is to blame.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tulle._internal.text import counted, verb
from tulle.deploy.infiniband.intent import LEVELS
from tulle.deploy.reach import LANES, NO_LANE, NOWHERE, in_circles, loops, one_circle, reach

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tulle.deploy.infiniband.generate import Deployment
    from tulle.deploy.infiniband.intent import Intent
    from tulle.deploy.infiniband.wiring import Wiring
    from tulle.deploy.reach import Waits

__all__ = [
    "Loaded",
    "PathRecord",
    "Proof",
    "State",
    "circle_words",
    "entry_ports",
    "loaded",
    "proof_of",
    "sent",
    "to_load",
]


class Loaded(NamedTuple):
    """What switches and hosts have, by the switches and LIDs of the bundle that is loaded."""

    ports: NDArray[np.uint8]
    """Forwarding tables, by switch and LID."""
    levels: NDArray[np.uint16]
    """By switch of the source and LID the service levels of packets, a bit for each; 0: none is sent."""
    lanes: NDArray[np.uint8]
    """By switch, in-port, out-port and service level."""


@dataclass(frozen=True)
class State:
    """A state that was looked at: what switches forward by, what hosts send on, and how that is mapped to lanes."""

    tables: str
    """``old``, ``new``, or ``any``: at every switch either."""
    levels: str
    lanes: str
    circular: int
    """Lanes of links that can wait for each other in circles."""
    circle: str
    """One of these circles, in words."""
    unknown: int
    """Hops whose lane no table tells, and ports that lead to switches whose tables are not known."""

    @property
    def proved(self) -> bool:
        """Whether it is free of deadlock."""
        return not self.circular and not self.unknown

    @property
    def problem(self) -> str:
        """What is wrong with it, in words."""
        if self.circular:
            return f"{counted(self.circular, 'lane')} of links can wait for each other in circles, as {self.circle}"
        return f"{self.unknown} hops have lanes or tables that are not known"

    def fields(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "tables": self.tables,
            "levels": self.levels,
            "lanes": self.lanes,
            "proved": self.proved,
            "circular_lanes": self.circular,
            "unknown": self.unknown,
        }


class PathRecord(NamedTuple):
    """A path record whose service level changes."""

    switch: int
    """The switch of the sources, by its id before."""
    lid: int
    old: int
    """The highest service level that hosts may use and should not."""
    new: int


@dataclass(frozen=True)
class Proof:
    """What was proved of a repair."""

    states: tuple[State, ...]
    """The first is of all together; where that is proved, it is the only one."""
    final: State
    """That in which the repair ends: all new."""
    records: tuple[PathRecord, ...]
    """Path records whose service level changes."""
    looping: int
    """Paths of the loaded tables that lead around over the wiring that is there."""
    looping_after: int
    """Paths of the new tables that do."""
    multicast_shares: bool = False
    """Whether paths take the lane that was multicast's alone."""

    @property
    def proved(self) -> bool:
        """Whether switches and hosts may take the repair in traffic, in any order."""
        return not (self.looping or self.looping_after or self.multicast_shares) and self.states[0].proved

    @property
    def why_not(self) -> str:
        """Why switches and hosts may not take the repair in traffic; empty where they may."""
        if self.proved:
            return ""
        if self.looping or self.looping_after:
            looping = max(self.looping, self.looping_after)
            return f"{counted(looping, 'path')} {verb(looping, 'loops', 'loop')} over the cables that are there"
        if self.states[0].proved:
            return "paths take the lane that was multicast's alone"
        blamed = next((state for state in self.states[1:] if not state.proved), self.states[0])
        return f"{_moment(blamed)}: {blamed.problem}"


def _moment(state: State) -> str:
    """When a state is, in words."""
    if state.tables == "any":
        return "while switches take their tables one at a time"
    if state.tables == "new" and state.levels == "new":
        return "while switches with new forwarding tables have old SL-to-VL tables"
    if state.tables == "new":
        return "while hosts keep old service levels, which they do until they ask for path records again"
    return "while hosts and SL-to-VL tables are new and forwarding tables old"


def entry_ports(intent: Intent, maps: Sequence[NDArray[np.uint8]]) -> list[tuple[int, int]]:
    """Switches with hosts, and of their ports one for each group whose rows are alike."""
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
    """What a bundle has loaded, with further service levels that hosts may use."""
    levels = sent(intent, intent.levels)
    if unasked is not None:
        levels = np.where(levels != 0, levels | unasked, 0).astype(np.uint16)
    return Loaded(intent.ports, levels, intent.lanes.switches)


def sent(intent: Intent, levels: NDArray[np.uint8]) -> NDArray[np.uint16]:
    """The bits of service levels that hosts send on, by the switch that they are at and the LID of another host."""
    bits = np.left_shift(1, levels.astype(np.uint16)).astype(np.uint16)
    sources = np.zeros(len(levels), np.bool_)
    sources[intent.endpoint_switch] = True
    bits[~sources] = 0
    bits[:, intent.lid_endpoint < 0] = 0
    return bits


def to_load(intent: Intent, made: Deployment, origin: Sequence[int]) -> Loaded:
    """What a repair is going to load, by the switches and LIDs of the bundle before.

    `origin` has the id before of every switch that is left.
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
    # Rows that the new bundle does not have are not known: OpenSM may leave or reset them.
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
    return Loaded(ports, sending, lanes)


# What is looked at where not all is proved, in the order in which it is to blame: hosts that have not asked (none, or
# some), SL-to-VL tables that are not loaded, forwarding tables that are not, switch by switch or at all.
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


def proof_of(intent: Intent, before: Loaded, after: Loaded, wiring: Wiring) -> Proof:
    """Looks at all states between two, over the wiring that is there."""
    wires = wiring.wires
    # Ports whose links are down: whoever came in there before leaves by the rows that were there.
    down = (wires.gone >= 0) & (wires.to < 0) & ~wires.strange
    lanes = np.where(down[:, :, None, None], before.lanes, after.lanes)
    after = after._replace(lanes=lanes)
    entry = entry_ports(intent, (before.lanes, after.lanes))
    pick = {"old": (before,), "new": (after,), "any": (before, after)}

    def state(tables: str, levels: str, lanes: str) -> State:
        sending = np.bitwise_or.reduce([one.levels for one in pick[levels]])
        found = reach(wires, [one.ports for one in pick[tables]], sending, [one.lanes for one in pick[lanes]], entry)
        return _state(intent, found, (tables, levels, lanes))

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
    old = before.levels != 0
    return Proof(
        tuple(states),
        state("new", "new", "new"),
        _records(before, after),
        int(np.count_nonzero(loops(wires, before.ports, old))),
        int(np.count_nonzero(loops(wires, after.ports, after.levels != 0))),
    )


def _state(intent: Intent, found: Waits, names: tuple[str, str, str]) -> State:
    left = in_circles(found.pairs)
    circle = circle_words(intent, one_circle(found.pairs, left)) if len(left) else ""
    return State(*names, len(left), circle, found.unknown + len(found.strange))


def _records(before: Loaded, after: Loaded) -> tuple[PathRecord, ...]:
    held = np.where(after.levels != 0, before.levels & ~after.levels, 0)
    return tuple(
        PathRecord(
            switch, lid, int(held[switch, lid]).bit_length() - 1, int(after.levels[switch, lid]).bit_length() - 1
        )
        for switch, lid in np.argwhere(held != 0).tolist()
    )


_TOLD = 6
"""Lanes of a circle that are named."""


def circle_words(intent: Intent, circle: list[int]) -> str:
    """A circle of lanes of links."""
    words = []
    for node in circle[:_TOLD]:
        switch, port = divmod(node // LANES, intent.num_ports)
        words.append(f"{intent.fabric.labels[switch]} port {port} VL {node % LANES}")
    more = f" and {len(circle) - _TOLD} more" if len(circle) > _TOLD else ""
    return ", ".join(words) + more
