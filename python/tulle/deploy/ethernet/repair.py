"""Mending a bundle around what is dead: as few entries changed as can be, in an order that never makes a loop."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from tulle._internal.results import Value
from tulle._internal.text import counted, csv_row
from tulle.deploy.ethernet.plan import EthernetPlan, plan_ethernet
from tulle.deploy.ethernet.states import why_not_together
from tulle.deploy.repair import mended_plan, mended_routing, part_ids
from tulle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from os import PathLike
    from pathlib import Path

    from tulle.deploy.ethernet.bundle import EthernetBundle, Header
    from tulle.deploy.ethernet.failures import Dead
    from tulle.deploy.ethernet.plan import Hops

__all__ = ["Change", "Repair", "change_files", "changes_between", "repair", "write_repair"]

CHANGES = "changes"
"""The folder of what switches load to get from the bundle before to the mended one."""

_LOSSLESS = 7
_LEVELS = 16


class Change(NamedTuple):
    """An entry that changes; switches by their ids before."""

    round: int
    """From 0; all rounds below come first."""
    switch: int
    layer: int
    destination: int
    before: Hops
    now: Hops
    """Empty where the entry goes away."""


@dataclass(frozen=True, eq=False)
class Repair(Value):
    """A bundle mended. Made by `repair`."""

    bundle: EthernetBundle
    """The one before."""
    dead: Dead
    plan: EthernetPlan
    """What is to be loaded."""
    switches: tuple[int, ...]
    """Per switch of the new plan its id before."""
    changes: tuple[Change, ...]
    """Ascending by round, switch, layer and destination."""
    hosts_lost: int
    """Hosts at switches that are gone."""
    level_changes: int
    """Of lossless networks, paths between switches that are left whose service level is another one."""
    together: str
    """Of lossless networks why they may not load it in traffic; empty where all states are proved free of deadlock."""
    header: Header
    """Of the bundle that goes on to be written: options and the fabric's spec are taken over."""

    @cached_property
    def now(self) -> dict[int, int]:
        """Per switch by its id before, its id in the new plan."""
        return {before: now for now, before in enumerate(self.switches)}

    @property
    def rounds(self) -> int:
        """How many there are."""
        return max((change.round for change in self.changes), default=-1) + 1


def repair(bundle: EthernetBundle, dead: Dead, scheme: str | None = None) -> Repair | None:
    """The bundle mended around what is dead; None where nothing is.

    Addresses, names, ports and MAC addresses stay. An entry changes where a next hop of it is dead, or where what is
    dead leaves no other way. Changes come in rounds: an entry changes after those of its layer and destination that its
    new ways lead through. So packets meet an old entry after a new one in no state between, whatever the order within a
    round, and none leads around: old entries alone do not, and new ones alone do not.

    Parameters
    ----------
    bundle
        What is loaded.
    dead
        What is not there.
    scheme
        Of lossless networks another deadlock scheme for what is left; None: that of the bundle.

    Raises
    ------
    tulle.InputError
        For switches that are cut apart, or paths that the scheme cannot make free of deadlock.
    """
    if not dead.switches and not dead.cables:
        return None
    old = bundle.plan
    damaged = old.fabric.without(links=part_ids(dead.cables), switches=part_ids(dead.switches))
    assert damaged.origin is not None
    switches, endpoints = (damaged.origin[kind].tolist() for kind in ("switches", "endpoints"))
    addressing = old.addressing.without(switches, endpoints)
    together, levels = "", 0
    if old.vcs is None:
        if scheme is not None:
            raise InputError(f"--deadlock {scheme}: the bundle is of no lossless network; legal: without it")
        plan = plan_ethernet(mended_routing(old.routing, damaged), addressing)
    else:
        room = bundle.header.option("lossless", _LOSSLESS), _LEVELS
        vcs = mended_plan(old.vcs, damaged, room, scheme)
        plan = plan_ethernet(vcs.routing, addressing, vcs=vcs)
        together = why_not_together(old, plan, switches, room[0], dead.cables)
        left = old.vcs.sl[:, switches][:, :, switches]
        levels = int((left != vcs.sl).sum())
    changes = changes_between(old, plan, switches)
    lost = old.fabric.num_endpoints - len(endpoints)
    return Repair(bundle, dead, plan, tuple(switches), changes, lost, levels, together, bundle.header)


