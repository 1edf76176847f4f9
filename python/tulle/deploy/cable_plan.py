"""The cables of a bundle as a cabling plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle.cabling.plan import Device, Plan, PlannedCable, Step

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tulle.cabling.plan import End
    from tulle.deploy.ethernet.plan import EthernetPlan
    from tulle.fabric import Fabric

__all__ = ["cable_plan", "ethernet_cables"]

_STEPS = (Step("cables to hosts", "", ""), Step("cables between switches", "", ""))


def ethernet_cables(made: EthernetPlan) -> Plan:
    """Return the cables of an Ethernet bundle. Cables to hosts are in step 0."""
    switches = [Device(name, "switch", "", 0, 0, len(made.ports[at])) for at, name in enumerate(made.names)]
    hosts = [Device(host.name, "endpoint", "", 0, 0, 1) for host in made.hosts]
    ends = [(host.name, host.interface) for host in made.hosts]
    at = [made.by_number[host.switch][host.port].name for host in made.hosts]
    return cable_plan(made.fabric, switches, hosts, [port.name for port in made.channel_ports], at, ends)


def cable_plan(
    fabric: Fabric,
    switches: Sequence[Device],
    hosts: Sequence[Device],
    ports: Sequence[str],
    host_ports: Sequence[str],
    ends: Sequence[End],
) -> Plan:
    """Make a plan. `ports` has a name per channel, `host_ports` the switch port of every endpoint."""
    names = [device.name for device in switches]
    reverse = fabric.reverse.tolist()
    rows = zip(fabric.endpoint_switch.tolist(), host_ports, ends, strict=True)
    host_rates, rates = fabric.endpoint_rate.tolist(), fabric.link_rate.tolist()
    cables = [
        PlannedCable(0, ((names[switch], port), end), 0, "", _rate(rate))
        for (switch, port, end), rate in zip(rows, host_rates, strict=True)
    ]
    for channel, (a, b) in zip(fabric.cables.tolist(), fabric.edges.tolist(), strict=True):
        two = (names[a], ports[channel]), (names[b], ports[reverse[channel]])
        cables.append(PlannedCable(1, two, 0, "", _rate(rates[channel])))
    return Plan(fabric.spec, 0, (), "", "", _STEPS, (*switches, *hosts), tuple(cables))


def _rate(rate: int) -> int | None:
    return rate if rate >= 0 else None
