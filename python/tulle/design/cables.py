"""Make a table of all cables of a layout."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tulle.columns import Columns
from tulle.fabric.hosts import host_ends

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tulle.design.placement import Layout


def cables(layout: Layout) -> Columns:
    """Make the table: first the cables between switches or to devices, then the cables of endpoints."""
    fabric = layout.fabric
    names, ports = np.array(fabric.labels, dtype=str), np.array(fabric.ports, dtype=str)
    racks = np.array(layout.racks, dtype=str)
    places = (layout.switch_rack, layout.switch_unit)

    def ends(at: NDArray[Any], where: tuple[NDArray[np.int32], NDArray[np.int32]]) -> list[NDArray[Any]]:
        return [racks[where[0][at]], where[1][at]]

    if layout.circuits is None:
        channels = np.asarray(fabric.cables)
        a, b = fabric.edges[:, 0].astype(np.int64), fabric.edges[:, 1].astype(np.int64)
        network = [
            *(names[a], ports[channels], *ends(a, places)),
            *(names[b], ports[fabric.reverse[channels]], *ends(b, places)),
            *(layout.cable_length, np.array(layout.cable_medium, dtype=str)),
        ]
        kind = "switch"
    else:
        switch, _, device, port = layout.device_cables
        # `port` is the port of the device. Every switch has one cable per channel, so `ports` names the switch ports.
        network = [
            *(names[switch], ports, *ends(switch, places)),
            *(np.char.add("device", device.astype(str)), port.astype(str)),
            *ends(device, (layout.device_rack, layout.device_unit)),
            *(layout.device_length[switch, device], np.full(len(switch), "fibre")),
        ]
        kind = "device"
    known = zip(host_ends(fabric), fabric.endpoint_names, strict=True)
    hosts = [(host or name, port or "0") for (host, port), name in known]
    endpoint = np.arange(fabric.num_endpoints)
    at = fabric.endpoint_switch
    access = [
        *(names[at], np.array(fabric.endpoint_ports, dtype=str), *ends(at, places)),
        *(np.array([host for host, _ in hosts], dtype=str), np.array([port for _, port in hosts], dtype=str)),
        *ends(endpoint, (layout.endpoint_rack, layout.endpoint_unit)),
        *(layout.endpoint_length, np.array(layout.endpoint_medium, dtype=str)),
    ]
    kinds = np.repeat([kind, "endpoint"], [len(network[0]), len(at)])
    columns = (
        "from",
        "from_port",
        "from_rack",
        "from_unit",
        "to",
        "to_port",
        "to_rack",
        "to_unit",
        "length_mm",
        "medium",
    )
    both = [np.concatenate(pair) for pair in zip(network, access, strict=True)]
    return Columns({"kind": kinds, **dict(zip(columns, both, strict=True))})
