"""Assemble a fabric of switches and endpoints from cables between devices."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tulle._internal.html_summary import Shown
from tulle._internal.text import counted, verb
from tulle.cabling.natural import natural
from tulle.cabling.networks.properties import properties
from tulle.cabling.networks.roles import hosts_of, kind_of_role, matches
from tulle.cabling.source import shown
from tulle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tulle.cabling.source import Source
    from tulle.fabric import Fabric
    from tulle.fabric.properties import Address


# The number of names that an error shows.
_NAMED = 6


@dataclass(frozen=True)
class Imported(Shown):
    """A network that was read from files. The function `read` of an import format returns it.

    Parameters
    ----------
    fabric
        The fabric.
    warnings
        One line for each omission and each assumption. ``tulle import`` prints them on standard error.
    """

    fabric: Fabric
    """The fabric."""
    warnings: tuple[str, ...] = ()
    """One line for each omission and each assumption of the import."""


@dataclass(frozen=True)
class Choices:
    """The user's choices about devices, as patterns with ``*`` and ``?``."""

    endpoints: tuple[str, ...] = ()
    """Patterns of the endpoints; if given, all other devices are switches."""
    hosts: tuple[str, ...] = ()
    """Patterns of devices that are hosts, even if the files say otherwise."""
    ignore: tuple[str, ...] = ()
    """Patterns of devices and ports that are ignored."""


End = tuple[str, str]
"""A device and its port. The port is an empty text if it has no name."""


@dataclass(frozen=True)
class Cable:
    """A cable between two devices.

    Parameters
    ----------
    ends
        The device and the port at each end. A port is an empty text if it has no name.
    source, at
        The file that lists the cable, and the character offset in this file. Error messages use them.
    rate, length, medium, name, latency
        Properties of the cable: rate in bits per second, length in millimetres, medium, name, and latency in
        picoseconds. They are None, or an empty name, if the file does not have them.
    """

    ends: tuple[End, End]
    source: Source
    """The file that lists the cable."""
    at: int
    """The character offset of the cable in the file."""
    rate: int | None = None
    length: int | None = None
    medium: str | None = None
    name: str = ""
    latency: int | None = None


@dataclass
class Network:
    """What the files say about a network. The reader of an import format sets the fields, and then calls `fabric`."""

    cables: list[Cable] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    switches: set[str] = field(default_factory=set)
    """Devices that are switches according to the files."""
    adapters: set[str] = field(default_factory=set)
    """Devices that are endpoints according to the files."""
    roles: dict[str, str] = field(default_factory=dict)
    """The roles of devices, if the files state them."""
    levels: dict[str, int] = field(default_factory=dict)
    """The levels of switches, if the files state them."""
    ports: dict[str, int] = field(default_factory=dict)
    """How many ports each switch has, if the files state it."""
    ignored: set[str] = field(default_factory=set)
    """The ignore patterns that the reader has already applied and that matched."""
    addresses: dict[End, Address] = field(default_factory=dict)
    """The GUIDs of switches (with an empty port) and of endpoints' ports."""

    def fabric(self, source: Source, choices: Choices) -> Imported:
        """Make the fabric. Patterns decide which devices are endpoints; otherwise roles, names and cables decide.

        `tulle.cabling.networks.roles` has the rules.

        Raises
        ------
        tulle.InputError
            For a pattern of hosts or endpoints that matches no device.
        tulle.FormatError
            For a port with two cables, or a network without switches.
        """
        from tulle.fabric import Fabric

        self._check_patterns(source, choices)
        cables = self._kept(source, choices.ignore)
        cables.sort(key=lambda cable: [(natural(name), natural(port)) for name, port in cable.ends])
        devices = {name for cable in cables for name, _ in cable.ends}
        devices |= {name for name in self.switches if not matches(name, choices.ignore)}
        hosts = self._hosts(source, cables, devices, choices)
        switches = sorted(devices - hosts, key=natural)
        if not switches:
            raise source.error(
                0, "no switch in the files; legal: at least one switch; --endpoints selects the endpoints"
            )
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
                f"read as one endpoint per port, for example {known['endpoint_names'][several[0]]}"
            )
        return Imported(
            Fabric.from_edges(
                [[number[name] for name, _ in cable.ends] for cable in between],
                [number[end(cable, number)[0][0]] for cable in attached],
                num_switches=len(switches),
                labels=switches,
                properties=known,
                both="parallel",
            ),
            tuple(self.warnings),
        )

    def _check_patterns(self, source: Source, choices: Choices) -> None:
        """Refuse host and endpoint patterns that match nothing; warn of ignore patterns that match nothing.

        Such patterns are probably misspelt. With a misspelt pattern, hosts would be imported as switches, or the
        network would have no endpoints.
        """
        devices = {name for cable in self.cables for name, _ in cable.ends} | self.switches
        ports = {port for cable in self.cables for _, port in cable.ends}
        for option, patterns in (("--hosts", choices.hosts), ("--endpoints", choices.endpoints)):
            for pattern in patterns:
                if not any(matches(name, (pattern,)) for name in devices):
                    names = sorted(devices, key=natural)
                    some = ", ".join(map(shown, names[:_NAMED])) + (", …" if len(names) > _NAMED else "")
                    raise InputError(
                        f"{source.path}: no device matches {option} {shown(pattern)}; legal: a pattern of the names "
                        f"{some}"
                    )
        for pattern in choices.ignore:
            if pattern not in self.ignored and not any(matches(name, (pattern,)) for name in devices | ports):
                self.warnings.append(f"{source.path}: no device or port matches --ignore {shown(pattern)}")

    def _kept(self, source: Source, ignore: Sequence[str]) -> list[Cable]:
        """Return all cables except loopback cables and the cables of ignored devices and ports."""
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
                        cable.at, f"a second cable at port {shown(port)} of {shown(device)}; legal: one cable per port"
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
                f"{verb(len(marked), 'is treated as a host', 'are treated as hosts')}, because "
                f"of the names of devices or ports ({some}); --endpoints selects the endpoints instead"
            )
        return hosts & devices


def end(cable: Cable, number: dict[str, int]) -> tuple[End, End]:
    """Return the cable end at a switch, and the other end."""
    a, b = cable.ends
    return (a, b) if a[0] in number else (b, a)
