"""Faults in a lab: select cables, let them fail, and repair them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from tulle._internal.html_summary import Shown
from tulle.deploy.ethernet.earlier import find_removed
from tulle.errors import InputError
from tulle.lab.recipe import shaping

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tulle.deploy.ethernet.bundle import EthernetBundle
    from tulle.deploy.ethernet.plan import EthernetPlan, Host
    from tulle.lab.sandbox import Sandbox

__all__ = ["SHARE", "Cable", "Kind", "cable", "cable_of", "failed", "first_cable", "removed", "set_faults", "shapings"]

Kind = Literal["down", "silent", "slow"]
SHARE = 0.25
"""Default rate of a slow cable, as a fraction of its normal rate."""


@dataclass(frozen=True)
class Cable(Shown):
    """A cable of a lab."""

    channel: int
    """The lower id of the cable's two channels, which identifies the cable in the fabric."""
    name: str
    """The cable's name: both switches with their ports."""
    ends: tuple[dict[str, Any], ...]
    """The two ends, in the form that jobs in the sandbox use."""


def cable(place: Path, plan: EthernetPlan, text: str) -> Cable:
    """Find a cable by ``SWITCH:SWITCH``, by ``SWITCH:PORT``, or by the name that tulle prints for it.

    Raises
    ------
    tulle.InputError
        For an unknown switch or port, or two switches that no cable or several cables join.
    """
    one, colon, other = text.partition(":")
    if "/" in one:
        one, _, other = one.partition("/")
    if one not in plan.names or not colon:
        what = "switch" if colon else "cable"
        example = _example(plan)
        raise InputError(f"{text}: '{one}' is not a {what}; legal: SWITCH:PORT or SWITCH:SWITCH, for example {example}")
    switch = plan.names.index(one)
    ports = [port for port in plan.ports[switch] if port.channel is not None]
    if other in plan.names:
        found = [port for port in ports if plan.names[plan.peer(port)[0]] == other]
    else:
        found = [port for port in ports if other in (port.name, str(port.number))]
    if len(found) != 1:
        near = ", ".join(f"{port.name} ({plan.names[plan.peer(port)[0]]})" for port in ports)
        raise InputError(f"{text}: '{other}' does not name one cable of {one}; legal: {near}")
    channel = found[0].channel
    assert channel is not None
    return cable_of(place, plan, channel)


def failed(sandbox: Sandbox, place: Path, plan: EthernetPlan, text: str) -> Cable:
    """Find a failed cable by the same texts as `cable`, even if a repair has removed it from the bundle.

    Raises
    ------
    tulle.InputError
        For the same texts as `cable`.
    """
    wanted = {text, ":".join(reversed(text.split(":")))}
    found = [name for name in set_faults(sandbox) if wanted & _forms(name)]
    # The sandbox has recorded the ends of a failed cable.
    return Cable(-1, found[0], ()) if len(found) == 1 else cable(place, plan, text)


def removed(sandbox: Sandbox, bundle: EthernetBundle, text: str) -> Cable | None:
    """Find a cable that the lab has, but that a repair has removed from the bundle; None if `text` names none.

    A repair of the cable restores no routes and neighbour entries, because the bundle has none over the cable.
    """
    wanted = {text, ":".join(reversed(text.split(":")))}
    cables = [sorted(cable) for cable in find_removed(bundle).cables]
    found = [ends for ends in cables if wanted & _forms(":".join(ends))]
    if len(found) != 1 or wanted & _pairs(bundle.plan):
        return None
    nodes = sandbox.state.get("nodes", ())
    ends = [end.split("/") for end in found[0]]
    if any(node not in nodes for node, _ in ends):
        return None
    made = tuple({"node": node, "interface": interface, "lines": ""} for node, interface in ends)
    names = [":".join(found[0]), ":".join(reversed(found[0]))]
    noted = set_faults(sandbox)
    return Cable(-1, next((name for name in names if name in noted), names[0]), made)


def _pairs(plan: EthernetPlan) -> set[str]:
    """Return the pairs ``A:B`` of adjacent switches of the plan."""
    return {":".join(plan.names[switch] for switch in edge) for edge in plan.fabric.edges.tolist()}


def _forms(name: str) -> set[str]:
    """Return the texts by which users may name a cable, made from its whole name ``A/eth3:B/eth7``.

    Texts with port numbers are missing, because the name does not contain them.
    """
    ends = [end.split("/") for end in name.split(":")]
    ports = {form for switch, port in ends for form in (f"{switch}:{port}", f"{switch}/{port}")}
    return {name, ":".join(switch for switch, _ in ends), *ports}


def first_cable(place: Path, plan: EthernetPlan, source: Host, destination: Host, layer: int) -> Cable:
    """Return the first cable between switches on the path from one host to another in a layer.

    Raises
    ------
    tulle.InputError
        For hosts at the same switch.
    """
    if source.switch == destination.switch:
        raise InputError(
            f"{source.name} and {destination.name} are at the same switch; legal: hosts at different switches"
        )
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
    share: float = SHARE,
) -> dict[str, str]:
    """Make cables fail or repair them; return all failed cables by name, each with its kind of failure.

    The kinds are ``down`` (no link), ``silent`` (a link that drops all packets) and ``slow`` (a link at the fraction
    `share` of its rate).
    """
    job = {
        "job": "faults",
        "cables": {one.name: one.ends for one in (*fail, *heal)},
        "fail": [one.name for one in fail],
        "heal": [one.name for one in heal],
        "heal_all": heal_all,
        "kind": kind,
        "shaping": shapings(float(sandbox.state["rate"]), share),
    }
    now: dict[str, str] = sandbox.run(job, timeout=60)
    return now


def shapings(rate: float, share: float) -> dict[str, str]:
    """Return the arguments of ``tc`` that set the rate of a repaired cable and of a slow cable.

    Raises
    ------
    tulle.InputError
        For a share that is not between 0 and 1.
    """
    if not 0 < share < 1:
        raise InputError(f"share={share:g} of a cable's rate is out of range; legal: above 0, below 1")
    return {"whole": shaping(rate), "slow": shaping(rate * share)}


def cable_of(place: Path, plan: EthernetPlan, channel: int) -> Cable:
    """Return the cable of a channel."""
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
