"""Ports that tools see as cables between the devices of a plan."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from tulle.cabling.links import RECEIVE, TRANSMIT, whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tulle.cabling.live.seen import Seen
    from tulle.cabling.plan import End, Plan

# Mellanox' managed switches describe themselves as MF0;NAME:TYPE/U1, adapters as NAME HCA-1 or NAME mlx5_0.
_SWITCH = re.compile(r"MF0;(.+):[^:]+/[UL]\d+(?:/U\d+)?$")
_ADAPTER = re.compile(r"(.+?)\s+(?:HCA-\d+|[a-z]+\d*_\d+)$")


@dataclass
class Observed:
    """Cables that are there."""

    peers: dict[End, End] = field(default_factory=dict)
    """The other end, of both ends."""
    rates: dict[End, list[int]] = field(default_factory=dict)
    """Bits per second, as the port has them."""
    best: dict[End, int] = field(default_factory=dict)
    """Bits per second that both ends could do, where that is more."""
    down: dict[End, str] = field(default_factory=dict)
    """Ports that are down, disabled or silent."""
    reporters: set[str] = field(default_factory=set)
    """Devices that speak for themselves."""
    devices: set[str] = field(default_factory=set)
    """Devices that are seen at all."""
    conflicts: dict[End, set[End]] = field(default_factory=dict)
    """Ports of which files tell several other ends."""


def observe(
    plan: Plan, seen: Iterable[Seen], *, by_number: bool, ignore: Sequence[str], directed: bool = False
) -> Observed:
    """What is there, by the names of the plan.

    Parameters
    ----------
    by_number
        Whether ports of endpoints are numbers as in the plan; else any port of an endpoint is its planned one.
    ignore
        Patterns of devices and ports that are not looked at.
    directed
        Whether links between switches go from the transmitting side of a port to the receiving side of another: those
        sides are the plan's ports.
    """
    found = Observed()
    told: dict[End, set[End]] = {}
    for port in seen:
        here = _end(plan, port.device, port.port, by_number)
        if _ignored(here, port.device, ignore):
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
            there = _some_port(plan, here, port.neighbour)
        else:
            there = _end(plan, port.neighbour, port.neighbour_port, by_number)
        if _ignored(there, port.neighbour, ignore):
            continue
        found.devices.add(there[0])
        if directed and not _has_endpoint(plan, here, there):
            here, there = (here[0], here[1] + RECEIVE), (there[0], there[1] + TRANSMIT)
        told.setdefault(here, set()).add(there)
        told.setdefault(there, set()).add(here)
        if port.rate is not None:
            found.rates.setdefault(here, []).append(port.rate)
        if port.best_rate is not None:
            found.best[here] = port.best_rate
    for end, others in told.items():
        if len(others) > 1 or end in others:
            found.conflicts[end] = others
    for end, others in told.items():
        other = min(others)
        if end not in found.conflicts and other not in found.conflicts:
            found.peers[end] = other
    return found


def _has_endpoint(plan: Plan, *ends: End) -> bool:
    return any(name in plan.device and plan.device[name].kind == "endpoint" for name, _ in ends)


def _ignored(end: End, name: str, patterns: Sequence[str]) -> bool:
    texts = (*end, name)
    return any(fnmatchcase(text, pattern) for text in texts for pattern in patterns)


def _some_port(plan: Plan, here: End, neighbour: str) -> End:
    """A port that is not named: the planned one, where the cable of `here` is to lead to that device."""
    device, _ = _end(plan, neighbour, "", by_number=False)
    planned = plan.other(here) or plan.other((here[0], here[1] + RECEIVE))
    planned = planned and whole(planned)
    return planned if planned is not None and planned[0] == device else (device, f"? of {here[0]} {here[1]}")


def _end(plan: Plan, device: str, port: str, by_number: bool) -> End:
    name = _named(plan, device, port)
    known = plan.device.get(name)
    if known is None or known.kind == "switch" or by_number:
        return name, port
    return name, plan.endpoint_port.get(name, port)


def _named(plan: Plan, device: str, port: str) -> str:
    """The name in the plan of what a tool calls `device`; that name where the plan has none such."""
    matches = (pattern.match(device) for pattern in (_SWITCH, _ADAPTER))
    for name in (device, *(match[1] for match in matches if match)):
        if name in plan.device:
            return name
        # Several ports of an adapter are endpoints of their own.
        if f"{name}/{port}" in plan.device:
            return f"{name}/{port}"
    return device
