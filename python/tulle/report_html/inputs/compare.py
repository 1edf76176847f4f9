"""The report of ``tulle compare --json``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle.compare.cost import METRICS as COSTS
from tulle.compare.throughput import METRICS as THROUGHPUTS
from tulle.design.prices import read_prices
from tulle.errors import FormatError
from tulle.fabric import Fabric
from tulle.packet.options import DEFAULTS
from tulle.report_html.document import Page
from tulle.report_html.inputs.model import Document, Input, Settings
from tulle.report_html.manifest import manifest
from tulle.report_html.model import Cell, Chart, Column, Section, Table
from tulle.report_html.networks import bills, explorer, network, racks_and_bills
from tulle.report_html.unchanged import check_costs, check_files_of, check_unchanged, priced, routed
from tulle.report_html.wording import listed, number, own_floor, percent

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_NAMES = "ABCDEFGHIJKLMNOP"
# The rows of the summary, the most important first, each with a phrase about the best network.
_SUMMARY = {
    "cost_per_endpoint": "has the lowest price per endpoint",
    "watts_per_endpoint": "needs the least power per endpoint",
    "all_to_all_routed": "sustains the most all-to-all traffic with its routing, if traffic splits evenly",
    "all_to_all_best_split": "sustains the most all-to-all traffic with its routing, if traffic splits optimally",
    "worst_best_split": "sustains the largest fraction of the worst permutation found, if traffic splits optimally",
    "permutation_fct_p99_us": "has the lowest 99th percentile of completion times of a permutation",
    "skewed_fct_p99_us": "has the lowest 99th percentile of completion times of skewed traffic",
    "failed_worst_best_split": "sustains the largest fraction of the worst permutation after 5% of the cables failed",
}
# Names of rows in results of earlier versions.
_RENAMED = {"cables_per_endpoint": "links_per_endpoint"}
_UNITS = {"cost_per_endpoint": "", "watts_per_endpoint": "W", "permutation_fct_p99_us": "µs", "skewed_fct_p99_us": "µs"}


class _Band(Document):
    median: float
    low: float
    high: float
    seeds: int


class _Row(Document):
    name: str
    head: str
    better: str
    bands: tuple[_Band | None, ...]
    winners: tuple[int, ...]
    apart: bool


class _Entrant(Document):
    fabric: str
    endpoints: int
    switches: int
    cables: int
    radix: int
    routing: str
    worst_permutation: str
    ports_bought: int | None
    ports_used: int | None
    fingerprint: str | None = None
    routing_file: str | None = None
    routing_sha256: str | None = None


class Comparison(Document):
    """What ``tulle compare --json`` writes."""

    entrants: tuple[_Entrant, ...]
    rows: tuple[_Row, ...]
    left_out: tuple[str, ...]
    currency: str
    price_list: str
    switch: str | None
    floor: str | None = None
    selector: str
    transport: str
    bytes: str
    rate: str = DEFAULTS["rate"]
    notes: tuple[str, ...] = ()
    seeds: int
    seed: int
    tulle: str


def page(path: Path, found: Comparison, settings: Settings) -> Page:
    """Make the report of a comparison."""
    for row in found.rows:
        row.name = _RENAMED.get(row.name, row.name)
    for row in found.rows:
        if len(row.bands) != len(found.entrants) or not all(0 <= at < len(found.entrants) for at in row.winners):
            raise FormatError(
                f"{path}: row {row.name} does not match the {len(found.entrants)} networks; "
                "legal: the output of `tulle compare --json`"
            )
    prices = priced(path, found.price_list) if settings.prices is None else read_prices(settings.prices)
    drawn = [
        network(
            name,
            fabric := _fabric(path, of, found.seed),
            routed(path, fabric, of.routing, found.seed, of.routing_file, of.routing_sha256),
            found.seed,
            found.floor,
        )
        for name, of in zip(_NAMES, found.entrants[: settings.networks], strict=False)
    ]
    made, remarks = bills(drawn, prices, found.switch)
    if settings.prices is None:
        bands = next((row.bands for row in found.rows if row.name == "cost_per_endpoint"), ())
        costs = [None if band is None else band.median for band in bands]
        check_costs(path, zip(made, costs, strict=False))
    names = [f"{name} {of.fabric.partition(':')[0]}" for name, of in zip(_NAMES, found.entrants, strict=False)]
    sections = [
        Section("Networks compared", (_conditions(found),), (_entrants(found), _card(found))),
        *([explorer(drawn, settings, len(found.entrants) - len(drawn))] if drawn else []),
        Section(
            "Cost and power",
            (
                "Per endpoint, including cables of endpoints, on "
                f"{'the standard floor' if found.floor is None else 'the floor of the manifest'}.",
            ),
            tuple(_bars(found, names, [*COSTS])),
        ),
        *([racks_and_bills(drawn, made, remarks)] if drawn else []),
        Section(
            "Throughput",
            (
                "Fraction of the endpoints' rate. A bar ranges from a certified achievable throughput to a certified "
                "upper bound, over all seeds; a dot without a bar is exact. The saturation is simulated: its bar spans "
                "minimum and maximum over the seeds. Selectors without adaptation reach the throughput of the even "
                "split; adaptive selectors approach that of the best split.",
            ),
            (_brackets(found, names),),
        ),
        Section("Completion times", (f"Every message has {found.bytes}.",), tuple(_bars(found, names, _times(found)))),
        Section(
            "Failures",
            (
                "Each line connects the intact network, the network without 5% of its cables after rerouting (few "
                "entries change), and the same damaged network with a new routing (many entries change). The "
                "shade spans minimum and maximum over the seeds.",
            ),
            tuple(_failures(found, names)),
        ),
    ]
    more = [
        ("measured by", f"tulle {found.tulle}"),
        (
            "seeds",
            f"{found.seed} to {found.seed + found.seeds - 1}; fabrics and the routings shown here use {found.seed}",
        ),
        ("price list", prices.title),
        ("transport", found.transport),
        ("selector", found.selector),
        ("message size", found.bytes),
        ("rate of links of unknown rate", found.rate),
    ]
    title = f"Comparison of {len(found.entrants)} networks"
    return Page(title, tuple(_summary(found)), tuple(sections), manifest(INPUT.command, path, drawn, more))


def _fabric(path: Path, of: _Entrant, seed: int) -> Fabric:
    check_files_of(path, of.fabric)
    fabric = Fabric(of.fabric, seed)
    sizes = (fabric.num_endpoints, fabric.num_switches, fabric.num_cables)
    check_unchanged(path, fabric, of.fingerprint, sizes == (of.endpoints, of.switches, of.cables))
    return fabric


def _summary(found: Comparison) -> Iterator[str]:
    sizes = listed(
        f"{name} is {of.fabric} ({of.endpoints:,} endpoints, {of.switches:,} switches, {of.cables:,} cables between "
        "switches)"
        for name, of in zip(_NAMES, found.entrants, strict=False)
    )
    yield f"{sizes}."
    rows = {row.name: row for row in found.rows}
    for name, phrase in _SUMMARY.items():
        row = rows.get(name)
        if row is None or not row.winners:
            continue
        unit = found.currency if name == "cost_per_endpoint" else _UNITS.get(name, "")
        yield _sentence(row, phrase, unit)
    worst = listed(f"{of.worst_permutation} for {name}" for name, of in zip(_NAMES, found.entrants, strict=False))
    yield f"The worst permutation found is {worst}."
    if (floor := own_floor(found.floor)) is not None:
        yield floor
    if found.left_out:
        yield f"Values that could not be measured: {'; '.join(found.left_out)}."
    for line in found.notes:
        yield f"Note: {line}."


def _sentence(row: _Row, phrase: str, unit: str) -> str:
    """Return a sentence: which network is best in a row, by how much, and whether the difference is clear."""

    def value(at: int) -> str:
        band = row.bands[at]
        assert band is not None
        return f"{number(band.median)} {unit}".rstrip()

    if len(row.winners) > 1:
        several = listed(_NAMES[at] for at in row.winners)
        return f"{several} are equal: each {phrase} ({value(row.winners[0])})."
    best = row.winners[0]
    others = [(band.median, at) for at, band in enumerate(row.bands) if band is not None and at != best]
    if not others:
        return f"{_NAMES[best]} {phrase} ({value(best)}); no other network could be measured."
    median, second = (min if row.better == "low" else max)(others)
    band = row.bands[best]
    assert band is not None
    share = (median - band.median) / band.median if band.median else 0.0
    gap = f" ({percent(abs(share))} {'more' if share > 0 else 'less'})" if share else ""
    close = "" if row.apart else "; the difference is not clear"
    return f"{_NAMES[best]} {phrase}: {value(best)}; {_NAMES[second]} follows with {value(second)}{gap}{close}."


def _conditions(found: Comparison) -> str:
    many = f"medians over {found.seeds} seeds, with minimum and maximum in parentheses"
    return (
        f"Values are {many if found.seeds > 1 else 'those of one seed'}. The last column names the network with the "
        "best value. ~ means that this network is not clearly better than another: their ranges overlap or are closer "
        "than the wider range is wide, fewer than three seeds were measured, several networks have the best value, or "
        "a note says that its racks are filled in the order of switch ids."
    )


def _entrants(found: Comparison) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (name, of.fabric, of.endpoints, of.switches, of.cables, of.radix, of.ports_bought, of.ports_used, of.routing)
        for name, of in zip(_NAMES, found.entrants, strict=False)
    ]
    heads = ("endpoints", "switches", "cables between switches", "radix", "ports bought", "ports used")
    columns = (
        Column(""),
        Column("network", "code"),
        *(Column(head, "number") for head in heads),
        Column("routing", "code"),
    )
    return Table("Networks", columns, tuple(rows))


def _card(found: Comparison) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for row in found.rows:
        best = "".join(_NAMES[at] for at in row.winners) + ("" if row.apart or not row.winners else " ~")
        head = f"{row.head} ({found.currency})" if row.name == "cost_per_endpoint" else row.head
        # Costs do not depend on the seed, so they are computed once, not once per seed.
        seeds = 1 if row.name in COSTS else found.seeds
        rows.append((head, row.better, *(_cell(band, seeds) for band in row.bands), best or "–"))
    heads = [Column(_NAMES[at]) for at in range(len(found.entrants))]
    return Table("All metrics", (Column("metric"), Column("better"), *heads, Column("best")), tuple(rows))


def _cell(band: _Band | None, seeds: int) -> str:
    if band is None:
        return "–"
    words = [] if band.low == band.high else [f"{number(band.low)} to {number(band.high)}"]
    words += [] if band.seeds == seeds else [f"{band.seeds} of {seeds} seeds"]
    return number(band.median) + (f" ({', '.join(words)})" if words else "")


def _bars(found: Comparison, names: list[str], wanted: list[str]) -> Iterator[Chart]:
    """Return a bar chart for each row."""
    for row in found.rows:
        if row.name in wanted and any(row.bands):
            yield Chart(
                "bars",
                row.head,
                tuple(
                    {"name": name, "value": band.median, "low": band.low, "high": band.high}
                    for name, band in zip(names, row.bands, strict=True)
                    if band is not None
                ),
                f"{row.head}{f' in {found.currency}' if row.name == 'cost_per_endpoint' else ''}; "
                f"{'lower' if row.better == 'low' else 'higher'} is better",
            )


def _times(found: Comparison) -> list[str]:
    return [row.name for row in found.rows if row.name.endswith("_us") and not row.name.startswith("failed")]


def _brackets(found: Comparison, names: list[str]) -> Chart:
    """Return the chart of throughputs. The true value can exceed a measured value by at most the fraction `slack`."""
    rows: list[dict[str, Cell]] = []
    for row in found.rows:
        if row.name in (*THROUGHPUTS, "saturation"):
            slack = THROUGHPUTS[row.name].slack if row.name in THROUGHPUTS else 0.0
            rows += [
                {
                    "group": row.head,
                    "name": name,
                    "value": band.median,
                    "low": band.low,
                    "high": band.high * (1 + slack),
                }
                for name, band in zip(names, row.bands, strict=True)
                if band is not None
            ]
    return Chart("ranges", "Throughput of the intact networks", tuple(rows), "fraction of the endpoints' rate")


_STATES = {"": "intact", "failed_": "5% failed, rerouted", "failed_anew_": "5% failed, routed anew"}


def _failures(found: Comparison, names: list[str]) -> Iterator[Chart]:
    rows = {row.name: row for row in found.rows}
    for name, row in rows.items():
        if f"failed_{name}" not in rows:
            continue
        # Rows that do not depend on the routing have no value for a new routing.
        routed = f"failed_anew_{name}" in rows
        points: list[dict[str, Cell]] = [
            {
                "name": fabric,
                "x": state if routed else state.partition(",")[0],
                "value": band.median,
                "low": band.low,
                "high": band.high,
            }
            for prefix, state in _STATES.items()
            if prefix + name in rows
            for fabric, band in zip(names, rows[prefix + name].bands, strict=True)
            if band is not None
        ]
        if points:
            yield Chart("curves", row.head, tuple(points), "", row.head, options={"ordinal": True})


INPUT = Input(
    command="tulle compare --json",
    keys=("entrants", "rows", "left_out"),
    model=Comparison,
    page=page,
)
