"""Networks that are there, as fabrics: one file per kind of source and a line here."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from tulle.cabling.networks.assembly import Choices, Imported
from tulle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from os import PathLike

# Kind -> where `read(paths, choices)` is, which gives the fabric and what to say of it.
_MODULES = {
    "ibnetdiscover": "tulle.cabling.networks.ibnetdiscover",
    "lldp": "tulle.cabling.networks.lldp",
    "netbox": "tulle.cabling.networks.netbox",
    "topo": "tulle.cabling.networks.topo",
}

__all__ = ["FORMATS", "Imported", "read_network"]

FORMATS = tuple(_MODULES)
"""The kinds of files that networks are read from."""


def read_network(
    format: str,
    paths: Iterable[str | PathLike[str]],
    endpoints: Sequence[str] = (),
    *,
    hosts: Sequence[str] = (),
    ignore: Sequence[str] = (),
    keep_aggregation: bool = False,
) -> Imported:
    """The network that files tell of, with its names, ports and rates.

    Parameters
    ----------
    format
        ``ibnetdiscover``: one file of it. ``lldp``: a file of ``lldpctl -f json`` per switch, with files that tell
        aliases of ports. ``netbox``: exports of cables, front ports and devices, as CSV or JSON. ``topo``: an IBDM
        ``.topo`` (systems whose ``.ibnl`` is beside it are what that says), or a ``topology.dot`` of PTM.
    paths
        The files.
    endpoints
        Patterns of names, with ``*`` and ``?`` for any letters: exactly these devices are endpoints, all others are
        switches. None: roles, capabilities, names and cables decide, see `tulle.cabling.networks.roles`.
    hosts
        Patterns of devices that are hosts, whatever the files say; the others are decided as before.
    ignore
        Patterns of devices and ports that are left out.
    keep_aggregation
        Whether the aggregation nodes of an InfiniBand subnet (SHARP) are endpoints; otherwise they are left out.

    Raises
    ------
    tulle.InputError
        For a kind that is not known, or no file at all.
    tulle.FileError, tulle.FormatError
        For a file that cannot be read, or holds something else.
    """
    if format not in _MODULES:
        raise InputError(f"{format} is no kind of network file; legal: {', '.join(_MODULES)}")
    files = [Path(path) for path in paths]
    if not files:
        raise InputError("no file; legal: one or more")
    choices = Choices(tuple(endpoints), tuple(hosts), tuple(ignore), keep_aggregation)
    imported: Imported = import_module(_MODULES[format]).read(files, choices)
    return imported
