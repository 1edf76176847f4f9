"""A bundle: the folder that an Ethernet target writes. `verify` and `repair` read the plan from it.

`bundle.json` has the sizes and SHA-256 hashes of all other files. So an incomplete copy of a bundle is recognized.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tulle import _tulle
from tulle._internal.html_summary import Overview, Shown
from tulle._internal.reading import read_text
from tulle._internal.results import Value
from tulle.deploy.bundle_header import BUNDLE, ETHERNET, check_files, header_values
from tulle.deploy.ethernet.addressing import Addressing
from tulle.deploy.ethernet.plan import plan_ethernet
from tulle.deploy.ethernet.port_map import PORTS, with_port_map
from tulle.deploy.ethernet.port_names import LINUX, OVS, named
from tulle.deploy.ethernet.sonic_ports import SonicNaming, hardware_of, sonic_names
from tulle.deploy.versions.layout import opened
from tulle.errors import FileError, FormatError, InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from os import PathLike

    from tulle.deploy.ethernet.plan import EthernetPlan

__all__ = ["EthernetBundle", "Header", "is_ethernet_bundle", "read_bundle", "read_header"]


PLAN = "plan.json"
"""The whole plan, for programs that generate their own files from it."""
SCHEMA = "plan.schema.json"
"""The JSON schema of ``plan.json``."""
FABRIC = "fabric.json"
ROUTING = "routing.tulle"
VCS = "vcs"
"""The virtual channels of all paths in a lossless network, with the proof of deadlock freedom."""
README = "README.md"


@dataclass(frozen=True)
class Header(Shown):
    """The contents of ``bundle.json``."""

    target: str
    """The name of the target."""
    tulle: str
    """The version of tulle that wrote the bundle."""
    fabric: str
    """The spec of the fabric."""
    routing: str
    """The spec of the routing."""
    seed: int
    """The seed of fabric and routing."""
    scheme: str
    """The deadlock scheme of a lossless network; empty for other networks."""
    layers: int
    switches: int
    endpoints: int
    cables: int
    entries: int
    """The number of prefix entries of all switches."""
    options: Mapping[str, Any]
    """The options of the target, by name."""
    addressing: Mapping[str, Any]
    """The addressing, as `Addressing.fields` returns it."""
    files: Mapping[str, tuple[int, str]]
    """The size in bytes and the SHA-256 in hexadecimal digits of every other file."""

    def option(self, name: str, default: int | str) -> Any:
        """Return an option of the target; its default if the bundle does not have it.

        Raises
        ------
        tulle.FormatError
            For a value of another type than the default.
        """
        value = self.options.get(name, default)
        if type(value) is not type(default):
            raise FormatError(f"{BUNDLE}: option {name} is {value!r}; legal: as `tulle deploy` writes it")
        return value


@dataclass(frozen=True, eq=False)
class EthernetBundle(Value):
    """A bundle with the plan that it describes. Read by `read_bundle`."""

    place: Path
    """The folder, as the user named it."""
    folder: Path
    """The folder of the version in use, with its files. It stays the same if another version is put in use."""
    header: Header
    plan: EthernetPlan

    def _overview(self) -> Overview:
        names = ("target", "routing", "scheme", "layers", "switches", "endpoints", "cables", "entries")
        values = {"place": str(self.place)} | {name: getattr(self.header, name) for name in names}
        return Overview("Bundle", self.header.fabric, values)


def is_ethernet_bundle(place: str | PathLike[str]) -> bool:
    """Whether a folder has the ``bundle.json`` of an Ethernet target."""
    folder = opened(Path(place))
    try:
        document = json.loads(read_text(folder / BUNDLE))
    except (ValueError, RecursionError, OSError):
        return False
    return isinstance(document, dict) and document.get("format") == ETHERNET


def header_text(header: Header) -> str:
    """Format ``bundle.json``."""
    rows = {name: getattr(header, name) for name in Header.__dataclass_fields__ if name != "files"}
    text = json.dumps({"format": ETHERNET, **rows}, ensure_ascii=False)
    lines = ",\n".join(
        f"  {json.dumps(name)}: {json.dumps(row, ensure_ascii=False)}" for name, row in json.loads(text).items()
    )
    files = ",\n".join(
        f'    {json.dumps(name)}: {{"bytes": {size}, "sha256": "{digest}"}}'
        for name, (size, digest) in sorted(header.files.items())
    )
    return f'{{\n{lines},\n  "files": {{\n{files}\n  }}\n}}\n'


def read_bundle(place: str | PathLike[str], *, check: Iterable[str] | None = None) -> EthernetBundle:
    """Read a bundle of any Ethernet target, follow its paths again, and check the proof of its plan.

    Parameters
    ----------
    place
        The folder.
    check
        The files whose SHA-256 is compared with ``bundle.json``; None: all files that the plan is read from.

    Raises
    ------
    tulle.FileError
        For a file that is missing or cannot be read.
    tulle.FormatError
        For a file that was changed, or does not belong to a bundle.
    tulle.InputError
        For a bundle of source routes.
    """
    # circle: `ethernet` and `targets` import each other: targets write bundles, and declare whether they can be read.
    from tulle.deploy.targets import targets
    from tulle.fabric import Fabric
    from tulle.routing.routing import Routing
    from tulle.routing.vc_plan import restored

    folder = opened(Path(place))
    header = read_header(folder)
    if header.target in [target.name for target in targets() if not target.is_verifiable]:
        raise InputError(
            f"{place} is a bundle of source routes, which `tulle deploy verify` and `repair` do not support; legal: a "
            "bundle of another target"
        )
    needed = [FABRIC, ROUTING, *([VCS] if header.scheme else []), *([PORTS] if PORTS in header.files else [])]
    check_files(folder, header.files, needed if check is None else check)
    fabric = Fabric(_tulle.join_spec("file", [("edges", str(folder / FABRIC))]))
    routing = Routing.load(folder / ROUTING, fabric)
    try:
        vcs = restored(routing, read_text(folder / VCS)) if header.scheme else None
    except ValueError as error:
        raise FormatError(f"{folder / VCS}: {error}") from None
    try:
        addressing = Addressing.read(dict(header.addressing))
    except (ValueError, KeyError, TypeError) as error:
        raise FormatError(
            f"{folder / BUNDLE}: invalid addressing: {error}; legal: as `tulle deploy` writes it"
        ) from None
    counts = len(addressing.numbers), len(addressing.places), addressing.layers
    if counts != (fabric.num_switches, fabric.num_endpoints, routing.num_layers):
        raise FormatError(
            f"{folder / BUNDLE}: addressing belongs to another fabric; legal: as `tulle deploy` writes it"
        )
    return EthernetBundle(
        Path(place), folder, header, _with_names(plan_ethernet(routing, addressing, vcs=vcs), folder, header)
    )


def _with_names(plan: EthernetPlan, folder: Path, header: Header) -> EthernetPlan:
    """Return the plan with the port names of the bundle, which verify and repair find in the output of switches."""
    target = {"sonic": SonicNaming.target, "ovs": OVS.target}.get(header.target, LINUX.target)
    if PORTS in header.files:
        return with_port_map(plan, folder / PORTS, target)
    # Bundles of earlier versions of tulle have no port map, and name ports by their numbers.
    if header.target == "sonic":
        return sonic_names(plan, hardware_of(header))
    return named(plan, OVS if header.target == "ovs" else LINUX)


def read_header(place: str | PathLike[str]) -> Header:
    """Read ``bundle.json`` of a bundle.

    Raises
    ------
    tulle.FileError, tulle.FormatError
        If ``bundle.json`` is missing, or does not belong to an Ethernet bundle.
    """
    path = opened(Path(place)) / BUNDLE
    if not path.exists():
        raise FileError(f"{place}: has no {BUNDLE}; legal: a complete folder that `tulle deploy` wrote")
    return Header(**header_values(path, ETHERNET, Header))
