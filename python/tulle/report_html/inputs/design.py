"""The report of ``tulle design --json``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle.design.prices import read_prices
from tulle.errors import FormatError
from tulle.fabric import Fabric
from tulle.report_html.document import Page
from tulle.report_html.inputs.model import Document, Input, Settings
from tulle.report_html.manifest import manifest
from tulle.report_html.model import Cell, Chart, Column, Section, Table
from tulle.report_html.networks import bills, explorer, network, racks_and_bills
from tulle.report_html.unchanged import check_costs, priced
from tulle.report_html.wording import number, own_floor
from tulle.routing.routing import route

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# Designs do not depend on a seed. Random families are built with this seed.
_SEED = 0
_ROUTING = "minimal"


class _Proposal(Document):
    fabric: str
    family: str
    endpoints: int
    switches: int
    cables: int
    radix: int
    diameter: int | None
    average_path_length: float | None
    all_to_all: float | None
    all_to_all_is: str
    all_to_all_lower: float | None
    all_to_all_upper: float | None
    ports_bought: int | None
    ports_used: int | None
    cost_per_endpoint: float
    cost_is: str
    watts_per_endpoint: float | None
    pareto: bool


class Designs(Document):
    """What ``tulle design --endpoints N --json`` writes."""

    endpoints: int
    least: int
    most: int
    radix: int
    price_list: str
    currency: str
    cable_m: float
    switch: str | None
    floor: str | None = None
    tried: int
    fitting: int
    proposals: tuple[_Proposal, ...]
    tulle: str


def page(path: Path, found: Designs, settings: Settings) -> Page:
    """Make the report of a design. The first networks of the file are drawn."""
    if not found.proposals:
        raise FormatError(f"{path}: no network fits; legal: a design with at least one network")
    prices = priced(path, found.price_list) if settings.prices is None else read_prices(settings.prices)
    routing = _ROUTING if settings.routing is None else settings.routing
    drawn = [
        network(str(at), fabric := Fabric(of.fabric, _SEED), route(fabric, routing, _SEED), _SEED, found.floor)
        for at, of in enumerate(found.proposals[: settings.networks], start=1)
    ]
    made, remarks = bills(drawn, prices, found.switch)
    if settings.prices is None:
        pairs = zip(made, found.proposals, strict=False)
        check_costs(path, ((bill, of.cost_per_endpoint) for bill, of in pairs if of.cost_is == "layout"))
    sections = [
        Section(
            "Networks found",
            (
                f"{found.fitting:,} of {found.tried:,} configurations have {found.least:,} to {found.most:,} endpoints "
                f"and fit switches of {found.radix} ports. A network is Pareto-optimal if no other "
                "network is as good in cost, all-to-all throughput and diameter, and better in one of them. A vertical "
                "line ranges from a certified achievable throughput to an upper bound; networks without a line have "
                "only the bound.",
            ),
            (_scatter(found), _table(found)),
        ),
        *([explorer(drawn, settings, len(found.proposals) - len(drawn))] if drawn else []),
        *([racks_and_bills(drawn, made, remarks)] if drawn else []),
    ]
    more = [
        ("measured by", f"tulle {found.tulle}"),
        ("endpoints", f"{found.endpoints:,} ({found.least:,} to {found.most:,})"),
        ("radix", str(found.radix)),
        ("price list", prices.title),
        ("assumed cable", f"{number(found.cable_m)} m"),
        ("routing shown", f"{routing}, because a design does not include a routing"),
    ]
    title = f"Networks for {found.endpoints:,} endpoints on switches of {found.radix} ports"
    return Page(title, tuple(_summary(found)), tuple(sections), manifest(INPUT.command, path, drawn, more))


def _summary(found: Designs) -> Iterator[str]:
    yield (
        f"{len(found.proposals)} of the {found.fitting:,} networks with {found.least:,} to {found.most:,} endpoints on "
        f"switches of {found.radix} ports are shown."
    )
    if (floor := own_floor(found.floor)) is not None:
        yield floor
    cheapest = min(found.proposals, key=lambda of: of.cost_per_endpoint)
    yield f"The cheapest: {_words(cheapest, found.currency)}."
    measured = [of for of in found.proposals if of.all_to_all is not None]
    if measured:
        yield f"The highest all-to-all throughput: {_words(max(measured, key=_carried), found.currency)}."
        best = max(measured, key=lambda of: _carried(of) / of.cost_per_endpoint)
        yield f"The highest all-to-all throughput per {found.currency}: {_words(best, found.currency)}."
    bounds = sum(of.all_to_all_lower is None for of in found.proposals)
    if bounds:
        yield f"{bounds} of {len(found.proposals)} networks are not certified: their throughput is a closed-form bound."
    estimates = sum(of.cost_is != "layout" for of in found.proposals)
    if estimates:
        yield f"{estimates} of {len(found.proposals)} costs are estimates without a layout."


def _carried(of: _Proposal) -> float:
    return of.all_to_all or 0.0


def _words(of: _Proposal, currency: str) -> str:
    carried = "" if of.all_to_all is None else f", all-to-all {number(of.all_to_all)} ({of.all_to_all_is})"
    return f"{of.fabric} with {of.endpoints:,} endpoints, {number(of.cost_per_endpoint)} {currency} each{carried}"


def _scatter(found: Designs) -> Chart:
    rows: list[dict[str, Cell]] = [
        {
            "name": of.fabric,
            "group": of.family,
            "x": of.cost_per_endpoint,
            "value": of.all_to_all,
            "low": of.all_to_all_lower,
            "high": of.all_to_all_upper,
            "mark": of.pareto,
        }
        for of in found.proposals
        if of.all_to_all is not None
    ]
    return Chart(
        "scatter",
        "Cost and all-to-all throughput",
        tuple(rows),
        f"{found.currency} per endpoint",
        "all-to-all throughput",
        "Filled symbols are Pareto-optimal.",
    )


def _table(found: Designs) -> Table:
    # The columns that decide come first, because a narrow window shows only these without scrolling.
    sizes = ("switches", "cables between switches", "radix", "diameter", "average path", "ports bought", "ports used")
    columns = (
        Column("network", "code"),
        Column("endpoints", "number"),
        Column(f"{found.currency} each", "number"),
        Column("W each", "number"),
        Column("all-to-all", "number"),
        Column("all-to-all is"),
        Column("Pareto-optimal"),
        *(Column(head, "number") for head in sizes),
        Column("at least", "number"),
        Column("at most", "number"),
        Column("cost is"),
        Column("family"),
    )
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            of.fabric,
            of.endpoints,
            of.cost_per_endpoint,
            of.watts_per_endpoint,
            of.all_to_all,
            of.all_to_all_is,
            of.pareto,
            of.switches,
            of.cables,
            of.radix,
            of.diameter,
            of.average_path_length,
            of.ports_bought,
            of.ports_used,
            of.all_to_all_lower,
            of.all_to_all_upper,
            of.cost_is,
            of.family,
        )
        for of in found.proposals
    )
    return Table("Networks found", columns, rows)


INPUT = Input(command="tulle design --endpoints N --json", keys=("proposals", "tried"), model=Designs, page=page)
