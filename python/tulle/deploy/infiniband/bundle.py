"""A bundle: the folder that `tulle deploy infiniband` writes. `verify` and `repair` read the plan from it.

`bundle.json` has the sizes and SHA-256 hashes of all other files. So an incomplete copy of a bundle is recognized.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from tulle import _tulle
from tulle._internal.html_summary import Overview, Shown
from tulle._internal.reading import read_text
from tulle._internal.results import Value
from tulle.deploy.bundle_header import BUNDLE, INFINIBAND, check_files, header_values
from tulle.errors import FileError, FormatError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from os import PathLike

    from tulle.fabric import Fabric
    from tulle.fabric.properties import Address
    from tulle.routing.routing import Routing
    from tulle.routing.vc_plan import VcPlan

__all__ = ["Bundle", "Header", "header_text", "read_bundle"]


FABRIC = "fabric.json"
"""The fabric with the GUIDs and LIDs of switches and adapters, and the numbers of ports."""
ROUTING = "routing.tulle"
"""The routing of the plan."""
PLAN = "plan"
"""The virtual lanes of all paths, and the proof of deadlock freedom."""
GUID2LID = "guid2lid"
LFTS = "lfts"
SL2VL = "sl2vl"
CONF = "opensm.conf"
ROOT_GUIDS = "root_guids"
NODE_NAMES = "node_names"
PARTITIONS = "partitions.conf"
README = "README.md"
HOSTS = "hosts"
"""The folder with the setup of hosts."""
UNASKED = "unasked"
"""Service levels from before a repair, which hosts may use until they query path records again.

Only some repaired bundles have this file.
"""
HOSTS_TO_ASK = "hosts_to_ask"
"""The names of hosts that must query path records again after a repair, one per line.

Only some repaired bundles have this file.
"""
PLUGIN = "plugin"
"""The folder with the source of OpenSM's plug-in, which is built on site."""

NO_PORT = 255
"""The port number in forwarding tables that means that the switch does not forward the LID."""


@dataclass(frozen=True)
class Header(Shown):
    """The contents of ``bundle.json``."""

    tulle: str
    """The version of tulle that wrote the bundle."""
    fabric: str
    """The spec of the fabric."""
    routing: str
    """The spec of the routing."""
    scheme: str
    """The canonical spec of the deadlock scheme."""
    seed: int
    """The seed of fabric and routing."""
    lmc: int
    """The LID mask control: every adapter port has 2^LMC LIDs, and layer l uses base LID + l."""
    layers: int
    vls: int
    """The number of data VLs that the plan uses, from VL 0 on."""
    hardware_vls: int
    """The number of data VLs that every port must have."""
    sls: int
    """The number of service levels that the plan uses, from SL 0 on."""
    switches: int
    endpoints: int
    cables: int
    top_lid: int
    """The largest assigned LID."""
    files: Mapping[str, tuple[int, str]]
    """The size in bytes and the SHA-256 in hexadecimal digits of every other file."""


@dataclass(frozen=True, eq=False)
class Bundle(Value):
    """A bundle with its fabric, routing and plan. Read by `read_bundle`."""

    place: Path
    """The folder, as the user named it."""
    folder: Path
    """The folder of the version in use, with its files. It stays the same if another version is put in use."""
    header: Header
    fabric: Fabric
    """The fabric with GUIDs and LIDs. Its ports are named by their InfiniBand numbers."""
    routing: Routing
    """The routing of the plan."""
    plan: VcPlan

    def _overview(self) -> Overview:
        names = ("routing", "scheme", "layers", "vls", "sls", "switches", "endpoints", "cables", "top_lid")
        values = {"place": str(self.place)} | {name: getattr(self.header, name) for name in names}
        return Overview("Bundle", self.header.fabric, values)

    @property
    def lmc(self) -> int:
        """The LID mask control: every adapter port has 2^LMC LIDs."""
        return self.header.lmc

    @cached_property
    def switch_addresses(self) -> list[Address]:
        """Per switch: node GUID, port GUID, LID, LMC 0, port 0."""
        return self.fabric.properties["switch_addresses"]

    @cached_property
    def endpoint_addresses(self) -> list[Address]:
        """For each endpoint: node GUID, port GUID, base LID, LMC and port of its adapter."""
        return self.fabric.properties["endpoint_addresses"]

    @cached_property
    def node_guids(self) -> frozenset[int]:
        """The GUIDs of all switches and adapters."""
        return frozenset(address[0] for address in (*self.switch_addresses, *self.endpoint_addresses))

    @cached_property
    def ports(self) -> list[int]:
        """For each channel, the port where it starts."""
        return [int(port) for port in self.fabric.ports]

    @cached_property
    def endpoint_ports(self) -> list[int]:
        """For each endpoint, the switch port to which it is connected."""
        return [int(port) for port in self.fabric.endpoint_ports]


def header_text(header: Header) -> str:
    """Format ``bundle.json``."""
    rows = {name: getattr(header, name) for name in Header.__dataclass_fields__ if name != "files"}
    files = {name: {"bytes": size, "sha256": digest} for name, (size, digest) in sorted(header.files.items())}
    return json.dumps({"format": INFINIBAND, **rows, "files": files}, indent=2, ensure_ascii=False) + "\n"


def read_bundle(place: str | PathLike[str], *, check: Iterable[str] = (FABRIC, ROUTING, PLAN)) -> Bundle:
    """Read a bundle and check the proof of its plan.

    Parameters
    ----------
    place
        The folder.
    check
        The files whose SHA-256 is compared with ``bundle.json``.

    Raises
    ------
    tulle.FileError
        For a file that is missing or cannot be read.
    tulle.FormatError
        For a file that was changed, or does not belong to a bundle.
    """
    from tulle.deploy.versions.layout import opened
    from tulle.fabric import Fabric
    from tulle.routing.routing import Routing
    from tulle.routing.vc_plan import restored

    folder = opened(Path(place))
    if not (folder / BUNDLE).exists():
        raise FileError(f"{folder}: has no {BUNDLE}; legal: a complete folder that `tulle deploy` wrote")
    header = Header(**header_values(folder / BUNDLE, INFINIBAND, Header))
    check_files(folder, header.files, check)
    fabric = Fabric(_tulle.join_spec("file", [("edges", str(folder / FABRIC))]))
    routing = Routing.load(folder / ROUTING, fabric)
    try:
        plan = restored(routing, read_text(folder / PLAN))
    except ValueError as error:
        raise FormatError(f"{folder / PLAN}: {error}") from None
    if not {"switch_addresses", "endpoint_addresses", "ports"} <= {*fabric.properties}:
        raise FormatError(f"{folder / FABRIC}: has no GUIDs, LIDs or ports; legal: the fabric of a bundle")
    return Bundle(Path(place), folder, header, fabric, routing, plan)
