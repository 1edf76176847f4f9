"""Find the failed switches and cables of a bundle's fabric, by name or from what the switches report."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from tulle._internal.html_summary import Shown
from tulle._internal.reading import read_text
from tulle.cabling.identity.devices import Directory
from tulle.cabling.identity.ports import plain
from tulle.cabling.live import read_live
from tulle.deploy.ethernet.part_names import cable_of, find_cable, find_switch
from tulle.deploy.read.switch_files import files_of
from tulle.deploy.wrong_ports import find_wrong_ports
from tulle.errors import FormatError, InputError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from os import PathLike
    from pathlib import Path

    from tulle.cabling.live.port_record import PortRecord
    from tulle.deploy.ethernet.plan import EthernetPlan, Port
    from tulle.deploy.wrong_ports import Move

# Ports for management, which may have names like the ports of the fabric.
_OTHERS = {"eth0"}

__all__ = [
    "NO_FAILURES",
    "Failures",
    "Report",
    "cable_of",
    "dead_parts",
    "find_failures",
    "port_forms",
    "read_failures",
    "read_report",
    "wrong_ports",
]


@dataclass(frozen=True)
class Failures(Shown):
    """The failed parts of a plan's fabric."""

    switches: tuple[int, ...]
    """Ids of failed switches. A switch whose cables have all failed counts as failed."""
    cables: tuple[int, ...]
    """Ids of failed cables between working switches."""
    unread: int = 0
    """The number of switches without a file."""
    unused: tuple[str, ...] = field(default=(), compare=False)
    """Ports that are up but that the bundle does not use, for example ``s0/eth3``, because a cable works again."""
    silent: tuple[str, ...] = field(default=(), compare=False)
    """Hosts whose port is down. A repair changes no entry because of them."""


NO_FAILURES = Failures((), ())


def find_failures(plan: EthernetPlan, cables: Sequence[str] = (), switches: Sequence[str] = ()) -> Failures:
    """Look up failed cables and switches by name.

    Parameters
    ----------
    plan
        The deployed plan.
    cables
        ``A:B`` for the cable between two switches, or ``A/eth3:B/eth7`` if several cables join them.
    switches
        Names of switches.

    Raises
    ------
    tulle.InputError
        For a name that matches no switch, no cable or several cables.
    """
    return dead_parts(plan, [find_cable(plan, text) for text in cables], [find_switch(plan, name) for name in switches])


def dead_parts(plan: EthernetPlan, cables: Sequence[int], switches: Sequence[int], unread: int = 0) -> Failures:
    """Return failed cables and switches. A switch whose cables have all failed counts as failed."""
    gone, broken = {*switches}, {*cables}
    for switch, ports in enumerate(plan.ports):
        own = {cable_of(plan, port) for port in ports if port.channel is not None}
        if own and own <= broken:
            gone.add(switch)
    edges = dict(zip(plan.fabric.cables.tolist(), plan.fabric.edges.tolist(), strict=True))
    left = sorted(cable for cable in broken if not gone & {*edges[cable]})
    return Failures(tuple(sorted(gone)), tuple(left), unread)


