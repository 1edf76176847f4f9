"""Find the switch or the cable that a user names."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from tulle._internal.text import did_you_mean, listed
from tulle.errors import InputError

if TYPE_CHECKING:
    from tulle.deploy.ethernet.plan import EthernetPlan, Port

__all__ = ["brief_cable_name", "cable_name", "cable_of", "find_cable", "find_switch"]

_SHOWN = 20


def cable_of(plan: EthernetPlan, port: Port) -> int:
    """Return the cable at a port toward another switch."""
    assert port.channel is not None
    return min(port.channel, int(plan.fabric.reverse[port.channel]))


def cable_name(plan: EthernetPlan, cable: int) -> str:
    """Return the name of a cable as ``tulle deploy repair --dead-cable`` reads it."""
    port = plan.channel_ports[cable]
    other, there = plan.peer(port)
    return f"{plan.names[plan.peer(there)[0]]}/{port.name}:{plan.names[other]}/{there.name}"


def brief_cable_name(plan: EthernetPlan, cable: int) -> str:
    """Return the names of a cable's two switches, ``A:B``; with its ports if other cables join the same switches."""
    port = plan.channel_ports[cable]
    other, there = plan.peer(port)
    one = plan.peer(there)[0]
    beside = [plan.peer(each)[0] for each in plan.ports[one] if each.channel is not None]
    return cable_name(plan, cable) if beside.count(other) > 1 else f"{plan.names[one]}:{plan.names[other]}"


def _known(plan: EthernetPlan, name: str) -> int | None:
    """The switch with a name or a label, or None."""
    for names in (plan.names, plan.fabric.labels):
        if name in names:
            return names.index(name)
    return None


def _cables_at(plan: EthernetPlan, switch: int) -> str:
    """The cables of a switch, as the user may write them."""
    ports = [port for port in plan.ports[switch] if port.channel is not None]
    others = [plan.peer(port) for port in ports]
    count = Counter(other for other, _ in others)
    name = plan.names[switch]
    return listed(
        [
            f"{name}:{plan.names[other]}" if count[other] == 1 else f"{name}/{port.name}:{plan.names[other]}/{far.name}"
            for port, (other, far) in zip(ports, others, strict=True)
        ],
        _SHOWN,
    )


def find_switch(plan: EthernetPlan, name: str) -> int:
    """Return the id of the switch with a name, or with a label of the fabric.

    Raises
    ------
    tulle.InputError
        If no switch has the name.
    """
    if (switch := _known(plan, name)) is not None:
        return switch
    near = did_you_mean(name, plan.names)
    legal = f"legal: {listed(plan.names, _SHOWN)}" if near.startswith("legal") else near
    raise InputError(f"no switch is named '{name}'; {legal}")


def find_cable(plan: EthernetPlan, text: str) -> int:
    """Return the id of the cable that ``A:B`` or ``A/eth3:B/eth7`` names.

    Raises
    ------
    tulle.InputError
        For a text that names no cable or several cables.
    """
    ends = text.split(":")
    if len(ends) != 2:
        raise InputError(f"'{text}' is not a cable; legal: two switches A:B, or two ports A/eth3:B/eth7")
    # If one switch is known, its cables are a better hint than all switches.
    switches = [_known(plan, end.partition("/")[0]) for end in ends]
    if None in switches and (known := next((switch for switch in switches if switch is not None), None)) is not None:
        unknown = ends[switches.index(None)].partition("/")[0]
        raise InputError(f"'{text}': no switch is named '{unknown}'; legal: {_cables_at(plan, known)}")
    (one, at), (other, there) = (_end(plan, end) for end in ends)
    found = [
        port
        for port in plan.ports[one]
        if port.channel is not None
        and plan.peer(port)[0] == other
        and (at is None or port == at)
        and (there is None or plan.peer(port)[1] == there)
    ]
    if not found:
        raise InputError(f"'{text}': no such cable; legal: {_cables_at(plan, one)}")
    if len(found) > 1:
        more = ", ".join(f"{ends[0]}/{port.name}:{ends[1]}/{plan.peer(port)[1].name}" for port in found)
        raise InputError(f"'{text}': {len(found)} cables join these switches; legal: one of {more}")
    return cable_of(plan, found[0])


def _end(plan: EthernetPlan, text: str) -> tuple[int, Port | None]:
    name, slash, port = text.partition("/")
    switch = find_switch(plan, name)
    if not slash:
        return switch, None
    for known in plan.ports[switch]:
        if port and port in {known.name, known.given, known.alias, str(known.number)}:
            return switch, known
    raise InputError(
        f"'{text}': switch {name} has no such port; legal: "
        f"{', '.join(known.name for known in plan.ports[switch][:2])} and so on"
    )
