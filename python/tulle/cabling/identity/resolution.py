"""Join all LLDP records of a network: give every device one name, and every cable two ends."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from tulle._internal.text import counted, verb
from tulle.cabling.identity.devices import Devices
from tulle.cabling.identity.pairs import Pair, View
from tulle.cabling.identity.ports import Ports
from tulle.cabling.live.port_record import Announced
from tulle.cabling.natural import natural
from tulle.cabling.source import shown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tulle.cabling.live.port_record import PortRecord


@dataclass
class Resolved:
    """The LLDP records of a network after names are resolved."""

    ports: list[PortRecord] = field(default_factory=list)
    """Ports with their neighbours, under resolved names. A cable has one record for each end that reports the cable."""
    reporters: list[str] = field(default_factory=list)
    """Devices that have a file, sorted. A device with two files is listed twice."""
    forwards: dict[str, bool] = field(default_factory=dict)
    """Devices that announce their capabilities, and whether these devices bridge or route."""
    contradictions: list[tuple[PortRecord, PortRecord]] = field(default_factory=list)
    """Pairs of records about one cable that contradict each other."""
    unmatched: tuple[str, ...] = ()
    """The ignore patterns that match no device and no port."""
    notes: list[str] = field(default_factory=list)
    """A line for each kind of omission or assumption, with its count."""


def resolve(
    seen: Sequence[PortRecord],
    *,
    planned: Mapping[str, set[str]] | None = None,
    ignore: Sequence[str] = (),
    directed: bool = False,
) -> Resolved:
    """Join the records of all files of a network.

    Parameters
    ----------
    seen
        The records of all files, from `tulle.cabling.live.lldp.read`.
    planned
        The devices of a plan with their ports; None if there is no plan. The result uses the names of the plan.
    ignore
        Patterns of devices and ports to ignore.
    directed
        Whether a port may send to one port and receive from another. Then the reports of both ports are not joined.

    Raises
    ------
    tulle.FormatError
        For an ambiguous name; with `planned`, also for cables whose two ends cannot be matched.
    """
    devices = Devices(seen, planned or ())
    found = Resolved()
    found.reporters = _reporters(seen, devices)
    ports = _ports(seen, devices, planned or {})
    views = [
        View(devices.own(port.device), port.port, devices.neighbour(port), port, port.announced or _plain(port))
        for port in seen
        if port.port and not port.aliases and (port.neighbour is not None or _counted(found, port))
    ]
    found.unmatched = tuple(pattern for pattern in ignore if not any(_ignored(view, (pattern,)) for view in views))
    views = [view for view in views if not _ignored(view, ignore)]
    _name_by_the_way_back(views, ports)
    for view in views:
        if view.announced.forwards is not None:
            found.forwards[view.other] = found.forwards.get(view.other, False) or view.announced.forwards
    views = _without_shared(found, views, ports)
    if planned is None:
        views = _without_loops(found, views)
    # A loopback cable is not joined, because both of its ends are ports of one device.
    apart = [view for view in views if directed or view.other == view.device]
    for view in apart:
        view.there, view.sure = ports[view.other].find(view.announced)
    between = [view for view in views if not directed and view.other != view.device]
    pairs = _join(found, between, ports, with_plan=planned is not None)
    # Every file counts as a report of its device, even if all its ports are ignored.
    own = {devices.own(port.device): port for port in seen if not port.aliases}
    found.ports = [replace(own[name], device=name, port="", neighbour=None) for name in dict.fromkeys(found.reporters)]
    found.ports += [
        replace(port, device=devices.own(port.device))
        for port in seen
        if port.port and not port.aliases and port.neighbour is None
    ]
    _add_ports(found, views, {id(view) for pair in pairs for view in pair.spare}, ports, planned)
    return found


def _plain(port: PortRecord) -> Announced:
    return Announced(port_kind="ifname", port_id=port.neighbour_port or "")


def _counted(found: Resolved, port: PortRecord) -> bool:
    found.notes.append(f"{port.source.path}: port {shown(port.port)} is ignored: its neighbour has no name")
    return False


def _reporters(seen: Sequence[PortRecord], devices: Devices) -> list[str]:
    files = {(str(port.source.path), port.device) for port in seen if not port.aliases}
    return sorted((devices.own(device) for _, device in files), key=natural)


def _ports(seen: Sequence[PortRecord], devices: Devices, planned: Mapping[str, set[str]]) -> dict[str, Ports]:
    ports: dict[str, Ports] = defaultdict(Ports)
    for device, names in planned.items():
        for name in sorted(names):
            ports[device].add(name)
    reporters = {devices.own(port.device) for port in seen if not port.aliases}
    own: set[str] = set()
    common: list[PortRecord] = []
    for port in seen:
        if not port.aliases:
            ports[devices.own(port.device)].add(port.port)
        elif port.device.startswith("*"):
            common.append(port)
        else:
            device = devices.known(port.device) or port.device
            own.add(device)
            ports[device].alias(port.port, port.aliases)
    for port in common:
        folder = devices.known(port.device[1:])
        of = {folder} if folder in reporters else (reporters | {*planned}) - own
        for device in sorted(name for name in of if name is not None):
            ports[device].alias(port.port, port.aliases)
    return ports


def _ignored(view: View, patterns: Sequence[str]) -> bool:
    texts = (view.device, view.port, view.other, view.seen.device, view.seen.neighbour or "", view.announced_name)
    return any(fnmatchcase(text, pattern) for pattern in patterns for text in texts)


def _name_by_the_way_back(views: list[View], ports: dict[str, Ports]) -> None:
    """Find the names of devices that announce no name: another file reports the same cable from the device's side."""
    nameless = [view for view in views if view.other == view.announced.chassis]
    if not nameless:
        return
    hears: dict[tuple[str, str | None], set[str]] = defaultdict(set)
    for view in views:
        hears[view.other, ports[view.other].find(view.announced)[0]].add(view.device)
    found: dict[str, set[str]] = defaultdict(set)
    for view in nameless:
        found[view.other] |= hears.get((view.device, view.port), set())
    for view in nameless:
        if len(found[view.other]) == 1:
            view.other = next(iter(found[view.other]))