def read_failures(plan: EthernetPlan, places: Sequence[str | PathLike[str]], removed: Collection[str] = ()) -> Failures:
    """Find failures from the output of ``ip -json link`` or ``lldpctl -f json0``, one file per switch.

    A cable has failed if the ports at its ends are down or missing, or receive no LLDP frames. The cables of a switch
    without a file are judged by their other ends.

    Parameters
    ----------
    plan
        The deployed plan.
    places
        Files named after their switches, ``NAME.json``, or folders of such files.
    removed
        Names of switches that earlier repairs have removed from the bundle. Their files are skipped, and ports of
        other switches that lead to them count as unused.

    Raises
    ------
    tulle.FileError, tulle.FormatError
        For a file that cannot be read, or is not the output of these tools.
    tulle.InputError
        For a file whose name is not that of a switch, a miswired cable, or a cable whose ends disagree.
    """
    files, _ = files_of(plan.names, places, removed=removed)
    ends_of: dict[int, list[tuple[bool, int, Port]]] = defaultdict(list)
    unused: list[str] = []
    silent: list[str] = []
    forms = port_forms(plan)
    reports = {switch: read_report(plan, switch, path, removed) for switch, path in sorted(files.items())}
    for switch, report in reports.items():
        if report.wrong:
            port, problem = report.wrong[0]
            moves = [move.text for move in wrong_ports(plan, reports) if (plan.names[switch], port.name) in move.ends]
            cause = f"; {moves[0]}" if moves else ""
            raise InputError(f"{files[switch]}: {problem}{cause}; legal: the planned cabling, or a new bundle")
        unused += report.unused(plan, switch, forms)
        for port in plan.ports[switch]:
            if port.channel is not None:
                ends_of[cable_of(plan, port)].append((port.name in report.alive, switch, port))
            elif report.by_links and port.name not in report.alive and port.endpoint is not None:
                silent.append(plan.hosts[port.endpoint].name)
    for ends in ends_of.values():
        if len({up for up, _, _ in ends}) > 1:
            (_, down, at), (_, up, there) = sorted(ends, key=lambda end: end[0])
            one, other = f"{plan.names[down]}/{at.name}", f"{plan.names[up]}/{there.name}"
            raise InputError(
                f"{files[down]}: {one} is down or has no LLDP neighbour, but the other end {other} of its cable is up: "
                "a file is truncated, or the files were collected at different times; legal: complete files that were "
                f"collected at the same time, or --dead-cable {one}:{other}"
            )
    dead = [cable for cable, ends in sorted(ends_of.items()) if not ends[0][0]]
    found = dead_parts(plan, dead, (), len(plan.names) - len(files))
    return replace(found, unused=tuple(unused), silent=tuple(silent))


def port_forms(plan: EthernetPlan) -> set[str]:
    """Return the names of a fabric's ports without their numbers.

    An unknown port whose name has such a form may be a port of the fabric: for example swp7, if the fabric uses swp1.
    """
    return {_form(port.name) for ports in plan.ports for port in ports}


def _form(name: str) -> str:
    """The name of a port with all numbers replaced by 0, so that ports of one kind have the same form."""
    return re.sub(r"\d+", "0", name)


class Report(NamedTuple):
    """What a switch reports about its ports."""

    by_links: bool
    """Whether the report is the output of ``ip -json link``, which also has the ports toward hosts."""
    alive: set[str]
    """The ports that are up. In the output of LLDP: the ports that have their planned neighbour."""
    others: set[str]
    """Ports that the bundle perhaps does not use: all ports that are up. In the output of LLDP: unknown ports with a
    known switch as neighbour."""
    wrong: list[tuple[Port, str]]
    """Ports with another neighbour than planned, each with a description of the problem."""
    neighbours: dict[str, tuple[int, str]]
    """For ports in `wrong`, by name: the neighbour as switch and port, if it is a port of the plan."""

    def unused(self, plan: EthernetPlan, switch: int, forms: set[str]) -> list[str]:
        """Return the ports that are up but that the bundle does not use, for example ``s0/eth3``.

        The parameter `forms` is the result of `port_forms`.
        """
        known = {port.name for port in plan.ports[switch]}
        free = sorted(self.others - known - _OTHERS)
        return [f"{plan.names[switch]}/{name}" for name in free if _form(name) in forms]


def read_report(plan: EthernetPlan, switch: int, path: Path, removed: Collection[str] = ()) -> Report:
    """Read the output of ``ip -json link`` or ``lldpctl -f json0`` on a switch.

    A port whose neighbour is one of the `removed` switches counts as up, but not used by the bundle.

    Raises
    ------
    tulle.FileError, tulle.FormatError
        For a file that cannot be read, or is not the output of these tools.
    """
    text = read_text(path)
    if text.lstrip().startswith("["):
        up = _up_ports(path, text)
        return Report(by_links=True, alive=up, others=up, wrong=[], neighbours={})
    return _neighbour_ports(plan, switch, path, removed)


def _up_ports(path: Path, text: str) -> set[str]:
    """The interfaces with a carrier in ``ip -json link``."""
    try:
        rows: list[dict[str, Any]] = json.loads(text)
        # A port that is administratively down has no carrier flag. Links that cannot detect their state report UNKNOWN.
        up = {
            row["ifname"].partition("@")[0]
            for row in rows
            if "LOWER_UP" in row["flags"] and row.get("operstate") in ("UP", "UNKNOWN")
        }
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError) as error:
        raise FormatError(f"{path}: invalid: {error}; legal: the output of ip -json link or lldpctl -f json0") from None
    if not rows:
        # Every switch has at least its loopback interface, so an empty list means that the command failed.
        raise FormatError(f"{path}: no interface; legal: the output of ip -json link")
    return up


