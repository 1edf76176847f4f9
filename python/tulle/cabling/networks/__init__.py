"""Import existing networks from files of other tools. Each format has a module and a line in this file."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tulle._internal.arguments import read_texts
from tulle._internal.plugins import call, find
from tulle.cabling.networks.assembly import Choices, Imported
from tulle.errors import FormatError, InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from os import PathLike

    from tulle.cabling.networks.model import NetworkFormat
    from tulle.declarations import Entry

# Name of an import format -> module that defines FORMAT. The order is that of `tulle list imports`.
_MODULES = {
    "ibnetdiscover": "tulle.cabling.networks.ibnetdiscover",
    "lldp": "tulle.cabling.networks.lldp",
    "netbox": "tulle.cabling.networks.netbox",
    "topo": "tulle.cabling.networks.topo",
}

# Lines that only ibnetdiscover prints, and the number of bytes of a file that are searched.
_SUBNET, _HEAD = re.compile(rb"^(?:vendid|switchguid|caguid)=0x|^(?:Switch|Ca)\t\d", re.MULTILINE), 1 << 16
_NETBOX = re.compile(rb"side_a_device|termination.a\b", re.IGNORECASE)

__all__ = ["FORMATS", "Imported", "entries", "network_format", "network_formats", "read_network"]

FORMATS = tuple(_MODULES)
"""Names of the import formats."""


def network_format(name: str) -> NetworkFormat:
    """Find an import format by name.

    Raises
    ------
    tulle.InputError
        For an unknown name.
    """
    unknown = f"{name} is not an import format; legal: {', '.join(_MODULES)}"
    found: NetworkFormat = find(_MODULES, name, "FORMAT", unknown)
    return found


def network_formats() -> list[NetworkFormat]:
    """Return all import formats, in the order of the registry."""
    return [network_format(name) for name in _MODULES]


def entries() -> list[Entry]:
    """Return the registry entries of all import formats."""
    return [format.entry for format in network_formats()]


def read_network(
    format: str,
    paths: str | PathLike[str] | Iterable[str | PathLike[str]],
    endpoints: str | Sequence[str] = (),
    *,
    hosts: str | Sequence[str] = (),
    ignore: str | Sequence[str] = (),
    **options: Any,
) -> Imported:
    """Read a network from files, with its names, ports and rates.

    Parameters
    ----------
    format
        The name of an import format: see ``tulle list imports``.
    paths
        The files.
    endpoints
        Patterns of device names, with ``*`` and ``?`` as wildcards. Exactly the devices that match are endpoints; all
        other devices are switches. If empty, roles, capabilities, names and cables decide, see
        `tulle.cabling.networks.roles`.
    hosts
        Patterns of devices that are hosts, even if the files say otherwise.
    ignore
        Patterns of devices and ports to ignore.
    options
        Options of this format, for example ``keep_aggregation=True`` for ``ibnetdiscover``.

    Raises
    ------
    tulle.InputError
        For an unknown format or option, or an empty list of files.
    tulle.FileError, tulle.FormatError
        For a file that cannot be read, or is not in this format.
    """
    of = network_format(format)
    files = [Path(path) for path in read_texts("paths", paths)]
    if not files:
        raise InputError("no file; legal: at least one")
    if endpoints and of.has_adapters:
        raise InputError(
            f"--endpoints does not apply to {format}, because the adapters in its files are the endpoints; "
            "legal: --hosts, or no --endpoints"
        )
    given = {"endpoints": endpoints, "hosts": hosts, "ignore": ignore}
    choices = Choices(**{name: tuple(read_texts(name, patterns)) for name, patterns in given.items()})
    try:
        return call(of.name, of.read, Imported, {"paths": files, "choices": choices}, of.values(options))
    except FormatError as error:
        wrong = next((path for path in files if str(error).startswith(f"{path}:")), None)
        raise FormatError(f"{error}{'' if wrong is None else import_hint(format, wrong)}") from None


def import_hint(format: str, path: Path) -> str:
    """Return the end of an error about a file that looks like a file of another format; otherwise an empty text.

    `format` is the import format with which the file was read; empty for ``file:edges=``.
    """
    from tulle._internal.reading import read_bytes
    from tulle.cabling.live import live_tool, tool_of

    tool, head = tool_of(path), read_bytes(path, _HEAD)
    if tool == format or (tool == "ibnetdiscover" and not _SUBNET.search(head)):
        return ""
    # Other programs write JSON, too.
    if tool == "lldp" and head.lstrip().startswith((b"{", b"[")) and b'"lldp"' not in head:
        return ""
    if tool == "iblinkinfo":
        return (
            "; the file is output of iblinkinfo, which only 'tulle cabling verify --live' reads; "
            "'tulle import ibnetdiscover' imports the output of ibnetdiscover"
        )
    if tool == "table" and not format:
        return "; the file is an export of NetBox, which 'tulle import netbox' reads" if _NETBOX.search(head) else ""
    if tool == "table":
        return "; the file is a table; file:edges=FILE reads tables of cables, without an import"
    return f"; the file is output of {live_tool(tool).output}, which 'tulle import {tool}' reads"
