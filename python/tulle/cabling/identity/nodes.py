"""Match nodes in the output of InfiniBand tools with the devices of a plan, by GUID or by name."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

from tulle._internal.text import are
from tulle.cabling.plan_names import legal
from tulle.cabling.source import shown
from tulle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tulle.cabling.live.port_record import PortRecord
    from tulle.cabling.plan import End, Plan

# Node descriptions: a managed Mellanox switch sends MF0;NAME:TYPE/U1, an adapter sends NAME HCA-1 or NAME mlx5_0.
_SWITCH = re.compile(r"MF0;(.+):[^:]+/[UL]\d+(?:/U\d+)?$")
_ADAPTER = re.compile(r"(.+?)\s+(?:HCA-\d+|[a-z]+\d*_\d+)$")
_AGGREGATION = "Aggregation Node"


def is_aggregation(name: str) -> bool:
    """Return whether a node description belongs to a SHARP aggregation node."""
    return name.endswith(_AGGREGATION)


def device_name(description: str) -> str:
    """Return the name of the switch or host in a node description: leaf1 in MF0;leaf1:MQM8700/U1, n1 in n1 mlx5_0."""
    for pattern in (_SWITCH, _ADAPTER):
        if match := pattern.match(description):
            return match[1]
    return description


class Nodes:
    """The devices of a plan, which can be found by the names and GUIDs in the output of tools.

    Raises
    ------
    tulle.InputError
        If several switches have the name of one device of the plan, and the plan does not have their GUIDs.
    """

    def __init__(self, plan: Plan, seen: Sequence[PortRecord]) -> None:
        self.plan = plan
        self._of_guid: dict[int, list[str]] = defaultdict(list)
        self._known: dict[str, str] = {}
        self._legal: dict[str, str] = {}
        # If the ports of a host are separate endpoints, tools may write such an endpoint as HOST:PORT.
        self._ends = {
            f"{name}:{port}": (device.name, port)
            for device in plan.devices
            if len(ports := plan.endpoint_ports.get(device.name, ())) > 1
            for port in ports
            for name in (device.name, device.known_as)
            if name
        }
        for device in plan.devices:
            for guid in {device.node_guid, device.port_guid, *(guid for _, guid in device.port_guids)} - {0}:
                self._of_guid[guid].append(device.name)
            self._known.setdefault(device.known_as or device.name, device.name)
            self._legal.setdefault(legal(device.name), device.name)
        self._shared = _shared(seen)
        self._check(seen)

    def end(self, device: str, port: str, guid: int) -> End:
        """Return the cable end in the plan for a device and port in the output of a tool."""
        return self._ends.get(device) or (self.name(device, port, guid), port)

    def name(self, device: str, port: str, guid: int) -> str:
        """Return the plan's name of a device in a tool's output.

        A device that is not in the plan keeps its name. Its GUID is appended if several switches have this name.
        """
        of = self._of_guid.get(guid, ())
        if len(of) == 1:
            return of[0]
        # If an adapter has several ports, each port is an endpoint of the plan.
        for found in of:
            if found.endswith((f":{port}", f"/{port}")):
                return found
        for text in self._forms(device, guid):
            for table in (self.plan.device, self._known, self._legal):
                for form in (text, f"{text}:{port}", f"{text}/{port}"):
                    if form in table:
                        return form if table is self.plan.device else str(table[form])
        return f"{device} 0x{guid:016x}" if device in self._shared and guid else device

    def _forms(self, device: str, guid: int) -> Iterator[str]:
        yield device
        for pattern in (_SWITCH, _ADAPTER):
            if match := pattern.match(device):
                yield match[1]
        # If several nodes have the same description, `tulle import` appends the GUID to it. In a plan, illegal
        # characters of the description may be replaced.
        for kind in "SH":
            if guid:
                yield f"{device} {kind}-{guid:016x}"
                yield legal(f"{device} {kind}-{guid:016x}")
        yield legal(device)

    def _check(self, seen: Iterable[PortRecord]) -> None:
        found: dict[str, set[int]] = defaultdict(set)
        for port in seen:
            if port.switch and port.guid and port.guid not in self._of_guid:
                found[self.name(port.device, port.port, port.guid)].add(port.guid)
        for name, guids in found.items():
            if len(guids) > 1 and name in self.plan.device:
                some = ", ".join(f"0x{guid:016x}" for guid in sorted(guids)[:3])
                raise InputError(
                    f"{are(len(guids), 'switch', 'switches')} named {shown(name)} (GUIDs {some}), but the plan has one "
                    "device of that name; legal: one switch of that name, or a plan of an imported fabric, which has "
                    "GUIDs"
                )


def _shared(seen: Iterable[PortRecord]) -> set[str]:
    """Return node descriptions that belong to several switches."""
    guids: dict[str, set[int]] = defaultdict(set)
    for port in seen:
        if port.switch:
            guids[port.device].add(port.guid)
    return {name for name, of in guids.items() if len(of - {0}) > 1}
