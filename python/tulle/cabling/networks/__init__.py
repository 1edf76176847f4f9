"""Networks that are there, as fabrics: one file per kind of source and a line here."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from tulle.cabling.networks.assembly import Imported
from tulle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from os import PathLike

# Kind -> where `read(paths, endpoints)` is, which gives the fabric and what to say of it.
_MODULES = {
    "ibnetdiscover": "tulle.cabling.networks.ibnetdiscover",
    "lldp": "tulle.cabling.networks.lldp",
    "netbox": "tulle.cabling.networks.netbox",
    "topo": "tulle.cabling.networks.topo",
}

__all__ = ["FORMATS", "Imported", "read_network"]

FORMATS = tuple(_MODULES)
"""The kinds of files that networks are read from."""


def read_network(format: str, paths: Iterable[str | PathLike[str]], endpoints: Sequence[str] = ()) -> Imported:
    """The network that files tell of, with its names, ports and rates.

    Parameters
    ----------
    format
        ``ibnetdiscover``: one file of it. ``lldp``: a file of ``lldpctl -f json0`` per switch. ``netbox``: CSV exports
        of cables. ``topo``: an IBDM ``.topo`` (systems whose ``.ibnl`` is beside it are what that says), or a
        ``topology.dot`` of PTM.
    paths
        The files.
    endpoints
        Names of devices that are endpoints, with ``*`` and ``?`` for any letters. None: in LLDP what has no file of its
        own, else devices with one cable. Of ibnetdiscover adapters are.

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
    imported: Imported = import_module(_MODULES[format]).read(files, tuple(endpoints))
    return imported
