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
from tulle.cabling.live import read_live
from tulle.cabling.source import shown
from tulle.deploy.ethernet.lldp import find_renamed, match, own_ports
from tulle.deploy.ethernet.part_names import cable_of, find_cable, find_switch
from tulle.deploy.read.switch_files import files_of, is_blank
from tulle.deploy.wrong_ports import find_wrong_ports
from tulle.errors import FormatError, InputError, TulleError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from os import PathLike
    from pathlib import Path

    from tulle.cabling.live.port_record import PortRecord
    from tulle.deploy.ethernet.lldp import Matched
    from tulle.deploy.ethernet.plan import EthernetPlan, Port
    from tulle.deploy.wrong_ports import Move

# Ports for management, which may have names like the ports of the fabric.
_OTHERS = {"eth0"}

__all__ = [
    "NO_FAILURES",
    "Dump",
    "Dumps",
    "Failures",
    "Report",
    "cable_of",
    "dead_parts",
    "find_failures",
    "port_forms",
    "read_dumps",
    "read_failures",
    "read_reports",
    "unknown_switches",
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
    notes: tuple[str, ...] = field(default=(), compare=False)
    """A line for each file of a switch that is not in the bundle."""


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
        Files named after their switches, ``NAME.json``, or folders of such files. Files with aliases of ports, for
        example SONiC's ``port_config.ini``, are used too. Files of unknown switches are skipped, with a note.
    removed
        Names of switches that earlier repairs have removed from the bundle. Their files are skipped, and ports of
        other switches that lead to them count as unused.

    Raises
    ------
    tulle.FileError, tulle.FormatError
        For a file that cannot be read, or is not the output of these tools.
    tulle.InputError
        If no file has the name of a switch, for a miswired cable, or a cable whose ends disagree.
    """
    dumps = read_dumps(plan, places, removed)
    for error in dumps.problems.values():
        raise error
    for path in dumps.blank.values() if not dumps.of else ():
        raise FormatError(f"{path}: the file is empty; legal: the output of ip -json link or lldpctl -f json0")
    ends_of: dict[int, list[tuple[bool, int, Port]]] = defaultdict(list)
    unused: list[str] = []
    silent: list[str] = []
    forms = port_forms(plan)
    reports, renamed = read_reports(plan, dumps, removed)
    for switch, report in sorted(reports.items()):
        if report.wrong:
            port, problem = report.wrong[0]
            moves = [move.text for move in wrong_ports(plan, reports) if (plan.names[switch], port.name) in move.ends]
            cause = f"; {moves[0]}" if moves else ""
            raise InputError(f"{report.path}: {problem}{cause}; legal: the planned cabling, or a new bundle")
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
                f"{reports[down].path}: {one} is down or has no LLDP neighbour, but the other end {other} of its cable "
                "is up: a file is truncated, or the files were collected at different times; legal: complete files "
                f"that were collected at the same time, or --dead-cable {one}:{other}"
            )
    dead = [cable for cable, ends in sorted(ends_of.items()) if not ends[0][0]]
    found = dead_parts(plan, dead, (), len(plan.names) - len(reports))
    notes = tuple(text for _, _, text in unknown_switches(dumps, renamed))
    return replace(found, unused=tuple(unused), silent=tuple(silent), notes=notes)


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

    path: Path
    """The file with the report."""
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
    rates: dict[str, int]
    """Port -> the rate in bit/s that its planned neighbour announces."""

    def unused(self, plan: EthernetPlan, switch: int, forms: set[str]) -> list[str]:
        """Return the ports that are up but that the bundle does not use, for example ``s0/eth3``.

        The parameter `forms` is the result of `port_forms`.
        """
        known = {port.name for port in plan.ports[switch]}
        free = sorted(self.others - known - _OTHERS)
        return [f"{plan.names[switch]}/{name}" for name in free if _form(name) in forms]


class Dump(NamedTuple):
    """The content of the file of a switch."""

    path: Path
    up: set[str] | None
    """The ports that are up in the output of ``ip -json link``; None for the output of LLDP."""
    seen: list[PortRecord]
    """The port records of LLDP."""


@dataclass(frozen=True)
class Dumps:
    """The content of the files of all switches."""

    of: dict[int, Dump]
    aliases: list[PortRecord]
    """Other names of ports, from further files."""
    unknown: dict[str, Dump | None]
    """Files that belong to no switch of the bundle, by their names without suffix; None: not the output of a tool."""
    problems: dict[int, TulleError]
    """For switches whose file cannot be read, the error."""
    blank: dict[int, Path]
    """Empty files of switches, for example because a command failed. The switches count as not read."""


def read_dumps(plan: EthernetPlan, places: Sequence[str | PathLike[str]], removed: Collection[str] = ()) -> Dumps:
    """Read the output of ``ip -json link`` or ``lldpctl -f json0`` of all switches. See `read_failures`.

    Raises
    ------
    tulle.FileError
        For a file or folder that does not exist, and for an empty folder.
    tulle.InputError
        If no file has the name of a switch, and for a second file of a switch.
    """
    files, found = files_of(plan.names, places, removed=removed), Dumps({}, [], {}, {}, {})
    for switch, paths in sorted(files.files.items()):
        for path in paths:
            dump = None if is_blank(path) else _dump(path)
            if dump is None:
                found.blank[switch] = path
            elif isinstance(dump, TulleError):
                found.problems[switch] = dump
            elif _has_only_aliases(dump):
                found.aliases.extend(dump.seen)
            elif switch in found.of:
                raise files.second(found.of[switch].path, path)
            else:
                found.of[switch] = dump._replace(seen=_of_device(dump.seen, plan.names[switch]))
    for path in files.unknown:
        dump = _dump(path)
        if isinstance(dump, Dump) and _has_only_aliases(dump):
            found.aliases.extend(dump.seen)
        else:
            found.unknown[path.stem] = dump if isinstance(dump, Dump) else None
    if files.unknown and not (found.of or found.problems or found.blank):
        raise files.nameless(files.unknown[0])
    return found


def _has_only_aliases(dump: Dump) -> bool:
    """Return whether a file has only other names of ports, as SONiC's ``port_config.ini`` has."""
    return bool(dump.seen) and all(record.aliases for record in dump.seen)


def _dump(path: Path) -> Dump | TulleError:
    """Read a file. Return the error if it is not the output of a tool."""
    try:
        text = read_text(path)
        if text.lstrip().startswith("["):
            return Dump(path, _up_ports(path, text), [])
        return Dump(path, None, read_live("lldp", [path]))
    except TulleError as error:
        return error


def _of_device(seen: Sequence[PortRecord], name: str) -> list[PortRecord]:
    """Return the records with the name of the file's switch, which can differ from its name in the file."""
    return [record if record.device == name else replace(record, device=name) for record in seen]


def read_reports(
    plan: EthernetPlan, dumps: Dumps, removed: Collection[str] = (), earlier: Mapping[int, Dump] | None = None
) -> tuple[dict[int, Report], dict[str, str]]:
    """Return the reports of all switches, and the names of renamed switches: name in the files -> planned name.

    A port whose neighbour is one of the `removed` switches counts as up, but not used by the bundle. `earlier` has
    older files; those of switches without a new file are used.

    Raises
    ------
    tulle.FormatError
        If LLDP names are ambiguous, or do not tell which ports a cable joins.
    """
    others = [dump for dump in dumps.unknown.values() if dump is not None and dump.seen]
    unknown = [*dumps.aliases, *(record for dump in others for record in dump.seen)]
    renamed: dict[str, str] = {}
    if others and len(dumps.of) < len(plan.names):
        renamed = find_renamed(plan, [*_records(dumps.of), *unknown], removed)
    at = {name: switch for switch, name in enumerate(plan.names)}
    own = {at[renamed[dump.seen[0].device]]: dump for dump in others if dump.seen[0].device in renamed}
    known = {**(earlier or {}), **dumps.of, **own}
    reports = {
        switch: Report(dump.path, dump.up is not None, {*(dump.up or ())}, {*(dump.up or ())}, [], {}, {})
        for switch, dump in known.items()
    }
    if any(dump.up is None for dump in known.values()):
        used = {id(record) for dump in own.values() for record in dump.seen}
        seen = [*_records(known), *(record for record in unknown if id(record) not in used)]
        _compare_neighbours(plan, known, reports, match(plan, seen, removed, renamed), removed)
    return reports, renamed


def _records(dumps: Mapping[int, Dump]) -> list[PortRecord]:
    return [record for dump in dumps.values() for record in dump.seen]


def unknown_switches(dumps: Dumps, renamed: Mapping[str, str]) -> list[tuple[str, str, str]]:
    """Return the kind, the name and an instruction for every file of a switch that is not in the bundle."""
    found = []
    for name, dump in sorted(dumps.unknown.items()):
        planned = renamed.get(dump.seen[0].device) if dump is not None and dump.seen else None
        if planned is not None:
            text = f"{planned} has no file, and {name} has all its cables: rename {name} to {planned}, or deploy a new "
            found.append(("switch-renamed", planned, text + "bundle with the new name"))
        else:
            text = f"no switch of the bundle is named {name}, so its file is skipped: deploy a new bundle with this "
            found.append(("switch-extra", name, text + "switch, or do not collect its file"))
    return found


def _up_ports(path: Path, text: str) -> set[str]:
    """The interfaces with a carrier in ``ip -json link``."""
    legal = "legal: the output of ip -json link or lldpctl -f json0"
    try:
        rows: list[dict[str, Any]] = json.loads(text)
        for row in rows:
            if not (isinstance(row, dict) and {"ifname", "flags"} <= {*row}):
                raise FormatError(f"{path}: {shown(json.dumps(row))} is not an interface; {legal}")
        # A port that is administratively down has no carrier flag. Links that cannot detect their state report UNKNOWN.
        up = {
            row["ifname"].partition("@")[0]
            for row in rows
            if "LOWER_UP" in row["flags"] and row.get("operstate") in ("UP", "UNKNOWN")
        }
    except (ValueError, RecursionError, TypeError, AttributeError) as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError(f"{path}: invalid: {error}; {legal}") from None
    if not rows:
        # Every switch has at least its loopback interface, so an empty list means that the command failed.
        raise FormatError(f"{path}: no interface; legal: the output of ip -json link")
    return up


def _compare_neighbours(
    plan: EthernetPlan,
    dumps: Mapping[int, Dump],
    reports: Mapping[int, Report],
    matched: Sequence[Matched],
    removed: Collection[str],
) -> None:
    """Add the neighbours in the output of LLDP to the reports."""
    at = {name: switch for switch, name in enumerate(plan.names)}
    ports = [{port.name: port for port in row} for row in plan.ports]
    compared: set[tuple[int, str]] = set()

    def wrong(switch: int, port: Port, has: str) -> None:
        other, there = plan.peer(port)
        problem = f"{port.name} of {plan.names[switch]} has the neighbour {has}"
        reports[switch].wrong.append((port, f"{problem}, expected {plan.names[other]} {there.name}"))

    for seen, read in matched:
        switch, neighbour = at.get(seen.device, -1), seen.neighbour or ""
        if switch not in reports or reports[switch].by_links:
            continue
        compared.add((switch, seen.port))
        port, report = ports[switch].get(seen.port), reports[switch]
        if port is None and (neighbour in at or neighbour in removed):
            report.others.add(seen.port)
        if port is None or port.channel is None:
            continue
        other, there = plan.peer(port)
        if neighbour == plan.names[other] and seen.neighbour_port in (None, "", there.name):
            report.alive.add(port.name)
            if seen.rate is not None:
                report.rates[port.name] = seen.rate
            continue
        wrong(switch, port, f"{read.neighbour} {read.neighbour_port or ''}".strip())
        if neighbour in at and (end := ports[at[neighbour]].get(seen.neighbour_port or "")) is not None:
            report.neighbours[port.name] = at[neighbour], end.name
    # A port with several neighbours has no single cable, so its records are not joined. All of them must be planned.
    directory, own = Directory([*plan.names, *plan.fabric.labels, *removed]), own_ports(plan)
    several: dict[tuple[int, str], set[str]] = defaultdict(set)
    for switch, dump in dumps.items():
        for record in dump.seen:
            name = own.get((plan.names[switch], record.port), "")
            if record.neighbour is not None and name and (switch, name) not in compared:
                several[switch, name].add(record.neighbour)
    for (switch, name), neighbours in sorted(several.items()):
        if (port := ports[switch][name]).channel is None:
            continue
        other, _ = plan.peer(port)
        names = {plan.names[other], plan.fabric.labels[other]}
        if all(directory.find(one) and {*directory.find(one)} <= names for one in neighbours):
            reports[switch].alive.add(name)
        else:
            wrong(switch, port, " and ".join(sorted(neighbours)))


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
