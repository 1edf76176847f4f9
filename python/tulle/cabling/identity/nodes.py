"""Match the nodes in tools' output with a plan, by GUID, by name, or by InfiniBand's forms of a name."""

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

# Mellanox's managed switches describe themselves as MF0;NAME:TYPE/U1, adapters as NAME HCA-1 or NAME mlx5_0.
_SWITCH = re.compile(r"MF0;(.+):[^:]+/[UL]\d+(?:/U\d+)?$")
_ADAPTER = re.compile(r"(.+?)\s+(?:HCA-\d+|[a-z]+\d*_\d+)$")
_AGGREGATION = "Aggregation Node"


def is_aggregation(name: str) -> bool:
    """Whether a node's description is that of a SHARP aggregation node."""
    return name.endswith(_AGGREGATION)


class Nodes:
    """The nodes of a plan, found by the names in tools' output.

    Raises
    ------
    tulle.InputError
        If several switches without known GUIDs have the description of the same device of the plan.
    """

    def __init__(self, plan: Plan, seen: Sequence[PortRecord]) -> None:
        self.plan = plan
        self._of_guid: dict[int, list[str]] = defaultdict(list)
        self._known: dict[str, str] = {}
        self._legal: dict[str, str] = {}
        # If an endpoint is a port of a host, tools may name it by host and port.
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
        """The end in the plan for a tool's `device` and `port`."""
        return self._ends.get(device) or (self.name(device, port, guid), port)

    def name(self, device: str, port: str, guid: int) -> str:
        """The name in the plan for a tool's `device`; that name itself if the plan does not have the device."""
        of = self._of_guid.get(guid, ())
        if len(of) == 1:
            return of[0]
        # An adapter with several ports is one endpoint per port.
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
        # The names that an import gives to nodes with the same description, and their legal forms in a plan.
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
                    f"{are(len(guids), 'switch', 'switches')} named {shown(name)}, a device of the plan (GUIDs {some}"
                    "); legal: one switch of that name, or a plan of an imported fabric, which has GUIDs"
                )


def _shared(seen: Iterable[PortRecord]) -> set[str]:
    """The descriptions that several switches share."""
    guids: dict[str, set[int]] = defaultdict(set)
    for port in seen:
        if port.switch:
            guids[port.device].add(port.guid)
    return {name for name, of in guids.items() if len(of - {0}) > 1}
