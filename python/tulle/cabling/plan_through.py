"""Plan cables through optical switches or patch panels. Only the port maps, not the cables, depend on the seed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tulle._internal.text import counted
from tulle.cabling.plan import Device, Join, Plan, PlannedCable, Step
from tulle.cabling.plan_devices import MEDIA, endpoint_cables, endpoint_devices, switch_devices
from tulle.cabling.plan_names import distinct, endpoint_ends, switch_names
from tulle.cabling.plan_ports import first_ports
from tulle.errors import InputError

if TYPE_CHECKING:
    from tulle.design.placement import Layout
    from tulle.design.through import Circuits

# Kind of `Circuits` -> kind of device, prefix of its name, plural for messages.
_KINDS = {"optical": ("optical", "ocs", "optical switches"), "panels": ("panel", "panel", "patch panels")}


def plan_through(layout: Layout, circuits: Circuits, port: str) -> Plan:
    """Make the plan of a layout with optical switches or patch panels.

    In uniform cabling, every switch has one cable to every device, even if the cable is not used.
    """
    fabric = layout.fabric
    kind, prefix, several = _KINDS[circuits.kind]
    switches = switch_names(fabric)
    endpoints = endpoint_ends(layout, switches)
    taken = np.bincount(fabric.endpoint_switch, minlength=fabric.num_switches).tolist()
    if circuits.uniform:
        _check_ports(layout, circuits, switches, taken)
    names = distinct(
        [f"{prefix}-{number:0{len(str(circuits.num_devices))}d}" for number in range(1, circuits.num_devices + 1)],
        [*switches, *(name for name, _ in endpoints)],
    )
    # All cables have the common rate of all links. If rates differ, a cable's rate would depend on the seed; it is then
    # None.
    rates = set(fabric.link_rate.tolist())
    rate = rates.pop() if len(rates) == 1 and min(rates) >= 0 else None
    first = [port.replace("{}", str(number)) for number in first_ports(fabric.endpoint_switch.tolist())]
    cables = endpoint_cables(layout, switches, endpoints, first)
    device, at = np.nonzero(circuits.cables[:, :, 0] >= 0)
    ends = circuits.cables[device, at].tolist()
    rows = sorted(zip(device.tolist(), at.tolist(), ends, strict=True), key=lambda row: row[2])
    cables += [
        PlannedCable(
            1,
            ((switches[switch], port.replace("{}", str(taken[switch] + own + 1))), (names[of], str(number + 1))),
            int(layout.device_length[switch, of]),
            MEDIA[0],
            rate,
            is_copper=False,
        )
        for of, number, (switch, own) in rows
    ]
    places = zip(names, layout.device_rack.tolist(), layout.device_unit.tolist(), strict=True)
    return Plan(
        fabric.spec,
        fabric.seed,
        tuple(fabric.faults),
        layout.floor,
        layout.structure,
        (Step("endpoints", "grey", "#7f7f7f"), Step(f"to {several}", "green", "#009e73")),
        (
            *switch_devices(layout, switches, cables),
            *(Device(name, kind, layout.racks[rack], unit, 0, circuits.ports) for name, rack, unit in places),
            *endpoint_devices(layout, endpoints),
        ),
        tuple(cables),
        _joins(circuits, names),
    )


def _check_ports(layout: Layout, circuits: Circuits, switches: list[str], taken: list[int]) -> None:
    fabric = layout.fabric
    has = fabric.properties.get("switch_ports") or [fabric.radix] * fabric.num_switches
    for name, own, ports in zip(switches, taken, has, strict=True):
        if own + circuits.num_devices > max(ports, fabric.radix):
            raise InputError(
                f"{name} has {counted(own, 'endpoint')}, so with a cable to each of {circuits.num_devices} devices "
                f"it needs {counted(own + circuits.num_devices, 'port')}, but it has {max(ports, fabric.radix)}; "
                "legal: switches with equal numbers of network ports, for example of flattenedclos, jellyfish or "
                "slimfly"
            )


def _joins(circuits: Circuits, names: list[str]) -> tuple[Join, ...]:
    """Return the port maps. Connections have one direction if a port may send to one port and receive from another."""
    duplex = not circuits.directed
    joins = []
    for name, row in zip(names, circuits.maps.tolist(), strict=True):
        joins += [
            Join(name, str(enter + 1), str(leave + 1), duplex)
            for enter, leave in enumerate(row)
            if leave >= 0 and not (duplex and leave < enter)
        ]
    return tuple(joins)
