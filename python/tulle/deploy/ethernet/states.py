"""Prove the repair of a lossless network: no state that can exist while it is loaded can deadlock.

Switches load the changes in rounds, in any order within a round. Hosts change to their new DSCPs at any time. Packets
that crossed a cable before it failed continue. One dependency graph covers all these states, as on InfiniBand
(`tulle.deploy.reach`); if it has no cycle, no state can deadlock.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tulle._internal.text import counted
from tulle.deploy.ethernet.pfc import priorities
from tulle.deploy.reach import NUM_VCS, Wires, cycle_text, in_cycles, one_cycle, reach
from tulle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tulle.deploy.ethernet.pfc import Priorities
    from tulle.deploy.ethernet.plan import EthernetPlan
    from tulle.deploy.reach import Table

__all__ = ["why_unsafe"]

_NOWHERE = np.iinfo(np.uint16).max


def why_unsafe(
    old: EthernetPlan, new: EthernetPlan, switches: Sequence[int], lossless: int, dead_cables: Sequence[int]
) -> str:
    """Return why a repair is unsafe under traffic; empty if all states are proved free of deadlock.

    Parameters
    ----------
    old, new
        The loaded plan, and the plan to load.
    switches
        Per switch of the new plan, its id in the old one.
    lossless
        The number of lossless priorities of the switches.
    dead_cables
        Failed cables between working switches.
    """
    assert old.vcs is not None
    assert new.vcs is not None
    try:
        before, after = priorities(old.vcs, lossless), priorities(new.vcs, lossless)
    except InputError as error:
        return f"the virtual channels before or after the repair cannot be mapped to priorities: {error}"
    wires, place = _wires(old, switches, dead_cables)
    tables = _tables(old, old, range(len(old.names)), place)
    later = _tables(old, new, switches, place)
    levels = _sent(old, old, range(len(old.names)), before) | _sent(old, new, switches, after)
    if before.by_hop or after.by_hop:
        most = min(old.vcs.num_vcs, new.vcs.num_vcs)
        if before == after and _fits(wires, tables, later, levels != 0, most):
            # The virtual channel increases at every hop, so dependencies have no cycle.
            return ""
        return (
            "switches change the priority at every hop, and mixtures of old and new paths can have more hops than "
            "there are virtual channels"
        )
    ports = wires.to.shape[1]
    # A packet keeps its DSCP, and so its priority, at every hop in every state.
    lanes = np.broadcast_to(np.arange(NUM_VCS, dtype=np.uint8), (len(old.names), ports, ports, NUM_VCS))
    entry = [(switch, ports - 1) for switch in old.destinations]
    found = reach(wires, [*tables, *later], levels, [lanes], entry, len(tables))
    left = in_cycles(found.pairs)
    if not len(left):
        return ""

    def name(node: int) -> str:
        switch, slot = divmod(node // NUM_VCS, ports)
        return f"{old.names[switch]}/{_cabled(old, switch)[slot][0]} priority {node % NUM_VCS}"

    return (
        "while switches load rounds and hosts change their DSCPs, "
        f"{counted(len(left), 'priority', 'priorities')} of links can deadlock; "
        + cycle_text("priority", "priorities", one_cycle(found.pairs, left), name)
    )


def _fits(wires: Wires, tables: Sequence[Table], later: Sequence[Table], sources: NDArray[np.bool_], most: int) -> bool:
    """Whether no packet takes more than `most` hops, even if rounds are loaded while it is in the network."""
    # Two sets of packets: packets of the first have met only old tables so far. Packets of the second have met a new
    # table, and meet only new tables from then on.
    fronts = [sources, np.zeros_like(sources)]
    for _ in range(most + 1):
        onward = [np.zeros_like(sources), np.zeros_like(sources)]
        for phase, which in enumerate((tables, later)):
            at, column = np.nonzero(fronts[0] | fronts[1] if phase else fronts[0])
            for table in which:
                out = table[at, column]
                place = np.where(out < wires.to.shape[1], out, 0)
                for ends in (wires.to, wires.down):
                    go = (out < wires.to.shape[1]) & (ends[at, place] >= 0)
                    onward[phase][ends[at, place][go], column[go]] = True
        fronts = onward
    return not (fronts[0].any() or fronts[1].any())


def _cabled(plan: EthernetPlan, switch: int) -> list[tuple[str, int, int]]:
    """The ports of a switch toward other switches: name, number and channel."""
    return [(port.name, port.number, port.channel) for port in plan.ports[switch] if port.channel is not None]


def _wires(
    old: EthernetPlan, switches: Sequence[int], dead_cables: Sequence[int]
) -> tuple[Wires, list[dict[int, int]]]:
    """The links, and per switch the index of each port by its number; the last index stands for all host ports."""
    cabled = [_cabled(old, switch) for switch in range(len(old.names))]
    place = [{number: at for at, (_, number, _) in enumerate(row)} for row in cabled]
    shape = len(cabled), 1 + max(map(len, cabled))
    to, gone = np.full(shape, -1, np.int32), np.full(shape, -1, np.int32)
    port = np.zeros(shape, np.uint16)
    alive, dead = set(switches), set(dead_cables)
    reverse = old.fabric.reverse.tolist()
    for switch, row in enumerate(cabled):
        for at, (_, number, channel) in enumerate(row):
            other, there = old.peer(old.by_number[switch][number])
            port[switch, at] = place[other][there.number]
            is_up = {switch, other} <= alive and min(channel, reverse[channel]) not in dead
            (to if is_up else gone)[switch, at] = other
    return Wires(to, port, np.zeros(shape, np.bool_), gone, port), place


def _columns(old: EthernetPlan, plan: EthernetPlan, switches: Sequence[int]) -> NDArray[np.int64]:
    """The index of each destination of a plan among the destinations of the old plan."""
    known = {switch: at for at, switch in enumerate(old.destinations)}
    return np.array([known[switches[switch]] for switch in plan.destinations], np.int64)


def _tables(
    old: EthernetPlan, plan: EthernetPlan, switches: Sequence[int], place: list[dict[int, int]]
) -> list[NDArray[np.uint16]]:
    """Output ports by switch, and by layer and destination: table n has the n-th member of each next-hop group."""
    columns = _columns(old, plan, switches)
    widest = max((len(group) for switch in range(len(plan.names)) for group in plan.groups(switch)), default=1)
    tables = np.full((widest, len(old.names), old.num_layers, len(old.destinations)), _NOWHERE, np.uint16)
    for switch, before in enumerate(switches):
        groups = plan.groups(switch)
        # Group −1 is the entry toward the switch itself. Its index selects the last column.
        members = np.full((widest, len(groups) + 1), _NOWHERE, np.uint16)
        for at, group in enumerate(groups):
            members[: len(group), at] = [place[before][port] for port, _ in group]
        tables[:, before][:, :, columns] = members[:, plan.group_of(switch)]
    return list(tables.reshape(widest, len(old.names), -1))


def _sent(old: EthernetPlan, plan: EthernetPlan, switches: Sequence[int], found: Priorities) -> NDArray[np.uint16]:
    """The DSCPs that hosts use, one bit for each, by source switch, and by layer and destination."""
    assert plan.vcs is not None
    bits = np.zeros((len(old.names), old.num_layers, len(old.destinations)), np.uint16)
    marks = np.left_shift(1, np.array(found.of_sl, np.uint16)).astype(np.uint16)
    columns = _columns(old, plan, switches)
    sources = np.array(plan.destinations, np.int64)
    levels = marks[plan.vcs.sl][:, sources][:, :, sources].transpose(1, 0, 2)
    levels[np.arange(len(sources)), :, np.arange(len(sources))] = 0
    rows = np.array([switches[switch] for switch in plan.destinations], np.int64)
    bits[np.ix_(rows, np.arange(old.num_layers), columns)] = levels
    return bits.reshape(len(old.names), -1)
