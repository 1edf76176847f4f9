"""Find cables at wrong ports. One line describes all cables that are corrected together, with the correction."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tulle._internal.html_summary import shown
from tulle._internal.text import verb
from tulle.cabling.observed import Observed
from tulle.cabling.plan import Device, Plan, PlannedCable, Step
from tulle.cabling.verify import compare_cables

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tulle.cabling.miswirings import Miswiring
    from tulle.cabling.plan import End

__all__ = ["HOST", "Move", "WrongPorts", "correct_first", "find_wrong_ports"]

HOST = "host "
"""The beginning of the names of hosts. All other names belong to switches, and begin with ``switch``."""


@shown
class Move(NamedTuple):
    """Cables at wrong ports that are corrected together."""

    text: str
    """The cause and its correction."""
    ends: frozenset[End]
    """The ports of these cables, actual and planned ones."""
    cables: frozenset[int]
    """The rows of the planned cables."""


class WrongPorts(NamedTuple):
    """The difference between planned and actual cables."""

    moves: tuple[Move, ...]
    missing: tuple[int, ...]
    """The rows of planned cables that are missing, without cables at wrong ports."""
    extra: tuple[tuple[End, End], ...]
    """Actual cables that are not planned, without cables at wrong ports."""


def find_wrong_ports(planned: Sequence[tuple[End, End]], actual: Iterable[tuple[End, End]]) -> WrongPorts:
    """Compare the planned and the actual cables that differ.

    An end is a device and its port. Names of devices are those for messages: they begin with ``switch`` or ``host``.
    The port of a host is empty if the name alone identifies it. If switches contradict each other about a port, its
    cables are left out.
    """
    peers = _peers(actual)
    moves: list[Move] = []
    rows = [row for row, (a, b) in enumerate(planned) if peers.get(a) != b]
    for one, other in _exchanged_switches([planned[row] for row in rows], peers):
        names = {one: other, other: one}
        both = frozenset(row for row in rows if {end[0] for end in planned[row]} & {one, other})
        ends = frozenset(end for row in both for end in planned[row])
        at = f"{one} and {other}".replace("switch ", "", 2)
        moves.append(Move(f"switches {at} are exchanged: exchange them back, or exchange all their cables", ends, both))
        peers = {_renamed(end, names): _renamed(to, names) for end, to in peers.items()}
        rows = [row for row in rows if row not in both]
    left = [planned[row] for row in rows]
    agreeing = {end for row, (a, b) in enumerate(planned) if peers.get(a) == b for end in planned[row]}
    peers = {end: other for end, other in peers.items() if end not in agreeing}
    missing, extra = [], []
    swaps: dict[End, list[Miswiring]] = {}
    for found in _compared(left, peers):
        cables = frozenset(rows[row] for row in found.cables)
        if found.kind == "swap":
            # All swaps of a cycle have the same first port.
            swaps.setdefault(found.ends[0], []).append(found)
        elif found.kind == "wrong-port":
            far, free = found.ends
            near = peers[far]
            moves.append(Move(_moved(near, far, free), frozenset((near, far, free)), cables))
        elif found.kind == "extra":
            extra.append((min(found.ends), max(found.ends)))
        else:
            missing += [rows[row] for row in found.cables]
    for hub, others in swaps.items():
        plugs = [hub, *(found.ends[1] for found in others)]
        cables = frozenset(rows[row] for found in others for row in found.cables)
        moves.append(Move(_exchanged(plugs, peers), frozenset((*plugs, *(peers[plug] for plug in plugs))), cables))
    moves.sort(key=lambda move: min(move.cables))
    return WrongPorts(tuple(moves), tuple(sorted(missing)), tuple(sorted(extra)))


def _peers(cables: Iterable[tuple[End, End]]) -> dict[End, End]:
    """Return the other end of the cable at each port. Cables at ports with contradicting reports are left out."""
    reported: dict[End, set[End]] = {}
    for one, other in cables:
        reported.setdefault(one, set()).add(other)
        reported.setdefault(other, set()).add(one)
    alone = {end: next(iter(others)) for end, others in reported.items() if len(others) == 1}
    return {end: other for end, other in alone.items() if other in alone}


def correct_first(moves: Sequence[str]) -> str:
    """Return the instruction to correct cables at wrong ports before anything else."""
    more = f"; and {len(moves) - 1} more" if len(moves) > 1 else ""
    return f"first correct the cabling: {moves[0]}{more}"


def _compared(planned: Sequence[tuple[End, End]], peers: Mapping[End, End]) -> tuple[Miswiring, ...]:
    """Compare cables as `tulle cabling verify` does."""
    ends = [*(end for cable in planned for end in cable), *peers]
    names = dict.fromkeys(name for name, _ in ends)
    devices = (Device(name, "endpoint" if name.startswith(HOST) else "switch", "", 0, 0, 0) for name in names)
    cables = (PlannedCable(0, cable, 0, "", None) for cable in planned)
    plan = Plan("", 0, (), "", "", (Step("", "", ""),), tuple(devices), tuple(cables))
    return compare_cables(plan, Observed(peers=dict(peers), reporters={*names}, devices={*names}))


def _exchanged_switches(planned: Sequence[tuple[End, End]], peers: Mapping[End, End]) -> list[tuple[str, str]]:
    """Return pairs of switches that have exactly each other's cables: somebody has exchanged them, or their GUIDs."""
    wanted = _by_device(pair for a, b in planned for pair in ((a, b), (b, a)))
    has = _by_device(peers.items())
    found: list[tuple[str, str]] = []
    for one, ports in wanted.items():
        if len(ports) < _MANY or one.startswith(HOST) or any(one in pair for pair in found):
            continue
        end = next(iter(ports.values()))
        other = peers[end][0] if end in peers else one
        if other in (one, end[0]) or other.startswith(HOST):
            continue
        names = {one: other, other: one}
        if all(
            {port: _renamed(end, names) for port, end in has.get(name, {}).items()} == wanted.get(names[name])
            for name in names
        ):
            found.append((one, other))
    return found


