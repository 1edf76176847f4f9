"""Cables between devices as a fabric of switches and endpoints."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tulle._internal.text import counted, verb
from tulle.cabling.natural import natural
from tulle.cabling.networks.properties import properties
from tulle.cabling.networks.roles import hosts_of, kind_of_role, matches
from tulle.cabling.source import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tulle.cabling.source import Source
    from tulle.fabric import Fabric
    from tulle.fabric.properties import Address


@dataclass(frozen=True)
class Imported:
    """A network out of files."""

    fabric: Fabric
    """The fabric."""
    warnings: tuple[str, ...] = ()
    """What of the files is not part of it, and what was assumed, a line each."""


@dataclass(frozen=True)
class Choices:
    """What a user says of the devices of a network, as patterns with ``*`` and ``?``."""

    endpoints: tuple[str, ...] = ()
    """Exactly these devices are endpoints, all others are switches."""
    hosts: tuple[str, ...] = ()
    """These devices are hosts, whatever else is told of them."""
    ignore: tuple[str, ...] = ()
    """Devices and ports that are left out."""


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
    latency: int | None = None


@dataclass
class Network:
    """What files tell of a network."""

    cables: list[Cable] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    switches: set[str] = field(default_factory=set)
    """Devices that are switches, whatever their cables."""
    adapters: set[str] = field(default_factory=set)
    """Devices that are endpoints, whatever their cables."""
    roles: dict[str, str] = field(default_factory=dict)
    """What devices are for, as files say it."""
    levels: dict[str, int] = field(default_factory=dict)
    """The levels of switches, where files say them."""
    ports: dict[str, int] = field(default_factory=dict)
    """How many ports switches have, where files say it."""
    ignored: set[str] = field(default_factory=set)
    """The ignore patterns that the reader has applied and that matched."""
    addresses: dict[End, Address] = field(default_factory=dict)
    """GUIDs of switches, under an empty port, and of ports of endpoints."""

    def fabric(self, source: Source, choices: Choices) -> Imported:
        """The fabric; which devices are endpoints says `roles`, unless patterns do.

        Raises
        ------
        tulle.FormatError
            For a port with two cables, or no switch at all.
        """
        from tulle.fabric import Fabric

        self._warn_of_unmatched(source, choices)
        cables = self._kept(source, choices.ignore)
        cables.sort(key=lambda cable: [(natural(name), natural(port)) for name, port in cable.ends])
        devices = {name for cable in cables for name, _ in cable.ends}
        devices |= {name for name in self.switches if not matches(name, choices.ignore)}
        hosts = self._hosts(source, cables, devices, choices)
        switches = sorted(devices - hosts, key=natural)
        if not switches:
            raise source.error(0, "no switch in the files; legal: one, or endpoints by --endpoints")
        number = {name: switch for switch, name in enumerate(switches)}
        between = [cable for cable in cables if all(name in number for name, _ in cable.ends)]
        attached = [cable for cable in cables if sum(name in number for name, _ in cable.ends) == 1]
        if left := len(cables) - len(between) - len(attached):
            self.warnings.append(
                f"{source.path}: {counted(left, 'cable')} between endpoints {verb(left, 'is', 'are')} left out"
            )
        known, several = properties(self, between, attached, number)
        if several:
            self.warnings.append(
                f"{source.path}: {counted(len(several), 'host')} with several ports {verb(len(several), 'is', 'are')} "
                "one endpoint per port, "
                f"as {known['endpoint_names'][several[0]]}"
            )
        return Imported(
            Fabric.from_edges(
                [[number[name] for name, _ in cable.ends] for cable in between],
                [number[end(cable, number)[0][0]] for cable in attached],
                num_switches=len(switches),
                labels=switches,
                properties=known,
            ),
            tuple(self.warnings),
        )

    def _warn_of_unmatched(self, source: Source, choices: Choices) -> None:
        """Warns of patterns that match nothing, because they are probably misspelt."""
        devices = {name for cable in self.cables for name, _ in cable.ends} | self.switches
        ports = {port for cable in self.cables for _, port in cable.ends}
        for option, patterns in (("--hosts", choices.hosts), ("--endpoints", choices.endpoints)):
            for pattern in patterns:
                if not any(matches(name, (pattern,)) for name in devices):
                    self.warnings.append(f"{source.path}: no device is called {shown(pattern)}, as {option} has it")
        for pattern in choices.ignore:
            if pattern not in self.ignored and not any(matches(name, (pattern,)) for name in devices | ports):
                self.warnings.append(f"{source.path}: no device or port is called {shown(pattern)}, as --ignore has it")

    def _kept(self, source: Source, ignore: Sequence[str]) -> list[Cable]:
        """The cables without those to ignored devices and ports, and without loopback cables."""
        found, ignored, loops = [], 0, 0
        seen: set[End] = set()
        for cable in self.cables:
            if any(matches(text, ignore) for one in cable.ends for text in one if text):
                ignored += 1
                continue
            if cable.ends[0][0] == cable.ends[1][0]:
                loops += 1
                continue
            for device, port in cable.ends:
                if port and (device, port) in seen:
                    raise cable.source.error(
                        cable.at, f"a second cable at port {shown(port)} of {shown(device)}; legal: one"
                    )
                seen.add((device, port))
            found.append(cable)
        for count, what in ((ignored, "at ignored devices or ports"), (loops, "from a device to itself")):
            if count:
                self.warnings.append(
                    f"{source.path}: {counted(count, 'cable')} {what} {verb(count, 'is', 'are')} left out"
                )
        return found

    def _hosts(self, source: Source, cables: list[Cable], devices: set[str], choices: Choices) -> set[str]:
        if choices.endpoints:
            return {name for name in devices if matches(name, choices.endpoints)}
        kinds = {name: kind for name, role in self.roles.items() if (kind := kind_of_role(role)) and name in devices}
        adapters = self.adapters & devices
        kinds = {name: kind for name, kind in kinds.items() if name not in adapters}
        kinds |= {name: "host" for name in devices if matches(name, choices.hosts)}
        switches = self.switches - {name for name, kind in kinds.items() if kind == "host"}
        hosts, marked = hosts_of(cables, kinds, switches, adapters)
        if marked:
            some = ", ".join(map(shown, sorted(marked, key=natural)[:3])) + (", …" if len(marked) > 3 else "")
            self.warnings.append(
                f"{source.path}: {counted(len(marked), 'device')} with several cables "
                f"{verb(len(marked), 'is taken for a host', 'are taken for hosts')}, by "
                f"name or ports ({some}); --endpoints names the endpoints otherwise"
            )
        return hosts & devices


def end(cable: Cable, number: dict[str, int]) -> tuple[End, End]:
    """The end at a switch, and the other."""
    a, b = cable.ends
    return (a, b) if a[0] in number else (b, a)
