"""A bundle: the folder that a target of Ethernet writes, from which `verify` and `repair` know what was meant.

`bundle.json` is put there last and tells that the others are whole: it has their sizes and SHA-256.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tulle import _tulle
from tulle._internal.reading import read_text
from tulle._internal.results import Value
from tulle._internal.writing.folders import recover
from tulle.deploy.bundle_header import BUNDLE, check_files, header_values
from tulle.deploy.ethernet.addressing import Addressing
from tulle.deploy.ethernet.plan import plan_ethernet
from tulle.errors import FileError, FormatError, InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from os import PathLike

    from tulle.deploy.ethernet.plan import EthernetPlan

__all__ = ["EthernetBundle", "Header", "is_ethernet_bundle", "read_bundle", "read_header"]

FORMAT = "tulle-ethernet-bundle-1"

PLAN = "plan.json"
"""All that is meant, for programs that make files of their own of it."""
SCHEMA = "plan.schema.json"
"""The JSON schema of ``plan.json``."""
FABRIC = "fabric.json"
ROUTING = "routing.tulle"
VCS = "vcs"
"""Of a lossless network the virtual channels of all paths, and the proof."""
README = "README.md"


@dataclass(frozen=True)
class Header:
    """What ``bundle.json`` says."""

    target: str
    """The name of the target."""
    tulle: str
    """The version that wrote it."""
    fabric: str
    """The spec of the fabric."""
    routing: str
    """The spec of the routing."""
    seed: int
    """Of fabric and routing."""
    scheme: str
    """The deadlock scheme of a lossless network; empty for others."""
    layers: int
    switches: int
    endpoints: int
    cables: int
    entries: int
    """Prefix entries of all switches."""
    options: Mapping[str, Any]
    """Of the target, by name."""
    addressing: Mapping[str, Any]
    """As `Addressing.fields` gives them."""
    files: Mapping[str, tuple[int, str]]
    """Of every other file its size in bytes and SHA-256 as hexadecimal digits."""

    def option(self, name: str, default: int | str) -> Any:
        """An option of the target, of the type of its default.

        Raises
        ------
        tulle.FormatError
            For another type.
        """
        value = self.options.get(name, default)
        if type(value) is not type(default):
            raise FormatError(f"{BUNDLE}: option {name} is {value!r}; legal: as tulle deploy writes it")
        return value


@dataclass(frozen=True, eq=False)
class EthernetBundle(Value):
    """What a bundle means. Read by `read_bundle`."""

    place: Path
    """The folder."""
    header: Header
    plan: EthernetPlan


def is_ethernet_bundle(place: str | PathLike[str]) -> bool:
    """Whether a folder has the ``bundle.json`` of a target of Ethernet."""
    recover(Path(place))
    try:
        said = json.loads(read_text(Path(place) / BUNDLE))
    except (ValueError, RecursionError, OSError):
        return False
    return isinstance(said, dict) and said.get("format") == FORMAT


def header_text(header: Header) -> str:
    """``bundle.json``."""
    rows = {name: getattr(header, name) for name in Header.__dataclass_fields__ if name != "files"}
    text = json.dumps({"format": FORMAT, **rows}, ensure_ascii=False)
    lines = ",\n".join(
        f"  {json.dumps(name)}: {json.dumps(row, ensure_ascii=False)}" for name, row in json.loads(text).items()
    )
    files = ",\n".join(
        f'    {json.dumps(name)}: {{"bytes": {size}, "sha256": "{digest}"}}'
        for name, (size, digest) in sorted(header.files.items())
    )
    return f'{{\n{lines},\n  "files": {{\n{files}\n  }}\n}}\n'


def read_bundle(place: str | PathLike[str], *, check: Iterable[str] | None = None) -> EthernetBundle:
    """Reads a bundle of any target of Ethernet; its paths are walked anew, and the proof of its plan is checked.

    Parameters
    ----------
    place
        The folder.
    check
        The files whose SHA-256 is compared with that in ``bundle.json``; None: all that the plan is made of.

    Raises
    ------
    tulle.FileError
        For a file that is not there or cannot be read.
    tulle.FormatError
        For a file that is not as it was written, or is none of a bundle.
    tulle.InputError
        For a bundle of source routes.
    """
    from tulle.fabric import Fabric
    from tulle.routing.routing import Routing
    from tulle.routing.vc_plan import restored

    folder = Path(place)
    header = read_header(folder)
    if header.target == "srv6":
        raise InputError(
            f"{folder} is a bundle of source routes, which neither verify nor repair know; legal: one of another target"
        )
    check_files(folder, header.files, [FABRIC, ROUTING, *([VCS] if header.scheme else [])] if check is None else check)
    fabric = Fabric(_tulle.join_spec("file", [("edges", str(folder / FABRIC))]))
    routing = Routing.load(folder / ROUTING, fabric)
    try:
        vcs = restored(routing, read_text(folder / VCS)) if header.scheme else None
    except ValueError as error:
        raise FormatError(f"{folder / VCS}: {error}") from None
    try:
        addressing = Addressing.read(dict(header.addressing))
    except (ValueError, KeyError, TypeError) as error:
        raise FormatError(f"{folder / BUNDLE}: addressing is none: {error}; legal: as tulle deploy writes it") from None
    counts = len(addressing.numbers), len(addressing.places), addressing.layers
    if counts != (fabric.num_switches, fabric.num_endpoints, routing.num_layers):
        raise FormatError(f"{folder / BUNDLE}: addressing is of another fabric; legal: as tulle deploy writes it")
    return EthernetBundle(folder, header, plan_ethernet(routing, addressing, vcs=vcs))


def read_header(place: str | PathLike[str]) -> Header:
    """``bundle.json`` of a bundle.

    Raises
    ------
    tulle.FileError, tulle.FormatError
        Where there is none, or another file.
    """
    recover(Path(place))
    path = Path(place) / BUNDLE
    if not path.exists():
        raise FileError(f"{place}: no {BUNDLE} is there; legal: a folder that tulle deploy wrote, whole")
    return Header(**header_values(path, FORMAT, Header))
