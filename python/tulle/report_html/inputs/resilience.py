"""The report of ``tulle resilience --json``."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING

from tulle.analysis.failure_sweep import METRICS
from tulle.design.prices import read_prices
from tulle.errors import FormatError
from tulle.fabric import Fabric
from tulle.report_html.damage import damaged
from tulle.report_html.document import Page
from tulle.report_html.inputs.model import Document, Input, Settings
from tulle.report_html.manifest import manifest
from tulle.report_html.model import Cell, Chart, Column, Section, Table
from tulle.report_html.networks import bills, explorer, network, racks_and_bills, size_table
from tulle.report_html.unchanged import check_files_of, check_unchanged, routed
from tulle.report_html.wording import number, percent
from tulle.routing.routing import route

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tulle.routing.routing import Routing

# Metric of the rerouted network -> metric of the newly routed network, which is drawn in the same chart.
_BESIDE = {"routed": "routed_anew", "routed_traffic": "routed_anew_traffic"}
_TITLES = {
    "routed": "all-to-all throughput of the routing",
    "routed_traffic": "throughput of the traffic",
    "all_to_all": "all-to-all throughput, any paths",
    "average_path_length": "average path in hops",
    "diameter": "diameter in hops",
}
_WORDS = {"links": "cables", "switches": "switches"}


class _Band(Document):
    median: float
    low: float
    high: float
    seeds: int


class _Damage(Document):
    kind: str
    share: float
    failed: int
    seeds: int
    connected: float
    endpoints: _Band
    joined: _Band
    bands: dict[str, _Band | None]


class Failures(Document):
    """What ``tulle resilience --json`` writes."""

    fabric: str
    routing: str | None
    traffic: str | None
    hops: int
    rows: tuple[_Damage, ...]
    links: tuple[str, ...]
    faults: tuple[str, ...]
    fingerprint: str | None = None
    routing_file: str | None = None
    routing_sha256: str | None = None
    seed: int
    tulle: str


def page(path: Path, found: Failures, settings: Settings) -> Page:
    """Make the report of a failure sweep."""
    if not found.rows:
        raise FormatError(f"{path}: has no rows; legal: the output of `tulle resilience --json`")
    check_files_of(path, found.fabric)
    fabric = damaged(Fabric(found.fabric, found.seed, list(found.links) or None), found.faults)
    check_unchanged(path, fabric, found.fingerprint)
    if settings.routing is not None:
        routing: Routing | None = route(fabric, settings.routing, found.seed)
    elif found.routing is not None:
        routing = routed(path, fabric, found.routing, found.seed, found.routing_file, found.routing_sha256)
    else:
        routing = None
    prices = None if settings.prices is None else read_prices(settings.prices)
    drawn = [network("", fabric, routing, found.seed)][: settings.networks]
    seeds = max(row.seeds for row in found.rows)
    sections = [
        Section(
            "Failure curves",
            (
                f"Medians over {seeds} random draws of the failed parts; the shade spans minimum and maximum. Metrics "
                "other than the share of connected draws count only draws in which all remaining endpoints reach each "
                "other. Rerouting changes few entries; a new routing changes many.",
            ),
            tuple(_curves(found)),
        ),
        Section("All values", (), (_table(found),)),
        *([Section("Network", (), (size_table(drawn),)), explorer(drawn, settings)] if drawn else []),
        *([racks_and_bills(drawn, *bills(drawn, prices, None))] if drawn else []),
    ]
    more = [
        ("measured by", f"tulle {found.tulle}"),
        ("seeds", f"{found.seed} to {found.seed + seeds - 1}"),
        ("traffic", found.traffic),
        ("hop limit of disjoint paths", str(found.hops)),
        ("link rules", ", ".join(found.links) or None),
    ]
    title = f"Resilience of {found.fabric}"
    return Page(title, tuple(_summary(found)), tuple(sections), manifest(INPUT.command, path, drawn, more))


def _summary(found: Failures) -> Iterator[str]:
    for kind in dict.fromkeys(row.kind for row in found.rows):
        rows = sorted((row for row in found.rows if row.kind == kind), key=lambda row: row.share)
        words = _WORDS.get(kind, kind)
        # A larger share of failed switches can leave the endpoints connected that a smaller share separates.
        whole = [row.share for row in takewhile(lambda row: row.connected == 1.0, rows)]
        apart = [row for row in rows if row.connected < 1.0]
        if whole:
            yield (
                f"In every random draw with up to {percent(max(whole))} of the {words} failed, the remaining "
                "endpoints reach each other."
            )
        if apart:
            row = apart[0]
            yield (
                f"With {percent(row.share)} of the {words} failed, all remaining endpoints reach each other in "
                f"{percent(row.connected)} of the draws; in the median draw, {percent(row.joined.median)} of the "
                "pairs of switches stay connected."
            )
        for name in ("routed", "all_to_all"):
            values = [(row.share, band.median) for row in rows if (band := row.bands.get(name)) is not None]
            if len(values) > 1:
                (first, before), (last, after) = values[0], values[-1]
                yield (
                    f"{_TITLES[name].capitalize()}: {number(before)} with {percent(first)} of the {words} failed, "
                    f"{number(after)} with {percent(last)}."
                )


def _curves(found: Failures) -> Iterator[Chart]:
    """Yield a chart per metric. For each kind of failure, it has one line, or two: rerouted, and with a new routing."""
    yield Chart(
        "curves",
        "share of draws that stay connected",
        tuple(
            {
                "name": _WORDS.get(row.kind, row.kind),
                "x": row.share,
                "value": row.connected,
                "low": row.connected,
                "high": row.connected,
            }
            for row in found.rows
        ),
        "share that fails",
        options={"percent": True},
    )
    names = list(dict.fromkeys(name for row in found.rows for name in row.bands))
    for name in names:
        if name in _BESIDE.values():
            continue
        rows: list[dict[str, Cell]] = []
        for key, way in ((name, ", rerouted"), (_BESIDE.get(name), ", routed anew")):
            for row in found.rows:
                band = None if key is None else row.bands.get(key)
                if band is not None:
                    words = _WORDS.get(row.kind, row.kind) + (way if name in _BESIDE else "")
                    rows.append(
                        {"name": words, "x": row.share, "value": band.median, "low": band.low, "high": band.high}
                    )
        if rows:
            title = _TITLES.get(name) or METRICS.get(name, name)
            yield Chart("curves", title, tuple(rows), "share that fails", options={"percent": True})


def _table(found: Failures) -> Table:
    names = list(dict.fromkeys(name for row in found.rows for name in row.bands))
    columns = (
        Column("fails"),
        Column("share", "percent"),
        Column("failed", "number"),
        Column("connected", "percent"),
        Column("pairs connected", "percent"),
        Column("endpoints left", "percent"),
        *(
            Column(f"{METRICS.get(name, name)}: {what}", "number")
            for name in names
            for what in ("median", "min", "max")
        ),
    )
    rows: list[tuple[Cell, ...]] = []
    for row in found.rows:
        bands = [row.bands.get(name) for name in names]
        figures = [
            value for band in bands for value in ((None,) * 3 if band is None else (band.median, band.low, band.high))
        ]
        start = (_WORDS.get(row.kind, row.kind), row.share, row.failed, row.connected)
        rows.append((*start, row.joined.median, row.endpoints.median, *figures))
    return Table("All values", columns, tuple(rows))


INPUT = Input(command="tulle resilience --json", keys=("fabric", "hops", "rows", "traffic"), model=Failures, page=page)
