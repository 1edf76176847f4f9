"""The report of a bundle that ``tulle deploy`` wrote."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle import _tulle
from tulle.deploy.bundle_header import BUNDLE, check_files
from tulle.design.prices import read_prices
from tulle.fabric import Fabric
from tulle.report_html.document import Page
from tulle.report_html.inputs.model import Document, Input, Settings
from tulle.report_html.manifest import manifest
from tulle.report_html.model import Column, Section, Table
from tulle.report_html.networks import bills, explorer, network, racks_and_bills, size_table
from tulle.routing.routing import Routing

if TYPE_CHECKING:
    from pathlib import Path

_FABRIC, _ROUTING = "fabric.json", "routing.tulle"


class _File(Document):
    bytes: int
    sha256: str


class Bundle(Document):
    """The values of ``bundle.json`` that bundles of all targets have."""

    format: str
    tulle: str
    fabric: str
    routing: str
    scheme: str
    seed: int
    layers: int
    switches: int
    endpoints: int
    cables: int
    files: dict[str, _File]
    target: str = "infiniband"


def page(path: Path, found: Bundle, settings: Settings) -> Page:
    """Make the report of a bundle. The fabric and the routing are read from the bundle's files."""
    files = {name: (of.bytes, of.sha256) for name, of in found.files.items()}
    check_files(path, files, (_FABRIC, _ROUTING))
    fabric = Fabric(_tulle.join_spec("file", [("edges", str(path / _FABRIC))]))
    routing = Routing.load(path / _ROUTING, fabric)
    prices = None if settings.prices is None else read_prices(settings.prices)
    drawn = [network("", fabric, routing, found.seed)]
    folders: dict[str, list[int]] = {}
    for name, of in found.files.items():
        folders.setdefault(name.rpartition("/")[0] or ".", []).append(of.bytes)
    rows = tuple((folder, len(sizes), sum(sizes)) for folder, sizes in sorted(folders.items()))
    heads = (Column("folder", "code"), Column("files", "number"), Column("bytes", "number"))
    sections = [
        Section("Network", (), (size_table(drawn),)),
        *([explorer(drawn, settings)] if settings.networks else []),
        racks_and_bills(drawn, *bills(drawn, prices, None)),
        Section(
            "Files", (f"bundle.json has the SHA-256 of all {len(files):,} files.",), (Table("Files", heads, rows),)
        ),
    ]
    summary = (
        f"Configuration for {found.target}: {found.switches:,} switches, {found.endpoints:,} endpoints, "
        f"{found.cables:,} cables between switches.",
        f"The routing {found.routing} has {found.layers:,} {'layer' if found.layers == 1 else 'layers'}.",
        f"The deadlock scheme {found.scheme} keeps the paths free of deadlock; the bundle contains a certificate."
        if found.scheme
        else "The bundle is for a network that drops packets, so it has no virtual channels.",
    )
    more = [
        ("written by", f"tulle {found.tulle}"),
        ("format", found.format),
        ("fabric", found.fabric),
        ("routing", found.routing),
        ("seed", str(found.seed)),
        ("deadlock scheme", found.scheme or None),
    ]
    title = f"Bundle for {found.target}: {found.fabric}"
    return Page(title, summary, tuple(sections), manifest(INPUT.command, path / BUNDLE, drawn, more))


INPUT = Input(
    command="tulle deploy", keys=("format", "fabric", "routing", "files"), model=Bundle, page=page, file=BUNDLE
)
