"""Convert port records of tools to actual cables between the devices of a plan."""

from __future__ import annotations

from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from tulle._internal.text import are, counted, verb
from tulle.cabling.identity.nodes import Nodes, is_aggregation
from tulle.cabling.links import RECEIVE, TRANSMIT, whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tulle.cabling.live.port_record import PortRecord
    from tulle.cabling.plan import End, Plan


@dataclass
class Observed:
    """The actual cables of a network, with the names of a plan."""

    peers: dict[End, End] = field(default_factory=dict)
    """The other end of the cable, by end. A cable is listed under both of its ends."""
    rates: dict[End, list[int]] = field(default_factory=dict)
    """The actual rates of ports in bit/s."""
    best: dict[End, int] = field(default_factory=dict)
    """The rate in bit/s that both ends support, if it is higher than the actual rate."""
    down: dict[End, str] = field(default_factory=dict)
    """Port -> ``down``, ``disabled``, or ``silent``, which means that the port is up but has no known neighbour."""
    reporters: set[str] = field(default_factory=set)
    """Devices that report their ports."""
    devices: set[str] = field(default_factory=set)
    """All devices in the records, including those that appear only as neighbours."""
    conflicts: dict[End, set[End]] = field(default_factory=dict)
    """Port -> the ends that different records name as the other end of its cable, if they disagree."""
    ignored: set[End] = field(default_factory=set)
    """Ports that match an ignore pattern, by any of the names that tools use."""
    notes: list[str] = field(default_factory=list)
    """One line for each kind of omission, with its count."""


def observe(
    plan: Plan, seen: Iterable[PortRecord], *, by_number: bool, ignore: Sequence[str], directed: bool = False
) -> Observed:
    """Find the actual cables from port records, and return them with the names of the plan.

    Parameters
    ----------
    by_number
        Whether the tool and the plan number the ports of endpoints in the same way. Otherwise, if an endpoint has one
        planned port, every port of this endpoint counts as the planned one.
    ignore
        Patterns of devices and ports to ignore.
    directed
        Whether links between switches lead from the transmit side of a port to the receive side of another port. Then
        the ends in the plan are sides of ports.
    """
    found = Observed()
    reported: dict[End, set[End]] = {}
    views: set[tuple[End, End]] = set()
    seen = list(seen)
    nodes = Nodes(plan, seen)
    loops: set[frozenset[End]] = set()
    aggregation: set[tuple[int, str]] = set()
    for port in seen:
        here = _end(plan, nodes.end(port.device, port.port, port.guid), by_number)
        if is_ignored(here, port.device, ignore):
            found.ignored.add(here)
            continue
        # SHARP shows a part of every switch as an adapter, at a port that has no socket. This is not a cable.
        if is_aggregation(port.device) and here[0] not in plan.device:
            aggregation.add((port.guid, port.device))
            continue
        found.reporters.add(here[0])
        found.devices.add(here[0])
        if not port.port:
            continue
        if port.neighbour is None or port.state != "up":
            found.down[here] = "silent" if port.state == "up" else port.state
            if directed:
                found.down |= {(here[0], here[1] + side): found.down[here] for side in (TRANSMIT, RECEIVE)}
            continue
        if port.neighbour_port is None:
            there = _some_port(plan, here, nodes.name(port.neighbour, "", port.neighbour_guid))
        else:
            there = _end(plan, nodes.end(port.neighbour, port.neighbour_port, port.neighbour_guid), by_number)
        if is_ignored(there, port.neighbour, ignore):
            found.ignored.add(there)
            continue
        if is_aggregation(port.neighbour) and there[0] not in plan.device:
            aggregation.add((port.neighbour_guid, port.neighbour))
            continue
        if here[0] == there[0] and not any(_planned(plan, end) for end in (here, there)):
            loops.add(frozenset((here, there)))
            continue
        found.devices.add(there[0])
        if directed and not _has_endpoint(plan, here, there):
            here, there = (here[0], here[1] + RECEIVE), (there[0], there[1] + TRANSMIT)
        views.add((here, there))
        reported.setdefault(here, set()).add(there)
        reported.setdefault(there, set()).add(here)
        if port.rate is not None:
            found.rates.setdefault(here, []).append(port.rate)
        if port.best_rate is not None:
            found.best[here] = port.best_rate
    if loops:
        cables = counted(len(loops), "cable")
        found.notes.append(
            f"{cables} from a device to itself, at ports that are not planned, {verb(len(loops), 'is', 'are')} left out"
        )
    if aggregation:
        found.notes.append(aggregation_note(len(aggregation)))
    if not directed:
        _note_one_sided(plan, found, views, whole_network=by_number)
    for end, others in reported.items():
        if len(others) > 1 or end in others:
            found.conflicts[end] = others
    for end, others in reported.items():
        other = min(others)
        if end not in found.conflicts and other not in found.conflicts:
            found.peers[end] = other
    return found


