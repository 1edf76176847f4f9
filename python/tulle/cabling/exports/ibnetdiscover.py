"""Export a plan as the output that ``ibnetdiscover`` would print after wiring. ``ibsim`` can simulate this subnet."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from tulle.cabling.exports.model import Export
from tulle.cabling.exports.numbers import check_numbers
from tulle.cabling.exports.numbers import number as port_number

if TYPE_CHECKING:
    from tulle.cabling.plan import End, Plan, PlannedCable
    from tulle.fabric import Fabric
    from tulle.fabric.properties import Link, Properties


def files(plan: Plan) -> dict[str, str]:
    """Return the netlist of the subnet."""
    check_numbers(plan)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, "plan.ibnet")
        as_fabric(plan).write(place, "ibnetdiscover")
        return {"plan.ibnet": place.read_text(encoding="utf-8")}


def as_fabric(plan: Plan) -> Fabric:
    """Return the fabric of a plan, with names, ports, rates, lengths and media."""
    from tulle.fabric import Fabric

    switches = [device for device in plan.devices if device.kind == "switch"]
    number = {device.name: at for at, device in enumerate(switches)}
    between = [cable for cable in plan.cables if all(name in number for name, _ in cable.ends)]
    attached = [cable for cable in plan.cables if cable.ends[0][0] in number and cable.ends[1][0] not in number]
    properties: Properties = {
        "switch_ports": [device.ports for device in switches],
        "ports": [(cable.ends[0][1], cable.ends[1][1]) for cable in between],
        "links": [_link(cable) for cable in between],
        "endpoint_names": [_endpoint_name(plan, cable.ends[1]) for cable in attached],
        "host_ports": [cable.ends[1][1] for cable in attached],
        "endpoint_ports": [cable.ends[0][1] for cable in attached],
        "endpoint_links": [_link(cable) for cable in attached],
    }
    if any(device.node_guid for device in plan.devices):
        properties["switch_addresses"] = [(device.node_guid, device.port_guid, 0, 0, 0) for device in switches]
        ends = [(plan.device[name], port) for name, port in (cable.ends[1] for cable in attached)]
        properties["endpoint_addresses"] = [
            (
                device.node_guid,
                dict(device.port_guids).get(port, device.port_guid),
                0,
                0,
                port_number(plan, (device.name, port)),
            )
            for device, port in ends
        ]
    return Fabric.from_edges(
        [[number[name] for name, _ in cable.ends] for cable in between],
        [number[cable.ends[0][0]] for cable in attached],
        num_switches=len(switches),
        labels=[device.known_as or device.name for device in switches],
        properties=properties,
        both="parallel",
    )


def _endpoint_name(plan: Plan, end: End) -> str:
    """Return the name of an endpoint: the name of its host, followed by the port if the host has several ports."""
    device = plan.device[end[0]]
    name = device.known_as or device.name
    return f"{name}:{end[1]}" if len(plan.endpoint_ports[end[0]]) > 1 else name


def _link(cable: PlannedCable) -> Link:
    return cable.rate, None, cable.length, cable.medium


EXPORT = Export(
    name="ibnetdiscover",
    summary="the output of ibnetdiscover for the wired plan; ibsim can simulate it",
    paper="infiniband-diags: ibnetdiscover(8)",
    limitations="Ports of switches must be numbers from 1 to 254.",
    examples=("plan.ibnet",),
    files=files,
    suffixes=(".ibnet",),
    readers="ibnetdiscover and ibsim",
    shows_neighbours=True,
)
