"""Make the switches and endpoints of a plan, and the cables of endpoints."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tulle.cabling.plan import Device, PlannedCable
from tulle.cabling.plan_names import known_names
from tulle.fabric.hosts import host_ends

if TYPE_CHECKING:
    from tulle.cabling.plan import End
    from tulle.design.placement import Layout
    from tulle.fabric.properties import Address

MEDIA = ("fibre", "copper")
# Numbers with this many digits or more are not port numbers.
_MOST_DIGITS = 4


def endpoint_cables(layout: Layout, switches: list[str], ends: list[End], ports: list[str]) -> list[PlannedCable]:
    """Return the cables of all endpoints, which are step 0 of the plan. `ports` are the endpoints' switch ports."""
    media = layout.endpoint_medium
    rates = layout.fabric.endpoint_rate.tolist()
    return [
        PlannedCable(
            0,
            ((switches[switch], ports[row]), ends[row]),
            int(layout.endpoint_length[row]),
            media[row],
            rates[row] if rates[row] >= 0 else None,
            bool(layout.endpoint_copper[row]),
        )
        for row, switch in enumerate(layout.fabric.endpoint_switch.tolist())
    ]


def switch_devices(layout: Layout, names: list[str], cables: list[PlannedCable]) -> list[Device]:
    """Return the switches of the plan. If the number of ports is unknown, it is the largest port in use."""
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


def endpoint_devices(layout: Layout, ends: list[End]) -> list[Device]:
    """Return the hosts of the plan. A host has all its ports, and the place of its first endpoint."""
    places = (layout.endpoint_rack.tolist(), layout.endpoint_unit.tolist(), layout.host_slot.tolist())
    known = known_names([host for host, _ in host_ends(layout.fabric)], [name for name, _ in ends])
    guids = _guids(layout.fabric.properties.get("endpoint_addresses"), len(ends))
    rows: dict[str, list[int]] = {}
    for row, (name, _) in enumerate(ends):
        rows.setdefault(name, []).append(row)
    devices = []
    for name, of in rows.items():
        rack, unit, slot = (column[of[0]] for column in places)
        ports = [ends[row][1] for row in of]
        count = max([len(ports), *(int(port) for port in ports if port.isdigit() and len(port) < _MOST_DIGITS)])
        node, guid = guids[of[0]]
        several = (
            tuple((port, guids[row][1]) for port, row in zip(ports, of, strict=True)) if len(of) > 1 and guid else ()
        )
        device = Device(
            name, "endpoint", layout.racks[rack], unit, slot, count, known[of[0]], node, 0 if several else guid
        )
        devices.append(replace(device, port_guids=several))
    return devices


def _guids(addresses: list[Address] | None, count: int) -> list[tuple[int, int]]:
    """Return the GUIDs of nodes and ports. Unknown GUIDs are 0."""
    return [(address[0], address[1]) for address in addresses] if addresses else [(0, 0)] * count
