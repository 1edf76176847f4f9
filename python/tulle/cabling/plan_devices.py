"""The switches and endpoints of a plan, and the cables between them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle.cabling.plan import Device, PlannedCable
from tulle.cabling.plan_names import known_names

if TYPE_CHECKING:
    from tulle._properties import Address
    from tulle.design.layout import Layout

MEDIA = ("fibre", "copper")


def endpoint_cables(layout: Layout, switches: list[str], endpoints: list[str], ports: list[str]) -> list[PlannedCable]:
    """The cable of every endpoint, at the port of its switch that `ports` says: step 0."""
    rates = layout.fabric.endpoint_rate.tolist()
    return [
        PlannedCable(
            0,
            ((switches[switch], ports[row]), (endpoints[row], _own_port(endpoints[row]))),
            int(layout.endpoint_length[row]),
            MEDIA[int(layout.endpoint_copper[row])],
            rates[row] if rates[row] >= 0 else None,
        )
        for row, switch in enumerate(layout.fabric.endpoint_switch.tolist())
    ]


def first_ports(layout: Layout, port: str) -> list[str]:
    """The port of every endpoint's switch: numbers from 1."""
    ports, taken = [], [0] * layout.fabric.num_switches
    for switch in layout.fabric.endpoint_switch.tolist():
        taken[switch] += 1
        ports.append(port.replace("{}", str(taken[switch])))
    return ports


def _own_port(name: str) -> str:
    """The port of an endpoint: those of a host with several ports are called ``node:1``, ``node:2``, ``node:eth0``."""
    _, mark, port = name.rpartition(":")
    return port if mark and port and port.isdigit() else "1"


def switch_devices(layout: Layout, names: list[str], cables: list[PlannedCable]) -> list[Device]:
    """Switches, with as many ports as they have or the cables take."""
    used: dict[str, int] = {}
    for cable in cables:
        for name, port in cable.ends:
            digits = port[len(port.rstrip("0123456789")) :]
            used[name] = max(used.get(name, 0), int(digits[:6] or 0))
    has = layout.fabric.properties.get("switch_ports") or [0] * len(names)
    known = known_names(layout.fabric.labels, names)
    guids = _guids(layout.fabric.properties.get("switch_addresses"), len(names))
    rows = zip(names, layout.switch_rack.tolist(), layout.switch_unit.tolist(), has, known, guids, strict=True)
    return [
        Device(name, "switch", layout.racks[rack], unit, 0, max(ports, used.get(name, 0)), other, *guid)
        for name, rack, unit, ports, other, guid in rows
    ]


def endpoint_devices(layout: Layout, names: list[str]) -> list[Device]:
    """Endpoints."""
    places = (layout.endpoint_rack.tolist(), layout.endpoint_unit.tolist(), layout.endpoint_slot.tolist())
    properties = layout.fabric.properties
    known = known_names(properties.get("endpoint_names") or [""] * len(names), names)
    guids = _guids(properties.get("endpoint_addresses"), len(names))
    return [
        Device(name, "endpoint", layout.racks[rack], unit, slot, int(_own_port(name)), other, *guid)
        for name, rack, unit, slot, other, guid in zip(names, *places, known, guids, strict=True)
    ]


def _guids(addresses: list[Address] | None, count: int) -> list[tuple[int, int]]:
    """The GUIDs of nodes and ports."""
    return [(address[0], address[1]) for address in addresses] if addresses else [(0, 0)] * count
