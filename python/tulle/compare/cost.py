"""Measure the rows about cost: price, cables, power, racks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle.compare.card import CardMetric
from tulle.design.placement import place
from tulle.errors import InputError

if TYPE_CHECKING:
    from tulle.design.bill import Bill
    from tulle.design.prices import Prices
    from tulle.fabric import Fabric

FLOOR = ("cost_per_endpoint", "watts_per_endpoint", "racks_per_1000_endpoints")
"""Metrics that depend on the racks of switches."""
METRICS = {
    "cost_per_endpoint": CardMetric("price per endpoint", "low"),
    "links_per_endpoint": CardMetric("links per endpoint", "low"),
    "watts_per_endpoint": CardMetric("W per endpoint", "low"),
    "racks_per_1000_endpoints": CardMetric("racks per 1,000 endpoints", "low"),
}


def measure(
    fabric: Fabric, prices: Prices, switch: str | None, seed: int, floor: str | None = None
) -> tuple[dict[str, float | None], Bill | None, list[str], list[str], bool]:
    """Return the cost metrics, the bill of materials, a line if values are missing (at most one), notes, and `by_id`.

    `by_id`: racks are filled in the order of switch ids, so another numbering of the switches has other costs.
    """
    placed = place(fabric, floor, seed=seed)
    told = filter(None, [*placed.notes, prices.other_rates(fabric)])
    notes = [f"{fabric.spec}: {note}" for note in told]
    by_id = placed.structure == "runs" and len(placed.racks) > 1
    if by_id:
        notes.append(
            f"{fabric.spec}: its family has no rack structure, so racks are filled in the order of switch ids; "
            "'tulle layout --parts metis' can find a cheaper layout"
        )
    # Every endpoint has one link to its switch. `cables_per_endpoint` in studies does not count it.
    each = (fabric.num_cables + fabric.num_endpoints) / fabric.num_endpoints
    racks = 1000 * len(placed.racks) / fabric.num_endpoints
    values: dict[str, float | None] = {"links_per_endpoint": each, "racks_per_1000_endpoints": racks}
    try:
        bill = placed.bill(prices, switch)
    except InputError as error:
        return values, None, [f"price and power of {fabric.spec}: {error}"], notes, by_id
    values["cost_per_endpoint"] = bill.cost_per_endpoint
    if bill.without_watts:
        missing = ", ".join(bill.without_watts)
        lacking = f"power of {fabric.spec}: the price list does not state the power of {missing}"
        return values, bill, [lacking], notes, by_id
    values["watts_per_endpoint"] = bill.watts / fabric.num_endpoints
    return values, bill, [], notes, by_id
