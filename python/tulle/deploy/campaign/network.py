"""The loaded tables of an InfiniBand network with failed parts, and the check that a change of tables cannot deadlock.

Arrays are indexed by switches, ports and addresses of the intact network, even if parts have failed. An address is a
layer and a destination switch: the hosts of a switch have equal table entries, so one address represents all of them.
Port p of a switch is its p-th channel; the last port represents all ports of hosts.
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tulle import _tulle
from tulle.analysis.concurrent_flow.run import throughput
from tulle.deploy.reach import DISCARD, NO_VC, NUM_VCS, Wires, may_deadlock
from tulle.deploy.repair import part_ids, repaired_plan
from tulle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tulle.fabric import Fabric
    from tulle.routing.vc_plan import VcPlan

__all__ = ["Failed", "Network", "Tables"]


class Failed(NamedTuple):
    """The parts that are down, in ascending order."""

    cables: tuple[int, ...]
    switches: tuple[int, ...]


class Tables(NamedTuple):
    """The tables that switches have loaded, and the service levels that hosts use."""

    ports: NDArray[np.uint16]
    """The output port, by switch and address."""
    levels: NDArray[np.uint16]
    """The service levels of packets, one bit per level, by source switch and address; 0: nothing is sent."""
    lanes: NDArray[np.uint8]
    """The virtual lane, by switch, input port, output port and service level."""
    plan: VcPlan
    """The virtual-channel plan of the fabric without the failed parts."""
    channel_of: NDArray[np.integer[Any]]
    """For each channel of the plan's fabric, its number in the intact network."""
    switch_of: NDArray[np.integer[Any]]
    """For each switch of the plan's fabric, its number in the intact network."""

    @property
    def throughput(self) -> float:
        """The all-to-all throughput, as a fraction of the rate of an endpoint's link."""
        return throughput(self.plan.routing.fabric, "all-to-all", self.plan.routing, method="split").lower


