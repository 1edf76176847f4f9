"""Compare the ports that switches report with an Ethernet bundle, for a watch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle._internal.text import tulle_command
from tulle.cabling.verify import slow_text
from tulle.deploy.ethernet.bundle import read_bundle, read_header
from tulle.deploy.ethernet.earlier import ADDED, find_removed, how_to_return, unused_parts
from tulle.deploy.ethernet.failures import (
    NO_FAILURES,
    Dumps,
    Failures,
    cable_of,
    dead_parts,
    port_forms,
    read_dumps,
    read_reports,
    unknown_switches,
    wrong_ports,
)
from tulle.deploy.ethernet.part_names import cable_name
from tulle.deploy.ethernet.repair import repair
from tulle.deploy.verdict import Check
from tulle.deploy.versions.history import follows_failure
from tulle.deploy.watch.collect import SWITCH, Failure
from tulle.deploy.watch.proposal import beyond, rehearsed
from tulle.deploy.watch.state import Finding, Observation, Proposal
from tulle.errors import TulleError

if TYPE_CHECKING:
    from pathlib import Path

    from tulle.deploy.ethernet.failures import Dump, Report
    from tulle.deploy.ethernet.plan import EthernetPlan, Port
    from tulle.deploy.watch.collect import LiveCommand

__all__ = ["KINDS", "EthernetWatch"]

KINDS = {
    "unread": "the live command failed for a switch, or its output cannot be read",
    "switch-down": "all cables of a switch are down",
    "cable-down": "a cable between switches is down",
    "cable-slow": "a cable runs at a lower rate than planned, or than its other end announces (only with LLDP)",
    "ends-disagree": "only one end of a cable is up",
    "wrong-port": "cables are at other ports than planned (only with LLDP)",
    "wrong-neighbour": "a port has another neighbour than planned (only with LLDP)",
    "port-unused": "a cable or a port is up, but the bundle does not use it, for example because a cable works again",
    "switch-renamed": "a switch without a file has another name (only with LLDP)",
    "switch-extra": "a file belongs to no switch of the bundle",
    "host-down": "the port of a host is down (only with ip -json link)",
}


class EthernetWatch:
    """Reads the ports of all switches. For switches that cannot be read, it uses their last report."""

    def __init__(self, place: Path, command: LiveCommand, most_dead: tuple[int, int] | None, *, rehearse: bool) -> None:
        command.check(on_ethernet=True)
        self._place, self._command, self._most_dead, self._rehearse = place, command, most_dead, rehearse
        self._read()

    def _read(self) -> None:
        self._bundle = read_bundle(self._place)
        self._dumps: dict[int, Dump] = {}
        """The last file of each switch."""
        self._reports: dict[int, Report] = {}
        """The last report of each switch."""
        removed = find_removed(self._bundle)
        self._removed, self._removed_hosts = removed.switches, removed.hosts
        self._returning: tuple[tuple[list[str], Failures], tuple[list[str], str]] = ([], NO_FAILURES), ([], "")
        """For the last check with unused ports that are up: these ports and the failed parts; and the results of
        `unused_parts` and `how_to_return` for them."""
        self._proposed: tuple[Failures, Proposal] | None = None

    def refresh(self) -> None:
        """Read the bundle again if it has changed, for example because it was repaired."""
        if read_header(self._place) != self._bundle.header:
            self._read()

    def observe(self, folder: Path) -> Observation | Failure:
        """Run the command, and compare the ports of all switches with the bundle.

        Raises
        ------
        tulle.TulleError
            For files that do not belong to switches of the bundle, and for a bundle that cannot be read.
        """
        self.refresh()
        plan, place = self._bundle.plan, folder / "switches"
        failures: list[Failure] = []
        if SWITCH in self._command.command:
            failures = self._command.per_switch(plan.names, place)
        elif (failure := self._command.into(place)) is not None:
            return failure
        dumps = Dumps({}, [], {}, {}, {})
        if any(not path.name.startswith(".") for path in place.iterdir()):
            dumps = read_dumps(plan, [place], self._removed)
        for switch, error in sorted(dumps.problems.items()):
            failures.append(Failure(plan.names[switch], str(error).replace(f"{place}/", "")))
        failures += [Failure(plan.names[switch], "the file is empty") for switch in dumps.blank]
        if not dumps.of:
            first = failures[0].text() if failures else "the live command wrote no file"
            more = f"; {len(failures) - 1} more failed" if len(failures) > 1 else ""
            return Failure("", f"no switch could be read: {first}{more}")
        reports, renamed = read_reports(plan, dumps, self._removed, self._dumps)
        now = {switch: reports[switch] for switch in (*dumps.of, *map(plan.names.index, renamed.values()))}
        found = [Finding(kind, name, text) for kind, name, text in unknown_switches(dumps, renamed)]
        self._dumps |= dumps.of
        self._reports = reports
        return self._observation(now, failures, found)

    def _observation(self, now: dict[int, Report], failures: list[Failure], unknown: list[Finding]) -> Observation:
        plan = self._bundle.plan
        found, dead = _compare(plan, self._reports, now, self._place)
        found += self._unused(dead) + unknown
        problems = {failure.switch: failure.problem for failure in failures}
        unread = []
        for switch, name in enumerate(plan.names):
            # A failed switch cannot answer, so it is not also reported as unread.
            if switch not in now and switch not in dead.switches:
                why = problems.get(name, "it has no file")
                text = f"switch {name} was not read: {why}: check the switch and the live command"
                unread.append(Finding("unread", name, text))
        return Observation(
            (*unread, *found),
            _parts(plan, dead, self._reports, len(unread)),
            self._propose(dead),
            tuple(failures),
            self._removed_hosts,
        )

    def _unused(self, dead: Failures) -> list[Finding]:
        """Return the cables and ports that are up but that the bundle does not use, and how to use them again."""
        plan, forms = self._bundle.plan, port_forms(self._bundle.plan)
        reports = ((switch, report) for switch, report in sorted(self._reports.items()) if switch not in dead.switches)
        ports = [port for switch, report in reports for port in report.unused(plan, switch, forms)]
        if not ports:
            return []
        if self._returning[0] != (key := (ports, dead)):
            other = _FIRST if follows_failure(self._bundle.folder) else ADDED
            how = how_to_return(self._bundle, ports, dead=dead) or other
            self._returning = key, (unused_parts(self._bundle, ports), how)
        parts, how = self._returning[1]
        return [
            Finding(
                "port-unused",
                part,
                f"{'the cable' if ':' in part else 'port'} {part} is up, but the bundle does not use it: {how}",
            )
            for part in parts
        ]

    def _propose(self, dead: Failures) -> Proposal:
        if self._proposed is None or self._proposed[0] != dead:
            self._proposed = dead, self._new_proposal(dead)
        return self._proposed[1]

    def _new_proposal(self, dead: Failures) -> Proposal:
        if not dead.switches and not dead.cables:
            return Proposal("", "")
        if self._bundle.header.option("underlay", "static") == "bgp":
            return Proposal("", "BGP finds other paths by itself")
        plan, place = self._bundle.plan, self._place
        parts = [word for switch in dead.switches for word in ("--dead-switch", plan.names[switch])]
        parts += [word for cable in dead.cables for word in ("--dead-cable", cable_name(plan, cable))]
        command = tulle_command("deploy", "repair", place, *parts, "-o", place)
        cables, switches = self._most_dead or (max(1, plan.fabric.num_cables // 20), 1)
        if len(dead.cables) > cables or len(dead.switches) > switches:
            return beyond(plan.fabric, len(dead.cables), dead.switches, command)
        if not self._rehearse:
            return Proposal(command, "")
        try:
            done = repair(self._bundle, dead)
        except TulleError as error:
            return Proposal("", f"no repair: {error}")
        assert done is not None
        at = len({change.switch for change in done.changes})
        return rehearsed(command, len(done.changes), at, done.why_unsafe, done.rounds)


def _compare(
    plan: EthernetPlan, reports: dict[int, Report], now: dict[int, Report], place: Path
) -> tuple[list[Finding], Failures]:
    """Return the differences and the failed parts. Commands name the folder `place` of the bundle.

    The state of a cable follows from the ends that were read in this check. If none was read, it follows from the last
    reports of both ends.
    """
    ends_of: dict[int, list[tuple[int, Port]]] = {}
    for switch in reports:
        for port in plan.ports[switch]:
            if port.channel is not None:
                ends_of.setdefault(cable_of(plan, port), []).append((switch, port))
    wrong = {(switch, port.name): text for switch in reports for port, text in reports[switch].wrong}
    moves = wrong_ports(plan, reports)
    found = [Finding("wrong-port", "/".join(min(move.ends)), move.text, len(move.cables)) for move in moves]
    moved = {end for move in moves for end in move.ends}
    found += [
        Finding("wrong-neighbour", f"{plan.names[at]}/{name}", f"{text}: {_MOVE}")
        for (at, name), text in wrong.items()
        if (plan.names[at], name) not in moved
    ]
    down: list[int] = []
    for cable, ends in sorted(ends_of.items()):
        ends = [end for end in ends if end[0] in now] or ends
        if any((switch, port.name) in wrong for switch, port in ends):
            continue
        states = {port.name in reports[switch].alive for switch, port in ends}
        if states == {False}:
            down.append(cable)
        elif len(states) > 1:
            name = cable_name(plan, cable)
            change = tulle_command("deploy", "repair", place, "--dead-cable", name, "-o", place)
            text = f"only one end of the cable {name} is up: check both ends; if the cable has failed, run `{change}`"
            found.append(Finding("ends-disagree", name, text))
    dead = dead_parts(plan, down, ())
    found += [Finding("cable-slow", cable_name(plan, cable), text) for cable, text in _slow(plan, reports).items()]
    found += [
        Finding("switch-down", plan.names[switch], f"all cables of switch {plan.names[switch]} are down: {_POWER}")
        for switch in dead.switches
    ]
    for cable in dead.cables:
        name = cable_name(plan, cable)
        found.append(Finding("cable-down", name, f"the cable {name} is down: plug it in or replace it, or {_REPAIR}"))
    for switch, report in sorted(reports.items()):
        if switch in dead.switches:
            continue
        found += [
            Finding(
                "host-down", name, f"the port of host {name} at switch {plan.names[switch]} is down: check the host"
            )
            for name in _hosts_down(plan, switch, report)
        ]
    return found, dead


_MOVE = "move the plug, or treat the planned cable as failed (`tulle deploy repair --dead-cable`)"
_POWER = "check its power and cables, or run `tulle deploy repair`"
_REPAIR = "run `tulle deploy repair`"
_FIRST = "if a cable works again, use the bundle from before the failure again (see `tulle deploy versions`)"


def _hosts_down(plan: EthernetPlan, switch: int, report: Report) -> list[str]:
    if not report.by_links:
        return []
    ports = [port for port in plan.ports[switch] if port.endpoint is not None and port.name not in report.alive]
    return [plan.hosts[port.endpoint].name for port in ports if port.endpoint is not None]


def _slow(plan: EthernetPlan, reports: dict[int, Report]) -> dict[int, str]:
    """Return the slow cables, each with an instruction. Without a planned rate, the ends must announce the same."""
    announced: dict[int, list[int]] = {}
    for switch, report in sorted(reports.items()):
        for port in plan.ports[switch]:
            if port.channel is not None and port.name in report.rates:
                announced.setdefault(cable_of(plan, port), []).append(report.rates[port.name])
    slow, planned = {}, plan.fabric.link_rate.tolist()
    for cable, rates in sorted(announced.items()):
        wanted = planned[cable] if planned[cable] > 0 else max(rates)
        if min(rates) < wanted:
            port = plan.channel_ports[cable]
            other, there = plan.peer(port)
            one = f"{plan.names[plan.peer(there)[0]]} port {port.name}"
            slow[cable] = slow_text(one, f"{plan.names[other]} port {there.name}", min(rates), wanted)
    return slow


def _misplaced(plan: EthernetPlan, reports: dict[int, Report]) -> set[int]:
    """Return the planned cables between switches of which one end has another neighbour."""
    ports = (port for report in reports.values() for port, _ in report.wrong)
    return {cable_of(plan, port) for port in ports if port.channel is not None}


def _parts(plan: EthernetPlan, dead: Failures, reports: dict[int, Report], unread: int) -> tuple[Check, ...]:
    fabric = plan.fabric
    edges = zip(fabric.cables.tolist(), fabric.edges.tolist(), strict=True)
    at_dead = {cable for cable, edge in edges if {*edge} & {*dead.switches}}
    # A cable counts once, even if one end is down and the last report of the other end names another neighbour.
    cables = len(at_dead | {*dead.cables} | _misplaced(plan, reports) | {*_slow(plan, reports)})
    parts = [
        Check("switches", fabric.num_switches - len(dead.switches) - unread, fabric.num_switches),
        Check("cables", fabric.num_cables - cables, fabric.num_cables),
    ]
    # Hosts are counted only with `ip -json link`: LLDP does not show the ports of hosts that do not use LLDP.
    known = {switch: report for switch, report in reports.items() if report.by_links}
    if known:
        of = sum(len(plan.hosts_at[switch]) for switch in known)
        lost = sum(
            len(plan.hosts_at[switch] if switch in dead.switches else _hosts_down(plan, switch, report))
            for switch, report in known.items()
        )
        parts.append(Check("hosts", of - lost, of))
    return tuple(parts)
