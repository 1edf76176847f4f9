"""Sections that several kinds of reports share: the networks, their racks and their bills of materials."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING

import numpy as np

from tulle._internal.text import are
from tulle.design.placement import place
from tulle.errors import InputError
from tulle.plot.sheet import available, save
from tulle.report_html.model import Cell, Chart, Column, Drawing, Picture, Section, Table
from tulle.report_html.network import CHARACTERS, described
from tulle.report_html.routes import fitting
from tulle.report_html.wording import number

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from tulle.design.bill import Bill
    from tulle.design.placement import Layout
    from tulle.design.prices import Prices
    from tulle.fabric import Fabric
    from tulle.report_html.inputs.model import Settings
    from tulle.report_html.model import Part
    from tulle.routing.routing import Routing

# A table of racks with more rows than this is hidden until the reader opens it.
_ROWS = 12


@dataclass(frozen=True)
class Network:
    """A network of a report."""

    name: str
    """The network's name in the report, for example ``A``."""
    fabric: Fabric
    layout: Layout
    routing: Routing | None

    @property
    def short(self) -> str:
        """Name and family, for charts."""
        return f"{self.name} {self.fabric.family}".lstrip()

    @property
    def title(self) -> str:
        """Name and spec."""
        return f"{self.name} · {self.fabric.spec}" if self.name else self.fabric.spec


def network(
    name: str,
    fabric: Fabric,
    routing: Routing | None,
    seed: int,
    floor: str | None = None,
    layout: Layout | None = None,
) -> Network:
    """Place a fabric in racks as ``tulle layout`` does, unless its layout is given."""
    return Network(name, fabric, place(fabric, floor, seed=seed) if layout is None else layout, routing)


