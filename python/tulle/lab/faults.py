"""Cables of a lab: named, failed and mended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from tulle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tulle.deploy.ethernet.plan import EthernetPlan, Host
    from tulle.lab.sandbox import Sandbox

__all__ = ["Cable", "Kind", "cable", "cable_of", "first_cable", "set_faults"]

Kind = Literal["down", "silent"]


@dataclass(frozen=True)
class Cable:
    """A cable of a lab."""

    channel: int
    """The lower of its channels, by which the fabric names it."""
    name: str
    """Both switches, with their ports."""
    ends: tuple[dict[str, Any], ...]
    """What both ends are, for the sandbox."""


def cable(place: Path, plan: EthernetPlan, text: str) -> Cable:
    """The cable that `text` names, by names of the bundle: ``SWITCH:SWITCH``, ``SWITCH:PORT``, or as it is printed.

    Raises
    ------
    tulle.InputError
        For a switch or a port that there is not, or two switches without one cable between them.
    """
    one, colon, other = text.partition(":")
    if "/" in one:
        one, _, other = one.partition("/")
    if one not in plan.names or not colon:
        what = "no switch" if colon else "no cable"
        raise InputError(f"{text}: '{one}' is {what}; legal: SWITCH:PORT or SWITCH:SWITCH, as {_example(plan)}")
    switch = plan.names.index(one)
    ports = [port for port in plan.ports[switch] if port.channel is not None]
    if other in plan.names:
        found = [port for port in ports if plan.names[plan.peer(port)[0]] == other]
    else:
        found = [port for port in ports if other in (port.name, str(port.number))]
    if len(found) != 1:
        near = ", ".join(f"{port.name} ({plan.names[plan.peer(port)[0]]})" for port in ports)
        raise InputError(f"{text}: '{other}' is no cable of {one}; legal: {near}")
    channel = found[0].channel
    assert channel is not None
    return cable_of(place, plan, channel)


def first_cable(place: Path, plan: EthernetPlan, source: Host, destination: Host, layer: int) -> Cable:
    """The first cable between switches that packets take from one host to another in a layer.

    Raises
    ------
    tulle.InputError
        For hosts at one switch.
    """
    if source.switch == destination.switch:
        raise InputError(f"{source.name} and {destination.name} are at one switch: no cable is between them")
    group = plan.group_of(source.switch)[layer, plan.destinations.index(destination.switch)]
    number, _ = plan.groups(source.switch)[group][0]
    channel = plan.by_number[source.switch][number].channel
    assert channel is not None
    return cable_of(place, plan, channel)


def set_faults(
    sandbox: Sandbox,
    *,
    fail: Sequence[Cable] = (),
    heal: Sequence[Cable] = (),
    heal_all: bool = False,
    kind: Kind = "down",
) -> dict[str, str]:
    """Fails and mends cables; all that are failed then, by name: ``down`` or ``silent``."""
    job = {
        "job": "faults",
        "cables": {one.name: one.ends for one in (*fail, *heal)},
        "fail": [one.name for one in fail],
        "heal": [one.name for one in heal],
        "heal_all": heal_all,
        "kind": kind,
    }
    now: dict[str, str] = sandbox.run(job, timeout=60)
    return now


def cable_of(place: Path, plan: EthernetPlan, channel: int) -> Cable:
    """The cable of a channel."""
    lower = min(channel, int(plan.fabric.reverse[channel]))
    port = plan.channel_ports[lower]
    there, peer = plan.peer(port)
    here, _ = plan.peer(peer)
    ends = [(here, port.name), (there, peer.name)]
    name = ":".join(f"{plan.names[switch]}/{interface}" for switch, interface in ends)
    return Cable(lower, name, tuple(_end(place, plan.names[switch], interface) for switch, interface in ends))


def _end(place: Path, switch: str, interface: str) -> dict[str, Any]:
    folder = place.resolve() / "switches" / switch
    files = (folder / "neighbours.batch", folder / "routes.batch")
    lines = [line for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    return {
        "node": switch,
        "interface": interface,
        "lines": "".join(f"{line}\n" for line in lines if interface in line.split()),
    }


def _example(plan: EthernetPlan) -> str:
    channel = plan.channel_ports[0]
    here, _ = plan.peer(plan.peer(channel)[1])
    return f"{plan.names[here]}:{channel.name}"
