"""The ports of a SONiC switch: their names, aliases and lanes, from the platform's file or by SONiC's usual rule."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING

from tulle.deploy.ethernet.port_names import Naming
from tulle.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from tulle.deploy.ethernet.bundle import Header

__all__ = ["HardwarePort", "SonicNaming", "hardware_of", "hardware_ports"]

_LANES = 4
_NAME = re.compile(r"Ethernet(0|[1-9][0-9]{0,3})", re.ASCII)


@dataclass(frozen=True)
class HardwarePort:
    """A port as SONiC names it."""

    name: str
    lanes: str
    alias: str
    index: int


class SonicNaming(Naming):
    """The port names of SONiC: ``Ethernet<N>``, where N is the first of the port's lanes on most platforms."""

    target = "SONiC"

    def __init__(self, hardware: tuple[HardwarePort, ...] | None = None, *, needs_lanes: bool = True) -> None:
        self.hardware = hardware
        self._needs_lanes = needs_lanes
        self._by_name = {port.name: port for port in hardware or ()}
        # Operators and LLDP also name a port by its alias.
        self._of_alias = {port.alias: port.name for port in hardware or ()}
        self.legal = "Ethernet<N>, where N is a multiple of 4 unless --port-config gives the lanes of the platform"
        if hardware:
            some = [port.name for port in hardware[:2]] + (["…"] if len(hardware) > 3 else [])
            some += [port.name for port in hardware[2:][-1:]]
            self.legal = f"a name or an alias of --port-config: {', '.join(some)}"

    def problem(self, name: str) -> str:
        """Return why a name is no port of the platform; empty if it is one."""
        if self.hardware is not None:
            return "" if name in self._by_name else "is no port of the platform"
        if not _NAME.fullmatch(name):
            return "is not named Ethernet<N>"
        return "is not the first of four lanes" if self._needs_lanes and _first_lane(name) % _LANES else ""

    def translate(self, name: str) -> str:
        """Return the port's name if `name` is its alias."""
        return name if name in self._by_name else self._of_alias.get(name, name)

    def alias(self, name: str) -> str:
        """Return the alias of a port, which SONiC announces by LLDP."""
        return self.port(name).alias

    def own(self, number: int) -> Iterable[str]:
        """Return the platform's ports from this number on, or every fourth name from ``Ethernet0`` on."""
        if self.hardware is None:
            return (f"Ethernet{_LANES * (each - 1)}" for each in count(number))
        return (port.name for port in self.hardware[number - 1 :])

    def port(self, name: str) -> HardwarePort:
        """Return the port of that name; without the platform's file, one with four lanes."""
        if self.hardware is not None:
            return self._by_name[name]
        first = _first_lane(name)
        number = first // _LANES + 1
        lanes = ",".join(str(first + lane + 1) for lane in range(_LANES))
        return HardwarePort(name, lanes, f"Eth{number}", number)


def _first_lane(name: str) -> int:
    return int(name.removeprefix("Ethernet"))


def hardware_of(header: Header) -> tuple[HardwarePort, ...] | None:
    """Read the platform's ports from the header of a bundle; None if it was written for the default ports.

    Raises
    ------
    tulle.FormatError
        For a bundle with invalid ports.
    """
    rows = header.options.get("hardware")
    if rows is None:
        return None
    try:
        return tuple(HardwarePort(str(name), str(lanes), str(alias), int(index)) for name, lanes, alias, index in rows)
    except (TypeError, ValueError):
        raise FormatError("bundle.json: invalid option 'hardware'; legal: as tulle deploy sonic writes it") from None


def hardware_ports(path: Path) -> tuple[HardwarePort, ...]:
    """Read the ports of a platform from SONiC's ``port_config.ini``; row n is port n.

    Raises
    ------
    tulle.FileError
        If the file cannot be read.
    tulle.FormatError
        For a file without the columns ``name`` and ``lanes``, or without rows.
    """
    from tulle._internal.reading import read_text

    columns: list[str] = []
    ports: list[HardwarePort] = []
    for number, line in enumerate(read_text(path).splitlines(), 1):
        words = line.lstrip("#").split()
        if line.startswith("#"):
            columns = words if {"name", "lanes"} <= {*words} else columns
        elif words:
            row = dict(zip(columns, words, strict=False))
            if not {"name", "lanes"} <= {*row}:
                raise FormatError(
                    f"{path}, line {number}: the columns 'name' and 'lanes' are missing; legal: SONiC's "
                    "port_config.ini, with '# name lanes …'"
                )
            index = row.get("index", str(len(ports) + 1))
            ports.append(
                HardwarePort(
                    row["name"],
                    row["lanes"],
                    row.get("alias", row["name"]),
                    int(index) if index.isdigit() else len(ports) + 1,
                )
            )
    if not ports:
        raise FormatError(f"{path}: no ports; legal: SONiC's port_config.ini")
    return tuple(ports)
