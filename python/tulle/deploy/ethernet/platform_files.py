"""Read the files of a SONiC platform: ``port_config.ini``, or ``platform.json`` and ``hwsku.json``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tulle._internal.reading import read_text
from tulle._internal.text import brief
from tulle.deploy.ethernet.sonic_platform import Platform, Setting, parse_mode
from tulle.deploy.ethernet.sonic_ports import FEC, HardwarePort, is_sonic_name
from tulle.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from os import PathLike

__all__ = ["hardware_ports", "platform_ports", "read_modes"]


def platform_ports(place: str | PathLike[str]) -> tuple[HardwarePort, ...] | Platform:
    """Read the ports of a platform, from ``platform.json`` or ``port_config.ini``.

    Raises
    ------
    tulle.FileError
        If the file cannot be read.
    tulle.FormatError
        For a file in another format.
    """
    path = Path(place)
    if path.suffix.lower() != ".json":
        return hardware_ports(path)
    made: dict[str, dict[str, tuple[HardwarePort, ...]]] = {}
    for name, row in _interfaces(path, "platform.json").items():
        try:
            lanes, indexes = row["lanes"].split(","), [int(index) for index in row["index"].split(",")]
            modes = {
                mode: tuple(_children(name, mode, lanes, indexes, aliases))
                for mode, aliases in row["breakout_modes"].items()
            }
        except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
            raise FormatError(
                f"{path}: port {brief(name)} is invalid ({error}); legal: SONiC's platform.json, with "
                "index, lanes and breakout_modes"
            ) from None
        if modes and is_sonic_name(name):
            made[name] = modes
    if not made:
        raise FormatError(
            f"{path}: no ports in 'interfaces'; legal: a platform.json with ports, or the platform's port_config.ini"
        )
    return Platform(made)


def _children(
    parent: str, mode: str, lanes: list[str], indexes: list[int], aliases: list[str] | str
) -> Iterable[HardwarePort]:
    """The ports of a breakout mode."""
    names = aliases.split(",") if isinstance(aliases, str) else aliases
    parts = parse_mode(mode, len(lanes))
    if len(parts) > len(names) or sum(part.lanes for part in parts) > len(lanes):
        needed = f"{len(parts)} aliases and {sum(part.lanes for part in parts)} lanes"
        raise ValueError(f"breakout mode {mode} needs {needed}, but the file lists {len(names)} and {len(lanes)}")
    at = 0
    for number, part in enumerate(parts):
        own = lanes[at : at + part.lanes]
        name = f"Ethernet{int(parent.removeprefix('Ethernet')) + at}" if is_sonic_name(parent) else parent
        subport = "0" if len(parts) == 1 else str(number + 1)
        speeds = ",".join(map(str, part.speeds))
        yield HardwarePort(
            name,
            ",".join(own),
            names[number].strip(),
            indexes[at],
            part.speeds[0],
            "",
            subport,
            speeds,
            parent,
            mode,
        )
        at += part.lanes


def read_modes(place: str | PathLike[str]) -> dict[str, Setting]:
    """Read the default breakout modes and the forward error correction of ports from ``hwsku.json``.

    Raises
    ------
    tulle.FileError, tulle.FormatError
        For a file that cannot be read, or is in another format.
    """
    path = Path(place)
    found = {}
    for name, row in _interfaces(path, "hwsku.json").items():
        mode, fec = row.get("default_brkout_mode"), row.get("fec", "")
        if not isinstance(mode, str):
            raise FormatError(f"{path}: port {brief(name)} has no default_brkout_mode; legal: SONiC's hwsku.json")
        found[name] = Setting(mode, fec if fec in FEC else "")
    return found


def _interfaces(path: Path, what: str) -> dict[str, dict[str, Any]]:
    try:
        document = json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{path}: no JSON: {error}; legal: SONiC's {what}") from None
    rows = document.get("interfaces") if isinstance(document, dict) else None
    if not isinstance(rows, dict) or not all(isinstance(row, dict) for row in rows.values()):
        raise FormatError(f"{path}: no object 'interfaces'; legal: SONiC's {what}")
    return rows


def hardware_ports(path: Path) -> tuple[HardwarePort, ...]:
    """Read the ports of a platform from SONiC's ``port_config.ini``, in the order of its rows.

    Raises
    ------
    tulle.FileError
        If the file cannot be read.
    tulle.FormatError
        For a file without the columns ``name`` and ``lanes``, or without rows.
    """
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
            if is_sonic_name(row["name"]):
                ports.append(_row(row, len(ports) + 1))
    if not ports:
        raise FormatError(f"{path}: no ports named Ethernet<N>; legal: SONiC's port_config.ini")
    return tuple(ports)


def _row(row: Mapping[str, str], number: int) -> HardwarePort:
    index, speed, fec = row.get("index", ""), row.get("speed", ""), row.get("fec", "")
    return HardwarePort(
        row["name"],
        row["lanes"],
        row.get("alias", row["name"]),
        int(index) if index.isdigit() else number,
        int(speed) if speed.isdigit() else 0,
        fec if fec in FEC else "",
        row.get("subport", ""),
    )
