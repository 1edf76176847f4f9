"""Export a plan as plain CSV: tables of cables, labels and port maps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle._internal.text import csv_row
from tulle.cabling.exports.model import Export
from tulle.design.bill import cable_item

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tulle.cabling.plan import End, Plan
    from tulle.design.prices import Prices

_CABLES = "cable,step,colour,from,from_port,from_rack,from_unit,to,to_port,to_rack,to_unit,length_mm,medium,rate_bps"
_LABELS = "cable,end,device,port,rack,unit,other_device,other_port,other_rack,other_unit,colour,text"
_JOINS = "device,rack,unit,port,to_port,ways,from,from_port,to,to_port_of_switch"


def files(plan: Plan) -> dict[str, str]:
    """Return the table of cables."""
    return {"cables.csv": cables(plan)}


def cables(plan: Plan, prices: Prices | None = None) -> str:
    """Return a table of the cables in the order of wiring, numbered from 1.

    With `prices`, the last column has the item of the price list for each cable, as in the bill.
    """
    rows = [
        (
            *(number, plan.steps[cable.step].name, plan.steps[cable.step].colour),
            *_end(plan, cable.ends[0]),
            *_end(plan, cable.ends[1]),
            *(cable.length, cable.medium, "" if cable.rate is None else cable.rate),
            *(() if prices is None else (" ".join(cable_item(prices, cable.length, bool(cable.is_copper))),)),
        )
        for number, cable in enumerate(plan.cables, 1)
    ]
    return table(_CABLES if prices is None else f"{_CABLES},item", rows)


def labels(plan: Plan) -> str:
    """Return a table of labels. Every cable has two labels, one for each plug."""
    rows = []
    for number, cable in enumerate(plan.cables, 1):
        for name, here, there in (("A", *cable.ends), ("B", *cable.ends[::-1])):
            place, far = plan.device[here[0]], plan.device[there[0]]
            text = (
                f"{number}{name} {place.rack} U{place.unit} {here[0]}:{here[1]} > "
                f"{far.rack} U{far.unit} {there[0]}:{there[1]}"
            )
            colour = plan.steps[cable.step].colour
            rows.append((number, name, *here, place.rack, place.unit, *there, far.rack, far.unit, colour, text))
    return table(_LABELS, rows)


def port_maps(plan: Plan) -> str:
    """Return the port maps of optical switches and patch panels.

    Each row names two ports that the device connects, and the two switch ports at the other ends of their cables.
    """
    rows = []
    for join in plan.joins:
        place = plan.device[join.device]
        ends = [plan.other((join.device, port)) or ("", "") for port in (join.enter, join.leave)]
        ways = "both" if join.duplex else "one"
        rows.append((join.device, place.rack, place.unit, join.enter, join.leave, ways, *ends[0], *ends[1]))
    return table(_JOINS, rows)


def table(head: str, rows: Iterable[Iterable[object]]) -> str:
    """Return a CSV table with a header and rows."""
    return "".join(f"{line}\n" for line in (head, *map(csv_row, rows)))


def _end(plan: Plan, end: End) -> tuple[str, str, str, int]:
    device = plan.device[end[0]]
    return (*end, device.rack, device.unit)


EXPORT = Export(
    name="csv",
    summary="plain CSV: a row per cable, in the order of wiring",
    paper="none",
    limitations="`tulle cabling plan` always writes this file, at the top level of the plan's folder.",
    examples=("cables.csv",),
    files=files,
    suffixes=(".csv",),
    readers="",
)
