"""Cabling plans: every cable of a fabric from port to port, and the places of all devices."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from tulle._internal.html_summary import Overview, Shown
from tulle.cabling.natural import natural

__all__ = ["Device", "End", "Join", "Plan", "PlannedCable", "Step"]

End = tuple[str, str]
"""A device and its port."""


@dataclass(frozen=True)
class Step(Shown):
    """A group of cables that are wired before the next step."""

    name: str
    colour: str
    """The name of the colour of the cables."""
    hex: str
    """The colour of the cables as ``#RRGGBB``."""


@dataclass(frozen=True)
class Device(Shown):
    """A switch, an endpoint, an optical switch or a patch panel, with its place."""

    name: str
    kind: str
    """``switch``, ``endpoint``, ``optical`` (switch) or ``panel``."""
    rack: str
    unit: int
    """The rack unit, from 1 at the bottom."""
    slot: int
    """The position of the device among the devices in the same rack unit, from 0."""
    ports: int
    """The number of ports; if it is unknown, the largest port in use."""
    known_as: str = ""
    """The name of the device in the network, if it is invalid in labels or as host name (``MF0;leaf01:MQM8700/U1``)."""
    node_guid: int = 0
    """The node GUID of the device in an InfiniBand subnet; 0 if unknown."""
    port_guid: int = 0
    """The port GUID of an endpoint's adapter port, or of port 0 of a switch; 0 if unknown."""
    port_guids: tuple[tuple[str, int], ...] = ()
    """Port and port GUID of every port of an adapter with several ports. In this case, `port_guid` is 0."""


@dataclass(frozen=True)
class PlannedCable(Shown):
    """A planned cable. If it connects a switch to another kind of device, the switch is the first end."""

    step: int
    ends: tuple[End, End]
    length: int
    """The length in mm."""
    medium: str
    """``copper``, ``fibre``, or the name of the medium in an imported network, for example ``mmf-om4``."""
    rate: int | None
    """The rate in bit/s; None if unknown."""
    is_copper: bool | None = field(default=None, compare=False)
    """Whether layout and bill of materials count the cable as copper; None if the plan was read from a file."""


@dataclass(frozen=True)
class Join(Shown):
    """A connection inside an optical switch or patch panel. Light enters at the port `enter` and leaves at `leave`."""

    device: str
    enter: str
    leave: str
    duplex: bool
    """Whether the connection has both directions."""


@dataclass(frozen=True)
class Plan(Shown):
    """A cabling plan. Made by `plan_cabling`, or read by `read_plan`."""

    fabric: str
    """The spec of the fabric."""
    seed: int
    faults: tuple[str, ...]
    floor: str
    structure: str
    steps: tuple[Step, ...]
    devices: tuple[Device, ...]
    """Switches, then optical switches or patch panels, then endpoints."""
    cables: tuple[PlannedCable, ...]
    """The cables, sorted by step."""
    joins: tuple[Join, ...] = ()
    """The port maps of optical switches or patch panels."""
    proposed_places: bool = False
    """Whether racks and units are only a proposal, because the fabric was read from a file, which has no places. Its
    devices may be installed elsewhere."""

    def _overview(self) -> Overview:
        values = {
            "devices": len(self.devices),
            "cables": len(self.cables),
            "steps": len(self.steps),
            "structure": self.structure,
            "faults": len(self.faults),
        }
        return Overview("Plan", self.fabric, values)

    @cached_property
    def device(self) -> dict[str, Device]:
        """Devices by name."""
        return {device.name: device for device in self.devices}

    @cached_property
    def at(self) -> dict[End, int]:
        """The index of the cable at each cabled port."""
        return {end: row for row, cable in enumerate(self.cables) for end in cable.ends}

    @cached_property
    def endpoint_ports(self) -> dict[str, tuple[str, ...]]:
        """The cabled ports of every endpoint, in order."""
        found: dict[str, list[str]] = {}
        for name, port in (end for cable in self.cables for end in cable.ends):
            if self.device[name].kind == "endpoint":
                found.setdefault(name, []).append(port)
        return {name: tuple(sorted(ports, key=natural)) for name, ports in found.items()}

    @cached_property
    def racks(self) -> tuple[str, ...]:
        """The racks, in the order of the devices."""
        return tuple(dict.fromkeys(device.rack for device in self.devices))

    def other(self, end: End) -> End | None:
        """Return the other end of the cable at a port; None if the port has no cable."""
        row = self.at.get(end)
        if row is None:
            return None
        a, b = self.cables[row].ends
        return b if end == a else a

    def counts(self) -> list[int]:
        """Return the number of cables of every step."""
        found = [0] * len(self.steps)
        for cable in self.cables:
            found[cable.step] += 1
        return found
