"""Repair a bundle after failures: change few entries, in an order that never makes a loop."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from tulle._internal.html_summary import Overview, shown
from tulle._internal.results import Value
from tulle.deploy.detours import Detours, detours
from tulle.deploy.ethernet.plan import EthernetPlan, plan_ethernet
from tulle.deploy.ethernet.port_names import kept_names
from tulle.deploy.ethernet.states import why_unsafe
from tulle.deploy.repair import part_ids, repaired_plan, repaired_routing
from tulle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from os import PathLike
    from pathlib import Path

    from tulle.deploy.ethernet.bundle import EthernetBundle, Header
    from tulle.deploy.ethernet.failures import Failures
    from tulle.deploy.ethernet.plan import Hops, Port

__all__ = ["Change", "Repair", "changes_between", "repair", "write_repair"]

_LOSSLESS = 7
_LEVELS = 16


@shown
class Change(NamedTuple):
    """An entry that changes. Switches have their ids in the old plan; for returning switches, see `Repair.switches`."""

    round: int
    """The round in which the entry changes, from 0; earlier rounds must complete first."""
    switch: int
    layer: int
    destination: int
    before: Hops
    now: Hops
    """Empty if the entry is removed."""


@dataclass(frozen=True, eq=False)
class Repair(Value):
    """A repaired bundle. Made by `repair`."""

    bundle: EthernetBundle
    """The bundle before the repair."""
    failures: Failures
    plan: EthernetPlan
    """The new plan, to be loaded."""
    switches: tuple[int, ...]
    """For each switch of the new plan, its id in the old plan. Returning switches, which only the new plan has, have
    the ids after those of the old plan."""
    changes: tuple[Change, ...]
    """The changed entries, ascending by round, switch, layer and destination."""
    hosts_lost: int
    """The number of hosts at failed switches."""
    level_changes: int
    """In lossless networks, the number of paths between the remaining switches whose service level changes."""
    why_unsafe: str
    """In lossless networks, why switches must not load the changes during traffic; empty if all states are proved free
    of deadlock."""
    header: Header
    """The header from which the written bundle takes its options and the spec of its fabric: that of the old bundle, or
    for a change to another bundle, that of the other one."""

    @cached_property
    def now(self) -> dict[int, int]:
        """The id of each switch of the new plan, by its id in `switches`."""
        return {before: now for now, before in enumerate(self.switches)}

    @cached_property
    def kept(self) -> dict[int, int]:
        """The id in the new plan of each switch that both plans have, by its id in the old plan."""
        known = len(self.bundle.plan.names)
        return {before: now for before, now in self.now.items() if before < known}

    @cached_property
    def returning(self) -> tuple[int, ...]:
        """The ids, in the new plan, of switches that the old plan lacks.

        They load all their files before other switches change.
        """
        known = len(self.bundle.plan.names)
        return tuple(now for now, before in enumerate(self.switches) if before >= known)

    @cached_property
    def hosts_back(self) -> tuple[str, ...]:
        """The names of hosts at returning switches."""
        back = {*self.returning}
        return tuple(host.name for host in self.plan.hosts if host.switch in back)

    @cached_property
    def cables_back(self) -> tuple[str, ...]:
        """The cables that only the new plan uses, as ``A/eth3:B/eth7``."""
        used = [
            {port.number for port in self.bundle.plan.ports[before] if port.channel is not None}
            if before in self.kept
            else set()
            for before in self.switches
        ]
        channels = self.plan.fabric.channels[:, 0].tolist()
        back = []
        for channel, port in enumerate(self.plan.channel_ports):
            here = channels[channel]
            there, far = self.plan.peer(port)
            if far.channel is not None and channel < far.channel:
                ends = (here, port), (there, far)
                if any(end.number not in used[switch] for switch, end in ends):
                    back.append(":".join(f"{self.plan.names[switch]}/{end.name}" for switch, end in ends))
        return tuple(back)

    @cached_property
    def detours(self) -> Detours:
        """Paths that are longer than the longest path of the same layer before the repair."""
        return detours(self.bundle.plan.walked.pairs, self.plan.walked.pairs)

    def prefix(self, change: Change) -> str:
        """The prefix of a changed entry."""
        if change.destination < len(self.bundle.plan.names):
            return self.bundle.plan.addressing.prefix(change.layer, change.destination)
        return self.plan.addressing.prefix(change.layer, self.now[change.destination])

    def name(self, switch: int) -> str:
        """The name of a switch, given by its id as in `Change`."""
        old = self.bundle.plan.names
        return old[switch] if switch < len(old) else self.plan.names[self.now[switch]]

    def port_name(self, switch: int, number: int) -> str:
        """The name of a port of a switch, which is given by its id in the old plan."""
        return self.port(switch, number)[1].name

    def port(self, switch: int, number: int) -> tuple[EthernetPlan, Port]:
        """A port of a switch, which is given by its id in the old plan; and the plan (old or new) that has the port."""
        # A cable that works again is only in the new plan.
        known = self.bundle.plan.by_number[switch].get(number)
        return (
            (self.plan, self.plan.by_number[self.now[switch]][number]) if known is None else (self.bundle.plan, known)
        )

    def new_ports(self) -> Iterator[tuple[int, list[Port]]]:
        """The switches of both plans, by their ids in the new plan, with the ports that only the new plan uses.

        A switch that runs the old bundle has not set up these ports.
        """
        for before, now in self.kept.items():
            known = self.bundle.plan.by_number[before]
            if ports := [port for port in self.plan.ports[now] if port.number not in known]:
                yield now, ports

    @property
    def rounds(self) -> int:
        """The number of rounds."""
        return max((change.round for change in self.changes), default=-1) + 1

    def _overview(self) -> Overview:
        values = {
            "bundle": str(self.bundle.place),
            "failed switches": len(self.failures.switches),
            "failed cables": len(self.failures.cables),
            "lost hosts": self.hosts_lost,
            "changed entries": len(self.changes),
            "rounds": self.rounds,
            "safe under traffic": not self.why_unsafe,
        }
        return Overview("Repair", self.header.fabric, values, note=self.why_unsafe)


def repair(bundle: EthernetBundle, failures: Failures, scheme: str | None = None) -> Repair | None:
    """Repair a bundle after failures; return None if nothing has failed.

    Addresses, names, ports and MAC addresses do not change. An entry changes if one of its next hops has failed or no
    longer leads to the destination. A few other entries change if a path would otherwise be too long or overload a
    channel (see `tulle.Routing.reroute`). In lossless networks, the deadlock scheme may change further entries.
    Changes are ordered in rounds: an entry changes after all entries of its layer and destination on its new paths. So
    after its first new entry, a packet meets only new entries, whatever the order within a round. No intermediate state
    loops, because neither the old entries alone nor the new ones do.

    Parameters
    ----------
    bundle
        The loaded bundle.
    failures
        The failures.
    scheme
        In lossless networks, another deadlock scheme for the remaining fabric; None: the scheme of the bundle.

    Raises
    ------
    tulle.InputError
        For a bundle with BGP, disconnected switches, or paths that the scheme cannot make free of deadlock.
    """
    if bundle.header.option("underlay", "static") == "bgp":
        raise InputError(
            f"{bundle.place}: its switches use BGP, which finds other paths by itself; legal: a bundle with static "
            f"routes, or if the failed parts will not return, a new bundle with `{_new_command(bundle)}` and the other "
            "options of this one"
        )
    if not failures.switches and not failures.cables:
        return None
    old = bundle.plan
    damaged = old.fabric.without(links=part_ids(failures.cables), switches=part_ids(failures.switches))
    assert damaged.origin is not None
    switches, endpoints = (damaged.origin[kind].tolist() for kind in ("switches", "endpoints"))
    addressing = old.addressing.without(switches, endpoints)
    unsafe, levels = "", 0
    if old.vcs is None:
        if scheme is not None:
            raise InputError(f"--deadlock {scheme}: the network of the bundle is not lossless; legal: without it")
        plan = kept_names(plan_ethernet(repaired_routing(old.routing, damaged), addressing), old, switches)
    else:
        room = bundle.header.option("lossless", _LOSSLESS), _LEVELS
        vcs = repaired_plan(old.vcs, damaged, room, scheme)
        plan = kept_names(plan_ethernet(vcs.routing, addressing, vcs=vcs), old, switches)
        unsafe = why_unsafe(old, plan, switches, room[0], failures.cables)
        left = old.vcs.sl[:, switches][:, :, switches]
        levels = int((left != vcs.sl).sum())
    changes = changes_between(old, plan, switches)
    lost = old.fabric.num_endpoints - len(endpoints)
    return Repair(bundle, failures, plan, tuple(switches), changes, lost, levels, unsafe, bundle.header)


def _new_command(bundle: EthernetBundle) -> str:
    """The command that writes a new bundle without the failed parts, because bundles with BGP are not repaired."""
    header = bundle.header
    seed = ["--seed", str(header.seed)] if header.seed else []
    words = ["tulle", "deploy", header.target, header.fabric, header.routing, *seed, "--underlay", "bgp"]
    return f"{shlex.join(words)} --fail SWITCH/PORT -o NEW"


def changes_between(old: EthernetPlan, new: EthernetPlan, switches: Sequence[int]) -> tuple[Change, ...]:
    """List the entries that differ, in the order of their rounds; `switches` is that of `Repair`."""
    is_now = {before: now for now, before in enumerate(switches)}
    known = {*old.destinations}
    changes = [
        Change(
            order,
            switch,
            layer,
            destination,
            old.hops(switch, layer, destination) if destination in known else (),
            () if gone else new.hops(is_now[switch], layer, is_now[destination]),
        )
        for switch, layer, destination, order, gone in new._core.changes(old._core, [*switches]).tolist()
    ]
    return tuple(sorted(changes))


def write_repair(repaired: Repair, place: str | PathLike[str]) -> list[Path]:
    """Write the repaired bundle with its changes.

    Raises
    ------
    tulle.FileError
        If the bundle cannot be written.
    tulle.InputError
        For a bundle of a target that does not support repairs.
    """
    from pathlib import Path

    # circle: `ethernet` and `targets` import each other: targets use this module, which lets a target write the repair.
    from tulle.deploy.targets import target, targets

    name = repaired.bundle.header.target
    write = target(name).write_repaired
    if write is None:
        legal = ", ".join(each.name for each in targets() if each.write_repaired is not None)
        raise InputError(
            f"{repaired.bundle.place}: repaired bundles of the target {name} cannot be written; legal: {legal}, or "
            "--dry-run"
        )
    return write(repaired, Path(place))