class Network:
    """A network with its virtual-channel plan, from which it makes the tables for any set of failed parts.

    Raises
    ------
    tulle.InputError
        For a plan that InfiniBand switches cannot load: entries with several next hops, more than 16 service levels,
        or virtual channels that SL-to-VL tables cannot express.
    """

    def __init__(self, plan: VcPlan, vls: int) -> None:
        self.vls = vls
        self.fabric: Fabric = plan.routing.fabric
        self._check(plan)
        self.plan = plan
        switches = self.fabric.num_switches
        self._channels = np.asarray(self.fabric.channels)
        self._reverse = np.asarray(self.fabric.reverse)
        self._cables = np.asarray(self.fabric.cables)
        tails = self._channels[:, 0]
        order = np.argsort(tails, kind="stable")
        starts = np.searchsorted(tails[order], np.arange(switches))
        self._port = np.empty(len(tails), np.int64)
        self._port[order] = np.arange(len(tails)) - starts[tails[order]]
        self.num_ports = int(self._port.max(initial=-1)) + 2
        self._edge = np.unique(self.fabric.endpoint_switch)
        self.whole = self._tables(plan, np.arange(switches), np.arange(len(tails)))

    def _check(self, plan: VcPlan) -> None:
        legal = "legal: tables of single next hops, for example almost-minimal:layers=4, with dfsssp or colouring"
        if plan.routing.num_layers == 0 or plan.routing.next_hop_groups.shape[3] > 1:
            raise InputError(f"{plan.routing.spec} is not a routing with single next hops; {legal}")
        if plan.sl_to_vl is None or plan.num_sls > NUM_VCS:
            raise InputError(
                f"{plan.spec} assigns virtual channels in a way that SL-to-VL tables cannot express; {legal}"
            )
        if plan.num_vcs > self.vls:
            raise InputError(f"{plan.spec} needs {plan.num_vcs} virtual lanes; legal: at most vls={self.vls}")

    def repaired(self, start: Tables, failed: Failed) -> Tables:
        """Repair the tables `start` so that they avoid the failed parts, as ``tulle deploy repair`` does.

        The new tables use only parts that `start` uses.

        Raises
        ------
        tulle.InputError
            If hosts are disconnected, or the paths cannot be made free of deadlock.
        """
        cables = self._numbers(start.channel_of, self._cables[list(failed.cables)])
        switches = self._numbers(start.switch_of, np.array(failed.switches, np.int64))
        if not cables and not switches:
            return start
        damaged = start.plan.routing.fabric.without(links=part_ids(cables), switches=part_ids(switches))
        plan = repaired_plan(start.plan, damaged, (self.vls, NUM_VCS), drops_u_turns=True)
        assert damaged.origin is not None
        switch_of, channel_of = (
            start.switch_of[damaged.origin["switches"]],
            start.channel_of[damaged.origin["channels"]],
        )
        return self._tables(plan, switch_of, channel_of, start)

    @staticmethod
    def _numbers(of: NDArray[np.integer[Any]], parts: NDArray[np.integer[Any]]) -> list[int]:
        """Return the indices of the elements of `of` that are in `parts`."""
        found: list[int] = np.flatnonzero(np.isin(of, parts)).tolist()
        return found

    def must_change(self, tables: Tables, failed: Failed) -> bool:
        """Return whether tables use failed parts, or have no entries for a working switch with hosts."""
        working = np.setdiff1d(self._edge, failed.switches)
        return bool(
            len(np.setdiff1d(working, tables.switch_of))
            or self._numbers(tables.channel_of, self._cables[list(failed.cables)])
            or self._numbers(tables.switch_of, np.array(failed.switches, np.int64))
        )

    def _tables(
        self,
        plan: VcPlan,
        switch_of: NDArray[np.integer[Any]],
        channel_of: NDArray[np.integer[Any]],
        start: Tables | None = None,
    ) -> Tables:
        """The tables of a plan. `switch_of` and `channel_of` map its switches and channels to the intact network.

        If the lanes are equal to those of `start`, both tables share one array.
        """
        is_edge = np.zeros(self.fabric.num_switches, np.bool_)
        is_edge[self._edge] = True
        port_of = self._port[channel_of].astype(np.uint16)
        ports, levels = _tulle.address_tables(
            plan.routing._core, plan._core, port_of, np.ascontiguousarray(switch_of, np.uint32), is_edge
        )
        assert plan.sl_to_vl is not None
        if start is not None and self._same_lanes(start, plan, switch_of):
            lanes = start.lanes
        else:
            lanes = self._lanes(plan.sl_to_vl, switch_of)
        return Tables(ports, levels, lanes, plan, np.asarray(channel_of), np.asarray(switch_of))

    @staticmethod
    def _same_lanes(start: Tables, plan: VcPlan, switch_of: NDArray[np.integer[Any]]) -> bool:
        before, after = start.plan.sl_to_vl, plan.sl_to_vl
        assert before is not None
        assert after is not None
        return np.array_equal(start.switch_of, switch_of) and np.array_equal(before, after)

    def _lanes(self, sl_to_vl: NDArray[np.uint8], switch_of: NDArray[np.integer[Any]]) -> NDArray[np.uint8]:
        """The lane table of all ports. `sl_to_vl` is the table of the plan, as `VcPlan.sl_to_vl` describes it."""
        lanes = np.full((self.fabric.num_switches, self.num_ports, self.num_ports, NUM_VCS), NO_VC, np.uint8)
        # A service level without paths gets the same lanes as another service level, as in a bundle.
        rows = sl_to_vl[:, :, np.arange(NUM_VCS) % sl_to_vl.shape[2]]
        lanes[switch_of, :-1] = rows[:, 0][:, None, None]
        lanes[switch_of, -1] = rows[:, 1][:, None]
        same = np.arange(self.num_ports - 1)
        lanes[:, same, same] = DISCARD
        return lanes

    def wires(self, failed: Failed) -> Wires:
        """The working links, and the failed links: packets that crossed these before the failure continue."""
        shape = self.fabric.num_switches, self.num_ports
        to, down = np.full(shape, -1, np.int32), np.full(shape, -1, np.int32)
        port = np.zeros(shape, np.uint16)
        lost: NDArray[np.bool_] = np.asarray(np.isin(self._channels, failed.switches).any(axis=1), np.bool_)
        cut = self._cables[list(failed.cables)]
        lost[cut] = lost[self._reverse[cut]] = True
        at, place = self._channels[:, 0], self._port
        port[at, place] = self._port[self._reverse]
        to[at[~lost], place[~lost]] = self._channels[~lost, 1]
        down[at[lost], place[lost]] = self._channels[lost, 1]
        return Wires(to, port, np.zeros(shape, np.bool_), down, port)

    def has_cycle(self, failed: Failed, loaded: Sequence[Tables], older: NDArray[np.uint16] | None = None) -> bool:
        """Return whether some mixture of the loaded tables may deadlock.

        The parameter `older` has further service levels that hosts may still use, as bits.
        """
        levels = reduce(np.bitwise_or, [tables.levels for tables in loaded])
        if older is not None:
            levels = np.where(levels != 0, levels | older, 0).astype(np.uint16)
        entry = [(int(switch), self.num_ports - 1) for switch in self._edge]
        tables, maps = [one.ports for one in loaded], [one.lanes for one in loaded]
        return may_deadlock(self.wires(failed), tables, levels, maps, entry)

    def broken(self, failed: Failed, tables: Tables) -> tuple[int, int]:
        """Count pairs of switches with hosts that lack a path in some layer, and pairs that lack one in all layers.

        The tables must have had a path for every pair when they were made, before further parts failed.
        """
        wires = self.wires(failed)
        size = self.fabric.num_switches
        alive = np.setdiff1d(self._edge, failed.switches)
        layers = tables.ports.shape[1] // size
        targets = np.tile(np.arange(size), layers)
        # Only these switches can have unusable entries: an entry is missing, or one of the links is down. A switch
        # needs no entry to itself.
        known = np.count_nonzero(tables.ports < self.num_ports, axis=1)
        rows = np.flatnonzero((known < layers * (size - 1)) | (wires.down >= 0).any(axis=1))
        ends = self._steps(wires, tables.ports[rows], rows) < 0
        ends &= targets != rows[:, None]
        ends[np.isin(rows, failed.switches)] = False
        # Only paths to addresses to which some switch has no next hop can be broken.
        some = np.flatnonzero(ends.any(axis=0) & np.isin(targets, alive))
        steps = self._steps(wires, tables.ports[:, some], np.arange(size))
        destinations = np.unique(some % size)
        fails = np.zeros((layers, len(alive), len(destinations)), np.bool_)
        fails[some // size, :, np.searchsorted(destinations, some % size)] = ~_arrives(steps, targets[some])[alive].T
        return int(fails.any(axis=0).sum()), int(fails.all(axis=0).sum())

    def _steps(self, wires: Wires, ports: NDArray[np.uint16], switches: NDArray[np.integer[Any]]) -> NDArray[np.int32]:
        """The switch at the other end of each port, or −1. Row i of `ports` belongs to switch ``switches[i]``."""
        known = ports < self.num_ports
        steps: NDArray[np.int32] = np.where(known, wires.to[switches[:, None], np.where(known, ports, 0)], -1)
        return steps


def _arrives(steps: NDArray[np.int32], targets: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return, for each switch and address, whether the path from the switch arrives.

    `steps` has the next switch, by switch and address, or a negative number if the path ends. `targets` has the switch
    of each address.
    """
    size = len(steps)
    steps = np.where(steps < 0, size, steps)
    steps[targets, np.arange(len(targets))] = targets
    steps = np.concatenate((steps, np.full((1, len(targets)), size, steps.dtype)))
    # Each iteration doubles the number of hops that `steps` covers. Paths are short, so few iterations are needed,
    # unless a path loops.
    for _ in range(size.bit_length()):
        further = np.take_along_axis(steps, steps, axis=0)
        if np.array_equal(further, steps):
            break
        steps = further
    arrives: NDArray[np.bool_] = steps[:size] == targets
    return arrives