def _neighbour_ports(plan: EthernetPlan, switch: int, path: Path, removed: Collection[str]) -> Report:
    """Report the ports with their planned LLDP neighbour, with another one, and unknown ports that lead to switches."""
    report = Report(by_links=False, alive=set(), others=set(), wrong=[], neighbours={})
    known = Directory([*plan.names, *plan.fabric.labels, *removed])
    by_name = {name: port for port in plan.ports[switch] for name in (port.alias, port.given) if name}
    by_name |= {port.name: port for port in plan.ports[switch]}
    for seen in read_live("lldp", [path]):
        port = by_name.get(seen.port)
        if port is None and seen.neighbour is not None and known.find(seen.neighbour):
            report.others.add(seen.port)
        if port is None or port.channel is None or seen.neighbour is None:
            continue
        other, there = plan.peer(port)
        names = {plan.names[other], plan.fabric.labels[other]}
        # If two switches have the same short name, it identifies neither of them.
        found = {*known.find(seen.neighbour)}
        if not (found and found <= names and _is_port(seen, there)):
            has = f"{seen.neighbour} {seen.neighbour_port or ''}".strip()
            problem = f"{port.name} of {plan.names[switch]} has the neighbour {has}"
            report.wrong.append((port, f"{problem}, expected {plan.names[other]} {there.name}"))
            if (end := _planned_port(plan, found, seen)) is not None:
                report.neighbours[port.name] = end
        else:
            report.alive.add(port.name)
    return report


def _planned_port(plan: EthernetPlan, found: Collection[str], seen: PortRecord) -> tuple[int, str] | None:
    """Return the switch and the port that a neighbour announces; None if it announces no port of the plan."""
    names = zip(plan.names, plan.fabric.labels, strict=True)
    switches = [switch for switch, known in enumerate(names) if found and {*found} <= {*known}]
    ports = [port for switch in switches for port in plan.ports[switch] if seen.neighbour_port and _is_port(seen, port)]
    return (switches[0], ports[0].name) if len(ports) == 1 else None


def wrong_ports(plan: EthernetPlan, reports: Mapping[int, Report]) -> tuple[Move, ...]:
    """Return the exchanged cables between switches that explain wrong neighbours, a `Move` per exchange.

    The ends of a move are names of switches and of their ports.
    """
    planned: dict[int, tuple[tuple[str, str], tuple[str, str]]] = {}
    actual = []

    def end(switch: int, port: str) -> tuple[str, str]:
        return f"switch {plan.names[switch]}", port

    for switch, report in reports.items():
        for port in plan.ports[switch]:
            if port.name not in report.neighbours:
                continue
            there = report.neighbours[port.name]
            actual.append((end(switch, port.name), end(*there)))
            for at, name in ((switch, port.name), there):
                own = next(one for one in plan.ports[at] if one.name == name)
                if own.channel is not None:
                    other, far = plan.peer(own)
                    planned[cable_of(plan, own)] = end(at, name), end(other, far.name)
    moves = find_wrong_ports([planned[cable] for cable in sorted(planned)], actual).moves
    return tuple(
        move._replace(ends=frozenset((name.removeprefix("switch "), port) for name, port in move.ends))
        for move in moves
    )


def _is_port(seen: PortRecord, there: Port) -> bool:
    """Whether a neighbour announces the planned port.

    The neighbour may announce any of these: the port's name, its name in the fabric or its alias, each in any spelling;
    its number; its MAC address. A neighbour that announces no port also matches.
    """
    announced = seen.announced
    texts = [seen.neighbour_port, *([announced.port_id, announced.port_description] if announced is not None else [])]
    names = [text for text in texts if text]
    known = {plain(name) for name in (there.name, there.given, there.alias) if name}
    known |= {str(there.number), there.mac.casefold()}
    return not names or any(plain(text) in known or text.casefold() in known for text in names)