def _without_shared(found: Resolved, views: list[View], ports: dict[str, Ports]) -> list[View]:
    """Remove the reports of ports with several neighbours, and the reports of these neighbours.

    A port with several neighbours is connected to a shared segment, not to a cable.
    """
    at: dict[tuple[str, str], list[View]] = defaultdict(list)
    for view in views:
        at[view.device, view.port].append(view)
    kept, shared = [], set()
    for end, several in at.items():
        # One neighbour may announce itself by several protocols at the same port, for example LLDP and CDP. This is not
        # a shared segment.
        best = [view for view in several if view.announced.protocol.upper() in ("", "LLDP")] or several
        heard = {(view.other, view.announced_name) for view in best}
        if len({view.other for view in several}) > 1 or len(heard) > 1:
            shared.add(end)
        else:
            kept.append(best[0])
    if not shared:
        return kept
    left = [view for view in kept if (view.other, ports[view.other].find(view.announced)[0]) not in shared]
    some = ", ".join(f"{port} of {device}" for device, port in sorted(shared, key=_order)[:3])
    more = ", …" if len(shared) > 3 else ""
    count = sum(len(at[end]) for end in shared) + len(kept) - len(left)
    found.notes.append(
        f"{counted(len(shared), 'port')} {verb(len(shared), 'has', 'have')} several neighbours each, because "
        f"{verb(len(shared), 'it is', 'they are')} on a shared segment ({some}{more}): {counted(count, 'neighbour')} "
        f"at these ports {verb(count, 'is', 'are')} left out"
    )
    return left


def _order(end: tuple[str, str]) -> list[list[tuple[int, int, str]]]:
    return [natural(text) for text in end]


