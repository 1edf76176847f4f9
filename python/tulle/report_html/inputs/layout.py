"""The report of ``tulle layout --json``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle._internal.text import counted
from tulle.design.bill import Bill, BillRow
from tulle.design.placement import place
from tulle.design.prices import read_prices
from tulle.design.through import PORTS
from tulle.fabric import Fabric
from tulle.report_html.damage import damaged
from tulle.report_html.document import Page
from tulle.report_html.inputs.model import Document, Input, Settings
from tulle.report_html.manifest import manifest
from tulle.report_html.model import Column, Section, Table
from tulle.report_html.networks import bills, explorer, network, racks_and_bills, size_table
from tulle.report_html.unchanged import check_files_of, check_unchanged
from tulle.report_html.wording import number, own_floor
from tulle.routing.routing import route

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_ROUTING = "minimal"


class _Row(Document):
    item: str
    size: str
    count: float
    unit_cost: float
    unit_watts: float | None
    source: str


class _Bill(Document):
    prices: str
    currency: str
    rows: tuple[_Row, ...]
    ports_bought: int
    ports_used: int
    copper_as_fibre: int
    example: bool


class _Power(Document):
    hosts: int
    watts: float
    network_watts: float
    least_watts_per_rack: float
    mean_watts_per_rack: float
    most_watts_per_rack: float
    cooling_tons: float
    rack_watts: tuple[float, ...]


class _Options(Document):
    parts: str | None
    through: str | None
    ports: int | None


class Placed(Document):
    """What ``tulle layout --json`` writes."""

    fabric: str
    seed: int
    faults: tuple[str, ...]
    floor: str
    racks: int
    switches: int
    endpoints: int
    options: _Options
    bill: _Bill | None = None
    power: _Power | None = None
    fingerprint: str | None = None
    tulle: str


def page(path: Path, found: Placed, settings: Settings) -> Page:
    """Make the report of a layout."""
    check_files_of(path, found.fabric)
    fabric = damaged(Fabric(found.fabric, found.seed), found.faults)
    options = found.options
    ports = PORTS if options.ports is None else options.ports
    layout = place(fabric, found.floor, parts=options.parts, through=options.through, ports=ports, seed=found.seed)
    sizes = (len(layout.racks), fabric.num_switches, fabric.num_endpoints)
    check_unchanged(path, fabric, found.fingerprint, sizes == (found.racks, found.switches, found.endpoints))
    spec = _ROUTING if settings.routing is None else settings.routing
    drawn = [network("", fabric, route(fabric, spec, found.seed), found.seed, layout=layout)]
    if settings.prices is not None or found.bill is None:
        made, remarks = bills(drawn, None if settings.prices is None else read_prices(settings.prices), None)
    else:
        made, remarks = [_bill(found.bill, found.endpoints)], []
    sections = [
        Section("Network", (), (size_table(drawn),)),
        racks_and_bills(drawn, made, remarks),
        *([_power(found.power, layout.racks)] if found.power is not None else []),
        *([explorer(drawn, settings)] if settings.networks else []),
    ]
    more = [
        ("measured by", f"tulle {found.tulle}"),
        ("routing shown", f"{spec}, because a layout does not include a routing"),
        ("devices", options.through),
        ("parts", options.parts),
        ("price list", None if made[0] is None else made[0].prices),
    ]
    summary = tuple(_summary(found, made[0]))
    return Page(f"Layout of {found.fabric}", summary, tuple(sections), manifest(INPUT.command, path, drawn, more))


def _summary(found: Placed, bill: Bill | None) -> Iterator[str]:
    yield (
        f"{counted(found.switches, 'switch', 'switches')} and {counted(found.endpoints, 'endpoint')} are in "
        f"{counted(found.racks, 'rack')}."
    )
    if (floor := own_floor(found.floor)) is not None:
        yield floor
    if bill is not None:
        each = "" if bill.cost_per_endpoint is None else f", {number(bill.cost_per_endpoint)} per endpoint"
        yield f"The network costs {number(bill.cost)} {bill.currency}{each} ({bill.prices})."
        yield f"{bill.ports_bought:,} switch ports are bought, {bill.ports_used:,} are used."
    if found.power is not None and found.power.watts:
        power = found.power
        yield f"The network needs {number(power.network_watts)} W."
        most = number(power.most_watts_per_rack)
        if power.watts > power.network_watts:
            hosts = counted(power.hosts, "host")
            yield f"With {hosts}, the power is {number(power.watts)} W, and a rack needs at most {most} W."
        else:
            yield f"Without hosts, a rack needs at most {most} W."


def _bill(found: _Bill, endpoints: int) -> Bill:
    rows = tuple(
        BillRow(row.item, row.size, row.count, row.unit_cost, row.unit_watts, row.source) for row in found.rows
    )
    return Bill(
        found.prices,
        found.currency,
        rows,
        endpoints,
        found.ports_bought,
        found.ports_used,
        found.copper_as_fibre,
        found.example,
    )


def _power(found: _Power, racks: tuple[str, ...]) -> Section:
    hosts = f"with {counted(found.hosts, 'host')}" if found.watts > found.network_watts else "without hosts"
    text = (
        f"The power is {number(found.watts)} W {hosts}; cooling needs {number(found.cooling_tons)} tons of "
        f"refrigeration. A rack needs {number(found.least_watts_per_rack)} to {number(found.most_watts_per_rack)} W, "
        f"{number(found.mean_watts_per_rack)} W on average."
    )
    rows = tuple(zip(racks, found.rack_watts, strict=False))
    return Section("Power", (text,), (Table("Power of each rack", (Column("rack"), Column("W", "number")), rows),))


INPUT = Input(command="tulle layout --json", keys=("fabric", "structure", "places"), model=Placed, page=page)