def explorer(networks: Sequence[Network], settings: Settings, left_out: int = 0) -> Section:
    """Return the section in which readers explore the networks; `left_out` networks of the result are not drawn."""
    routed = [each.routing for each in networks if each.routing is not None]
    forwarding = iter(fitting(routed, CHARACTERS // settings.results))
    drawings = []
    for at, each in enumerate(networks):
        if settings.progress is not None:
            settings.progress(at, len(networks))
        data = described(
            each.fabric,
            each.layout,
            each.routing,
            forwarding=None if each.routing is None else next(forwarding),
            cables_to_cut=settings.cuts,
        )
        drawings.append(Drawing(each.title, data))
    text = [
        "Drag to move. Zoom with the buttons, with the wheel and Ctrl, or with the keys + and −; 0 shows everything. "
        "Select a switch to see its "
        "cables. Select a second switch to see the paths between the two, layer by layer. Cut a cable to see which "
        "paths break and what the routing does. In the tables beside a drawing, arrow keys move between the buttons."
    ]
    if left_out:
        text.append(f"{are(left_out, 'further network')} not drawn; --networks draws more.")
    return Section("Networks", tuple(text), tuple(drawings))


def bills(
    networks: Iterable[Network], prices: Prices | None, switch: str | None
) -> tuple[list[Bill | None], list[str]]:
    """Return the bill of every network, None where there is none, and lines of text that say why."""
    if prices is None:
        return [None for _ in networks], ["This result has no price list, so it has no bill; --prices LIST adds bills."]
    missing: list[str] = []

    def bill(layout: Layout) -> Bill | None:
        try:
            return layout.bill(prices, switch)
        except InputError as error:
            missing.append(f"No bill of {layout.fabric.spec}: {error}.")
            return None

    return [bill(each.layout) for each in networks], missing


def racks_and_bills(networks: Sequence[Network], made: Sequence[Bill | None], remarks: Sequence[str] = ()) -> Section:
    """Return the section with floor plans, racks, cables and bills; None instead of a bill leaves it out."""
    parts: list[Part] = []
    costs: list[dict[str, Cell]] = []
    text = ["Cable lengths include the slack that the floor defines.", *remarks]
    if not available():
        text.append("Floor plans need matplotlib; install tulle[plot].")
    for each, bill in zip(networks, made, strict=True):
        plan = floor_plan(each.layout)
        pictures = [Picture(f"Floor plan of {each.title}", plan)] if plan else []
        parts += [*pictures, rack_table(each), cable_table(each)]
        text += [f"{each.fabric.spec}: {line}." for line in each.layout.notes]
        if bill is not None:
            parts += bill_tables(each.title, bill)
            costs += [{"name": each.short, "part": item, "value": cost} for item, _, cost, _ in by_item(bill)]
            text += _remarks(each.fabric.spec, bill)
    known = [bill for bill in made if bill is not None]
    if known:
        chart = Chart("bars", "Cost by item", tuple(costs), f"cost in {known[0].currency}", note=known[0].prices)
        parts.insert(0, chart)
    return Section("Racks and bill", tuple(dict.fromkeys(text)), tuple(parts))


def floor_plan(layout: Layout) -> str:
    """Return the floor plan as an SVG element; empty without matplotlib, which ``tulle[plot]`` installs."""
    if not available():
        return ""
    from tulle.plot.picture import quiet

    file = BytesIO()
    # Text is not converted to outlines, because text is smaller and screen readers can read it.
    with quiet({"svg.fonttype": "none"}):
        save(layout.plot(), file, ".svg")
    text = file.getvalue().decode()
    return text[text.index("<svg") :]


def rack_table(network: Network) -> Table:
    """Return a row per rack."""
    layout = network.layout
    held = [
        np.bincount(racks, minlength=len(layout.racks)).tolist()
        for racks in (layout.switch_rack, layout.endpoint_rack, layout.device_rack)
    ]
    columns, rows = layout.rack_places.T.tolist()
    heads = ["column", "row", "switches", "endpoints", "devices"]
    # Most layouts have no devices.
    shown = [columns, rows, *held] if any(held[2]) else [columns, rows, *held[:2]]
    table: list[tuple[Cell, ...]] = [(name, *cells) for name, *cells in zip(layout.racks, *shown, strict=True)]
    return Table(
        f"Racks of {network.title}",
        (Column("rack"), *(Column(head, "number") for head in heads[: len(shown)])),
        tuple(table),
        folded=len(table) > _ROWS,
    )


def cable_table(network: Network) -> Table:
    """Return a row per kind and medium of cables."""
    layout = network.layout
    kinds: list[tuple[str, NDArray[np.int64], NDArray[np.bool_]]] = [
        ("to endpoints", layout.endpoint_length, layout.endpoint_copper)
    ]
    if layout.circuits is None:
        kinds.insert(0, ("between switches", layout.cable_length, layout.cable_copper))
    else:
        switch, _, device, _ = layout.device_cables
        kinds.insert(0, ("to devices", layout.device_length[switch, device], np.zeros(len(switch), np.bool_)))
    rows: list[tuple[Cell, ...]] = []
    for kind, lengths, copper in kinds:
        for medium, of in (("copper", lengths[copper]), ("fibre", lengths[~copper])):
            if len(of):
                metres = of / 1000
                rows.append(
                    (kind, medium, len(of), *(float(f(metres)) for f in (np.min, np.mean, np.max)), float(metres.sum()))
                )
    heads = ("count", "shortest in m", "mean in m", "longest in m", "total in m")
    columns = (Column("cables"), Column("medium"), *(Column(head, "number") for head in heads))
    return Table(f"Cables of {network.title}", columns, tuple(rows))


def by_item(bill: Bill) -> list[tuple[str, float, float, float | None]]:
    """Return for each kind of item its name, count, cost and watts; watts are None if the price list has no power."""
    found: dict[str, list[tuple[float, float, float | None]]] = defaultdict(list)
    for row in bill.rows:
        watts = None if row.unit_watts is None else row.count * row.unit_watts
        found[row.item].append((row.count, row.cost, watts))
    return [
        (
            item,
            sum(count for count, _, _ in rows),
            sum(cost for _, cost, _ in rows),
            None if all(watts is None for *_, watts in rows) else sum(watts or 0.0 for *_, watts in rows),
        )
        for item, rows in found.items()
    ]


def bill_tables(title: str, bill: Bill) -> list[Table]:
    """Return a table of the bill by kind of item, and a table of all rows of the bill."""
    summary: list[tuple[Cell, ...]] = [
        (item, count, cost, cost / bill.cost if bill.cost else None, watts)
        for item, count, cost, watts in by_item(bill)
    ]
    summary.append(("total", None, bill.cost, 1.0, bill.watts))
    currency = bill.currency
    each = "" if bill.cost_per_endpoint is None else f"{number(bill.cost_per_endpoint)} {currency} per endpoint; "
    note = f"{each}{bill.ports_bought:,} ports bought, {bill.ports_used:,} used; prices: {bill.prices}"
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (row.item, row.size, row.count, row.unit_cost, row.cost, row.unit_watts, row.source) for row in bill.rows
    )
    columns = ("count", f"{currency} each", currency, "W each")
    return [
        Table(
            f"Bill of {title}",
            (
                Column("item"),
                Column("count", "number"),
                Column(currency, "number"),
                Column("share", "percent"),
                Column("W", "number"),
            ),
            tuple(summary),
            note,
        ),
        Table(
            f"Every row of the bill of {title}",
            (Column("item"), Column("size"), *(Column(head, "number") for head in columns), Column("source")),
            rows,
            folded=True,
        ),
    ]


def _remarks(spec: str, bill: Bill) -> list[str]:
    found = []
    if bill.as_fibre:
        found.append(
            f"{spec}: {are(round(bill.as_fibre), 'cable')} longer than all copper cables of the price list, "
            "so fibre is bought instead."
        )
    if bill.without_nics:
        found.append(f"{spec}: the price list has no adapters (NICs) of hosts, so costs leave them out.")
    if bill.without_watts:
        found.append(f"{spec}: the price list has no power of {', '.join(bill.without_watts)}.")
    if bill.example:
        found.append(
            f"The prices '{bill.prices}' are an example. Copy the list with `tulle prices new`, enter your quotes, and "
            "delete its line `example = true`."
        )
    return found


def size_table(networks: Iterable[Network]) -> Table:
    """Return a row per network with its size."""
    rows: list[tuple[Cell, ...]] = [
        (
            each.name,
            each.fabric.spec,
            each.fabric.num_endpoints,
            each.fabric.num_switches,
            each.fabric.num_cables,
            each.fabric.radix,
            each.fabric.diameter,
            each.fabric.average_path_length,
            None if each.routing is None else each.routing.spec,
        )
        for each in networks
    ]
    heads = ("endpoints", "switches", "cables between switches", "radix", "diameter", "average path")
    columns = (
        Column(""),
        Column("network", "code"),
        *(Column(head, "number") for head in heads),
        Column("routing", "code"),
    )
    return Table("Networks of this report", columns, tuple(rows))