def changes_between(old: EthernetPlan, new: EthernetPlan, switches: Sequence[int]) -> tuple[Change, ...]:
    """The entries that differ, in the order of their rounds; of every switch of the new plan its id before."""
    is_now = {before: now for now, before in enumerate(switches)}
    changes = [
        Change(
            order,
            switch,
            layer,
            destination,
            old.hops(switch, layer, destination),
            () if gone else new.hops(is_now[switch], layer, is_now[destination]),
        )
        for switch, layer, destination, order, gone in new._core.changes(old._core, [*switches]).tolist()
    ]
    return tuple(sorted(changes))


def change_files(
    mended: Repair, lines: Callable[[Change], str], suffix: str, command: str
) -> Iterator[tuple[str, str]]:
    """``changes/``: a folder per round, a file per switch in it; a list of all; what to do.

    Parameters
    ----------
    mended
        The repair.
    lines
        What changes an entry, in the terms of the target.
    suffix
        Of the files of switches.
    command
        What loads a ``FILE`` on a switch.
    """
    old = mended.bundle.plan
    files: dict[tuple[int, int], list[str]] = defaultdict(list)
    rows = ["round,switch,prefix,layer,destination,before,now\n"]
    for change in mended.changes:
        files[change.round, change.switch].append(lines(change))
        prefix = old.addressing.prefix(change.layer, change.destination)
        names = old.names[change.switch], prefix, change.layer, old.names[change.destination]
        ways = (_shown(hops) for hops in (change.before, change.now))
        rows.append(f"{csv_row((change.round + 1, *names, *ways))}\n")
    for (order, switch), texts in sorted(files.items()):
        yield f"{CHANGES}/{order + 1}/{old.names[switch]}.{suffix}", "".join(texts)
    yield f"{CHANGES}/changes.csv", "".join(rows)
    yield f"{CHANGES}/README.md", _readme(mended, command.replace("FILE", f"N/NAME.{suffix}"))


def _shown(hops: Hops) -> str:
    return " ".join(f"eth{port}" if len(hops) == 1 else f"eth{port}*{weight}" for port, weight in hops)


def _readme(mended: Repair, command: str) -> str:
    changes = mended.changes
    switches = len({change.switch for change in changes})
    per_round = [sum(change.round == order for change in changes) for order in range(mended.rounds)]
    rows = "\n".join(f"| {order} | {count} |" for order, count in enumerate(per_round, 1))
    return f"""# What changes

{counted(len(changes), "entry", "entries")} on {counted(switches, "switch", "switches")}, \
in {counted(mended.rounds, "round")}:

| round | entries |
|---|---|
{rows}

For every round N in order: on each switch that has a file there, as root, `{command}`. Let all switches of a round be
done before the next one begins; within a round any order will do, and a file may be cut short and loaded again.

In no state between do packets go around: an entry changes only after all others of its layer and destination that its
new ways lead through, so that a packet that has met a new entry meets new ones alone from there on. Until their entries
have changed, packets that go over what is dead are lost, as they are now.

`0/`, where it is there, comes first: neighbours over cables that came back. `changes.csv` lists all. Afterwards:
`tulle deploy verify`.
"""


def write_repair(mended: Repair, place: str | PathLike[str]) -> list[Path]:
    """Writes the mended bundle with its changes.

    Raises
    ------
    tulle.FileError
        Where it cannot be written.
    tulle.InputError
        For a bundle of a target that this is not for.
    """
    from pathlib import Path

    from tulle.deploy.targets import target

    name = mended.bundle.header.target
    write = target(name).write_mended
    if write is None:
        raise InputError(
            f"{mended.bundle.place}: bundles of the target {name} are not mended; legal: linux, frr, sonic, ovs, or "
            f"--dry-run"
        )
    return write(mended, Path(place))
