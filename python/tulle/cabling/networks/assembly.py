"""Cables between devices as a fabric of switches and endpoints."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from tulle.cabling.source import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tulle._properties import Link, Properties
    from tulle.cabling.source import Source
    from tulle.fabric import Fabric


@dataclass(frozen=True)
class Imported:
    """A network out of files."""

    fabric: Fabric
    """The fabric."""
    warnings: tuple[str, ...] = ()
    """What of the files is not part of it, a line each."""


End = tuple[str, str]
"""A device and its port; an empty text where a port has no name."""


@dataclass(frozen=True)
class Cable:
    """A cable between two devices."""

    ends: tuple[End, End]
    source: Source
    """The file that tells of it."""
    at: int
    """Where in the file."""
    rate: int | None = None
    length: int | None = None
    medium: str | None = None
    name: str = ""


@dataclass
class Network:
    """What files tell of a network."""

    cables: list[Cable] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    switches: set[str] = field(default_factory=set)
    """Devices that are switches, whatever else."""
    adapters: set[str] = field(default_factory=set)
    """Devices that are endpoints, whatever else."""

    def fabric(self, source: Source, endpoints: Sequence[str]) -> Imported:
        """The fabric, where devices with one cable are endpoints unless patterns or the files tell.

        Raises
        ------
        tulle.FormatError
            For a cable from a device to itself, a port with two cables, or no switch at all.
        """
        from tulle.fabric import Fabric

        self._check()
        cables = sorted(self.cables, key=lambda cable: [(_natural(name), _natural(port)) for name, port in cable.ends])
        is_endpoint = self._endpoints(cables, endpoints)
        devices = {name for cable in cables for name, _ in cable.ends} | self.switches
        switches = sorted((name for name in devices if not is_endpoint(name)), key=_natural)
        if not switches:
            raise source.error(0, "no switch in the files; legal: one, or endpoints by --endpoints")
        number = {name: switch for switch, name in enumerate(switches)}
        between = [cable for cable in cables if all(name in number for name, _ in cable.ends)]
        attached = [cable for cable in cables if sum(name in number for name, _ in cable.ends) == 1]
        if len(between) + len(attached) < len(cables):
            self.warnings.append(f"{source.path}: cables between endpoints are ignored")
        return Imported(
            Fabric.from_edges(
                [[number[name] for name, _ in cable.ends] for cable in between],
                [number[_split(cable, number)[0][0]] for cable in attached],
                num_switches=len(switches),
                labels=switches,
                properties=_properties(between, attached, number),
            ),
            tuple(self.warnings),
        )

    def _check(self) -> None:
        seen: set[End] = set()
        for cable in self.cables:
            (a, _), (b, _) = cable.ends
            if a == b:
                raise cable.source.error(cable.at, f"a cable from {shown(a)} to itself; legal: two devices")
            for device, port in cable.ends:
                if port and (device, port) in seen:
                    raise cable.source.error(
                        cable.at, f"a second cable at port {shown(port)} of {shown(device)}; legal: one"
                    )
                seen.add((device, port))

    def _endpoints(self, cables: list[Cable], patterns: Sequence[str]) -> Callable[[str], bool]:
        if patterns:
            return lambda name: any(fnmatchcase(name, pattern) for pattern in patterns)
        count: dict[str, int] = {}
        for cable in cables:
            for name, _ in cable.ends:
                count[name] = count.get(name, 0) + 1
        alone = {name for name, cables in count.items() if cables == 1} - self.switches
        # Two devices with one cable between them are two switches.
        pairs = [name for cable in cables if all(name in alone for name, _ in cable.ends) for name, _ in cable.ends]
        return (self.adapters | (alone - set(pairs))).__contains__


def _split(cable: Cable, number: dict[str, int]) -> tuple[End, End]:
    """The end at a switch, and the other."""
    a, b = cable.ends
    return (a, b) if a[0] in number else (b, a)


def _properties(between: list[Cable], attached: list[Cable], number: dict[str, int]) -> Properties:
    ends = [_split(cable, number) for cable in attached]
    count: dict[str, int] = {}
    for _, (name, _) in ends:
        count[name] = count.get(name, 0) + 1
    names, taken = [], dict.fromkeys(count, 0)
    for _, (name, port) in ends:
        names.append(name if count[name] == 1 else f"{name}/{port or taken[name]}")
        taken[name] += 1
    found: Properties = {"endpoint_names": names}
    if any(port for (_, port), _ in ends):
        found["endpoint_ports"] = [port for (_, port), _ in ends]
    if any(port for cable in between for _, port in cable.ends):
        found["ports"] = [(cable.ends[0][1], cable.ends[1][1]) for cable in between]
    if any(cable.name for cable in between):
        found["cable_names"] = [cable.name for cable in between]
    if any(_link(cable) != (None, None, None, None) for cable in (*between, *attached)):
        found["links"] = [_link(cable) for cable in between]
        found["endpoint_links"] = [_link(cable) for cable in attached]
    return found


def _link(cable: Cable) -> Link:
    return cable.rate, None, cable.length, cable.medium


def _natural(name: str) -> list[tuple[int, int, str]]:
    """The order of names in which leaf2 is before leaf10."""
    parts = re.split(r"([0-9]{1,18})", name)
    return [(0, int(part), "") if at % 2 else (1, 0, part) for at, part in enumerate(parts)]
