"""Cabling plans: every cable of a fabric port to port, with the places of what it joins and its step."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from tulle.cabling.natural import natural

__all__ = ["Device", "End", "Join", "Plan", "PlannedCable", "Step"]

End = tuple[str, str]
"""A device and its port."""


@dataclass(frozen=True)
class Step:
    """What is wired together, before the next step is."""

    name: str
    colour: str
    """What the colour of its cables is called."""
    hex: str
    """The same as ``#RRGGBB``."""


@dataclass(frozen=True)
class Device:
    """A switch, an endpoint, or what cables are joined by, and where it stands."""

    name: str
    kind: str
    """``switch``, ``endpoint``, ``optical`` (switch) or ``panel``."""
    rack: str
    unit: int
    """The rack unit, from 1 at the foot."""
    slot: int
    """Its place among those that share the unit, from 0."""
    ports: int
    """How many it has; those that are used where nobody says."""
    known_as: str = ""
    """What its network calls it, where that is no name for labels and hosts (``MF0;leaf01:MQM8700/U1``)."""
    node_guid: int = 0
    """Its GUID in an InfiniBand subnet; 0 where it is not known."""
    port_guid: int = 0
    """The GUID of its port there: of an endpoint's adapter, or of port 0 of a switch."""
    port_guids: tuple[tuple[str, int], ...] = ()
    """The GUIDs of the ports of an adapter with several ports; `port_guid` is then 0."""


@dataclass(frozen=True)
class PlannedCable:
    """A cable; those of switches to endpoints and to what joins cables have the switch first."""

    step: int
    ends: tuple[End, End]
    length: int
    """Millimetres."""
    medium: str
    """``copper``, ``fibre``, or the network's own name, as ``mmf-om4``."""
    rate: int | None
    """Bits per second; None where it is not known."""
    is_copper: bool | None = field(default=None, compare=False)
    """Whether layout and bill count it as copper; None if the plan was read from a file."""


@dataclass(frozen=True)
class Join:
    """What an optical switch or a patch panel joins: light that enters by one port leaves by the other."""

    device: str
    enter: str
    leave: str
    duplex: bool
    """Whether it goes the other way, too."""


@dataclass(frozen=True)
class Plan:
    """A plan. Made by `plan_cabling`, or read by `read_plan`."""

    fabric: str
    """Its spec."""
    seed: int
    faults: tuple[str, ...]
    floor: str
    structure: str
    steps: tuple[Step, ...]
    devices: tuple[Device, ...]
    """Switches, then what joins cables, then endpoints."""
    cables: tuple[PlannedCable, ...]
    """Step by step."""
    joins: tuple[Join, ...] = ()
    """The port maps, which make the network of the cables to optical switches or patch panels."""

    @cached_property
    def device(self) -> dict[str, Device]:
        """Devices by name."""
        return {device.name: device for device in self.devices}

    @cached_property
    def at(self) -> dict[End, int]:
        """The cable of every port that has one."""
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
        """Racks in the order of their devices."""
        return tuple(dict.fromkeys(device.rack for device in self.devices))

    def other(self, end: End) -> End | None:
        """Where the cable of a port is to lead; None where there is none."""
        row = self.at.get(end)
        if row is None:
            return None
        a, b = self.cables[row].ends
        return b if end == a else a

    def counts(self) -> list[int]:
        """Cables of every step."""
        found = [0] * len(self.steps)
        for cable in self.cables:
            found[cable.step] += 1
        return found
