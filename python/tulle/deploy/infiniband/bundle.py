"""A bundle: the folder that `tulle deploy infiniband` writes, from which `verify` and `repair` know what was meant.

`bundle.json` is put there last and tells that the others are whole: it has their sizes and SHA-256.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from tulle import _tulle
from tulle._internal.reading import read_text
from tulle._internal.results import Value
from tulle._internal.writing.folders import recover
from tulle.deploy.bundle_header import BUNDLE, check_files, header_values
from tulle.errors import FileError, FormatError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from os import PathLike

    from tulle.fabric import Fabric
    from tulle.fabric.properties import Address
    from tulle.routing.routing import Routing
    from tulle.routing.vc_plan import VcPlan

__all__ = ["Bundle", "Header", "header_text", "read_bundle"]

FORMAT = "tulle-infiniband-bundle-1"

FABRIC = "fabric.json"
"""The fabric, every switch and adapter with its GUIDs and LIDs, every port with its number."""
ROUTING = "routing.tulle"
"""The routing that the plan is of."""
PLAN = "plan"
"""The virtual lanes of all paths, and the proof."""
GUID2LID = "guid2lid"
LFTS = "lfts"
SL2VL = "sl2vl"
CONF = "opensm.conf"
ROOT_GUIDS = "root_guids"
NODE_NAMES = "node_names"
PARTITIONS = "partitions.conf"
README = "README.md"
HOSTS = "hosts"
"""The folder of what hosts are set up with."""
UNASKED = "unasked"
"""Service levels of before a repair, which hosts may use until they ask again; not in every bundle."""
PLUGIN = "plugin"
"""The folder of the source of OpenSM's plug-in, built on site."""

NO_PORT = 255
"""The port of a LID in a forwarding table that leads nowhere."""


@dataclass(frozen=True)
class Header:
    """What ``bundle.json`` says."""

    tulle: str
    """The version that wrote it."""
    fabric: str
    """The spec of the fabric."""
    routing: str
    """The spec of the routing."""
    scheme: str
    """The canonical spec of the deadlock scheme."""
    seed: int
    """Of fabric and routing."""
    lmc: int
    """Every adapter port has 2^LMC LIDs; layer l goes by base LID + l."""
    layers: int
    vls: int
    """Data VLs that the plan uses: 0 to one below this."""
    hardware_vls: int
    """Data VLs that every port must have."""
    sls: int
    """Service levels that the plan uses: 0 to one below this."""
    switches: int
    endpoints: int
    cables: int
    top_lid: int
    """The largest LID given."""
    files: Mapping[str, tuple[int, str]]
    """Of every other file its size in bytes and SHA-256 as hexadecimal digits."""


@dataclass(frozen=True, eq=False)
class Bundle(Value):
    """What a bundle means. Read by `read_bundle`."""

    place: Path
    """The folder."""
    header: Header
    fabric: Fabric
    """With the GUIDs and LIDs; its ports are called by the numbers that InfiniBand gives them."""
    routing: Routing
    """The routing of the plan."""
    plan: VcPlan

    @property
    def lmc(self) -> int:
        """Every adapter port has 2^LMC LIDs."""
        return self.header.lmc

    @cached_property
    def switch_addresses(self) -> list[Address]:
        """Per switch: node GUID, port GUID, LID, LMC 0, port 0."""
        return self.fabric.properties["switch_addresses"]

    @cached_property
    def endpoint_addresses(self) -> list[Address]:
        """Per endpoint: node GUID, port GUID, base LID, LMC, port of its adapter."""
        return self.fabric.properties["endpoint_addresses"]

    @cached_property
    def ports(self) -> list[int]:
        """Per channel, the port by which it leaves its switch."""
        return [int(port) for port in self.fabric.ports]

    @cached_property
    def endpoint_ports(self) -> list[int]:
        """Per endpoint, the port of its switch."""
        return [int(port) for port in self.fabric.endpoint_ports]


def header_text(header: Header) -> str:
    """``bundle.json``."""
    rows = {name: getattr(header, name) for name in Header.__dataclass_fields__ if name != "files"}
    files = {name: {"bytes": size, "sha256": digest} for name, (size, digest) in sorted(header.files.items())}
    return json.dumps({"format": FORMAT, **rows, "files": files}, indent=2, ensure_ascii=False) + "\n"


def read_bundle(place: str | PathLike[str], *, check: Iterable[str] = (FABRIC, ROUTING, PLAN)) -> Bundle:
    """Reads a bundle; the proof of its plan is checked anew.

    Parameters
    ----------
    place
        The folder.
    check
        The files whose SHA-256 is compared with that in ``bundle.json``.

    Raises
    ------
    tulle.FileError
        For a file that is not there or cannot be read.
    tulle.FormatError
        For a file that is not as it was written, or is none of a bundle.
    """
    from tulle.fabric import Fabric
    from tulle.routing.routing import Routing
    from tulle.routing.vc_plan import restored

    folder = Path(place)
    recover(folder)
    if not (folder / BUNDLE).exists():
        raise FileError(f"{folder}: no {BUNDLE} is there; legal: a folder that tulle deploy wrote, whole")
    header = Header(**header_values(folder / BUNDLE, FORMAT, Header))
    check_files(folder, header.files, check)
    fabric = Fabric(_tulle.join_spec("file", [("edges", str(folder / FABRIC))]))
    routing = Routing.load(folder / ROUTING, fabric)
    try:
        plan = restored(routing, read_text(folder / PLAN))
    except ValueError as error:
        raise FormatError(f"{folder / PLAN}: {error}") from None
    if not {"switch_addresses", "endpoint_addresses", "ports"} <= {*fabric.properties}:
        raise FormatError(f"{folder / FABRIC}: no GUIDs, LIDs or ports are there; legal: the fabric of a bundle")
    return Bundle(folder, header, fabric, routing, plan)