def aggregation_note(count: int) -> str:
    """Return the note about aggregation nodes that are not compared."""
    return f"{counted(count, 'aggregation node')} (SHARP) {verb(count, 'is', 'are')} left out"


def _note_one_sided(plan: Plan, found: Observed, views: set[tuple[End, End]], *, whole_network: bool) -> None:
    """Add a note about cables that only one end reports although both ends should report them.

    A tool that covers the whole network should report all switches, and all endpoints if it reports any. Other tools
    report only devices that have a file.
    """
    kinds = {device.name: device.kind for device in plan.devices}
    has_endpoints = any(kinds.get(name) == "endpoint" for name in found.reporters)

    def speaks(name: str) -> bool:
        if name in found.reporters:
            return True
        return whole_network and name in kinds and (kinds[name] == "switch" or has_endpoints)

    silent = sorted((there, here) for here, there in views if (there, here) not in views and speaks(there[0]))
    silent = [(there, here) for there, here in silent if not there[1].startswith("?")]
    if silent:
        (name, port), (other, far) = silent[0]
        found.notes.append(
            f"{are(len(silent), 'cable')} reported by one end only: port {port} of {name} does not report its cable to "
            f"port {far} of {other}" + ("; …" if len(silent) > 1 else "")
        )


def _planned(plan: Plan, end: End) -> bool:
    """Return whether the plan has a cable at a port, or at one side of the port."""
    return any((end[0], end[1] + side) in plan.at for side in ("", RECEIVE, TRANSMIT))


def _has_endpoint(plan: Plan, *ends: End) -> bool:
    return any(name in plan.device and plan.device[name].kind == "endpoint" for name, _ in ends)


def is_ignored(end: End, name: str, patterns: Sequence[str]) -> bool:
    """Return whether a pattern matches the port or device of a cable end, or `name`, which a tool gives the device."""
    texts = (*end, name)
    return any(fnmatchcase(text, pattern) for text in texts for pattern in patterns)


def _some_port(plan: Plan, here: End, neighbour: str) -> End:
    """Return the end of a cable at a neighbour whose port is unknown.

    If the plan connects `here` to this neighbour, the end is the planned port. Otherwise the end gets a name that
    contains `here`, for example ``? of s0 eth1``.
    """
    planned = plan.other(here) or plan.other((here[0], here[1] + RECEIVE))
    planned = planned and whole(planned)
    if planned is not None and (planned[0] == neighbour or planned[0].startswith(f"{neighbour}:")):
        return planned
    return neighbour, f"? of {here[0]} {here[1]}"


def _end(plan: Plan, end: End, by_number: bool) -> End:
    name, port = end
    ports = plan.endpoint_ports.get(name, ())
    if not ports or port in ports:
        return end
    if by_number:
        # If host ports have names in the plan, the number that a tool prints is the position of the port, from 1.
        words = not any(map(str.isdigit, ports))
        at = int(port) - 1 if port.isascii() and port.isdigit() and words else -1
        return (name, ports[at]) if 0 <= at < len(ports) else end
    return (name, ports[0]) if len(ports) == 1 else end