def _without_loops(found: Resolved, views: list[View]) -> list[View]:
    kept = [view for view in views if view.other != view.device]
    if len(kept) < len(views):
        left = len(views) - len(kept)
        hear = (
            f"{counted(left, 'port')} "
            f"{verb(left, 'has its own device as neighbour', 'have their own device as neighbour')}"
        )
        found.notes.append(f"{hear}: loopback cables are left out")
    return kept


def _join(found: Resolved, views: list[View], ports: dict[str, Ports], *, with_plan: bool) -> list[Pair]:
    taken = {(view.device, view.port): view.other for view in views}
    sides: dict[tuple[str, str], tuple[list[View], list[View]]] = {}
    for view in sorted(views, key=lambda view: _order((view.device, view.port))):
        a, b = sorted((view.device, view.other))
        sides.setdefault((a, b), ([], []))[view.device != a].append(view)
    pairs = [Pair(of) for of in sides.values()]
    going, left = True, pairs
    while going:
        going = False
        # The port names that one pair of devices reveals may help to join the cables of other pairs.
        left = [pair for pair in left if any(view.back is None for side in pair.sides for view in side)]
        for pair in left:
            pair.look(ports, taken)
            while pair.join():
                going = True
            for view in (*pair.sides[0], *pair.sides[1]):
                if view.back is not None and view.announced.port_kind != "mac" and view.announced.port_id:
                    ports[view.other].learn(view.announced.port_id, view.back.port)
    guessed = 0
    for pair in pairs:
        if (found_two := pair.contradiction()) is not None:
            found.contradictions.append((found_two[0].seen, found_two[1].seen))
            continue
        if not pair.settle() and with_plan:
            view = pair.sides[0][0]
            raise view.seen.source.error(
                view.seen.at,
                f"the ends of {counted(len(pair.sides[0]), 'cable')} from {shown(view.device)} to {shown(view.other)} "
                "cannot be matched, because the devices announce other port names than they use; legal: both devices "
                "with the output of `lldpcli show interfaces`, or with port_config.ini",
            )
        guessed += sum(view.back is not None or view in pair.spare for view in pair.sides[0]) if pair.guessed else 0
    for view in views:
        hears = taken.get((view.other, view.there or ""), view.device)
        if view.back is None and view.sure and hears != view.device:
            other = next(of for of in views if (of.device, of.port) == (view.other, view.there))
            found.contradictions.append((view.seen, other.seen))
    if guessed:
        found.notes.append(
            f"the ends of {counted(guessed, 'cable')} are matched only by the order of their ports, because devices "
            "announce other port names than they use; to be certain, also pass the output of `lldpcli show "
            "interfaces`, or port_config.ini"
        )
    return pairs


def _add_ports(
    found: Resolved,
    views: list[View],
    spare: set[int],
    ports: dict[str, Ports],
    planned: Mapping[str, set[str]] | None,
) -> None:
    count_of: dict[tuple[str, str], int] = defaultdict(int)
    for view in views:
        if view.there is None:
            count_of[view.other, view.announced_name] += 1
    unsure = 0
    for view in views:
        if id(view) in spare:
            continue
        there: str | None = view.there
        if there is None:
            there = view.announced_name
            named = view.announced.port_kind == "ifname"
            if not named and planned and planned.get(view.other):
                # The plan does not have this port name, so the port cannot be compared with the plan.
                there, unsure = None, unsure + 1
            elif not named and (count_of[view.other, there] > 1 or there in ports[view.other].names):
                there = view.announced.port_id if count_of[view.other, view.announced.port_id] == 0 else None
        found.ports.append(
            replace(view.seen, device=view.device, port=view.port, neighbour=view.other, neighbour_port=there)
        )
    if unsure:
        found.notes.append(
            f"{counted(unsure, 'port')} {verb(unsure, 'has', 'have')} a neighbour that announces a port name unknown "
            "to the plan: the neighbour's port is not compared"
        )