def _by_device(pairs: Iterable[tuple[End, End]]) -> dict[str, dict[str, End]]:
    found: dict[str, dict[str, End]] = {}
    for (name, port), other in pairs:
        found.setdefault(name, {})[port] = other
    return found


def _renamed(end: End, names: Mapping[str, str]) -> End:
    return names.get(end[0], end[0]), end[1]


_MANY = 3
"""Minimum number of cables of exchanged switches. If a switch has fewer, its exchanged cables are reported instead."""


def _moved(near: End, far: End, free: End) -> str:
    """Describe a cable of which one plug is in a wrong port."""
    if near[0].startswith(HOST):
        return f"{_end(near)} is at {_end(far)}, expected {_end(free)}: move its cable to that port"
    return f"the cable from {_end(near)} is at {_end(far)}, expected {_end(free)}: move it to that port"


def _exchanged(ends: list[End], peers: Mapping[End, End]) -> str:
    """Describe a cycle of exchanged plugs."""
    far = [peers[end] for end in ends]
    if len(ends) > 2:
        steps = ", then ".join(f"those at {_ends([ends[0], end])}" for end in ends[1:])
        return f"the cables at {_ends(ends)} are at each other's ports: exchange {steps}"
    for hosts, at in ((ends, far), (far, ends)):
        if all(name.startswith(HOST) for name, _ in hosts):
            names = sorted(_end(host).removeprefix(HOST) for host in hosts)
            return f"hosts {' and '.join(names)} are exchanged: exchange their cables at {_ends(at)}"
    pairs = sorted(zip(ends, far, strict=True), key=lambda pair: _key(pair[0]))
    come = " and ".join(_end(other) for _, other in pairs)
    return f"{_ends(ends)} are exchanged: exchange the cables back; they come from {come}"


def _ends(ends: Sequence[End]) -> str:
    """List ports, for example ``ports 1 and 2 of switch s0``."""
    ordered = sorted(ends, key=_key)
    names = {name for name, _ in ordered}
    if len(names) > 1 or not all(port for _, port in ordered):
        texts = [_end(end) for end in ordered]
    else:
        texts = [port for _, port in ordered]
    text = f"{', '.join(texts[:-1])} and {texts[-1]}"
    return text if len(names) > 1 else f"{verb(len(texts), 'port', 'ports')} {text} of {ordered[0][0]}"


def _end(end: End) -> str:
    name, port = end
    return f"port {port} of {name}" if port else name


def _key(end: End) -> tuple[str, int, str]:
    """Sort ports by number: port 2 comes before port 10."""
    digits = end[1][len(end[1].rstrip("0123456789")) :]
    return end[0], int(digits[:9] or 0), end[1]
