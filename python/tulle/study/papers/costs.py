"""The measurement `costs`: parts and cost of a Flattened Clos and of the Clos it is compared with, in closed form.

Source: Flattened Clos App. A.4.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from tulle.columns import Columns
from tulle.design.floor import read_floor
from tulle.design.prices import read_prices
from tulle.metric import Metric
from tulle.study.measurements.parameters import InputFile, Parameters
from tulle.study.measurements.registry import Advance, Measurement, Rows
from tulle.study.papers.flattened_clos import estimate_clos, estimate_flattened_clos


class Costs(Parameters):
    """The arguments of `estimate_flattened_clos` and `estimate_clos`."""

    network: Literal["flattened-clos", "clos"]
    """the Flattened Clos, or the Clos it is compared with"""
    servers: int = Field(ge=1, le=1 << 24)
    """number of servers (H in the paper)"""
    servers_per_tor: int = Field(ge=1, le=1023)
    """number of servers per ToR switch (h in the paper)"""
    radix: int = Field(default=32, ge=4, le=1024)
    """ports of a switch"""
    floor: Annotated[str | None, InputFile(".toml")] = None
    """spacing, for example column=2m,row=1m; or the name of a floor, or a .toml file; default: the included floor that
    has the name of the network"""
    prices: Annotated[str, InputFile(".toml")] = "flattened-clos-400gbe"
    """a price list by its name, or a .toml file"""


def resolve(parameters: Costs) -> Costs:
    """Return the parameters with the floor in canonical form. Read the price list, so that its errors show early."""
    read_prices(parameters.prices)
    floor = parameters.network if parameters.floor is None else parameters.floor
    return parameters.model_copy(update={"floor": read_floor(floor)})


def inputs(parameters: Costs) -> list[Path]:
    """Return the price list if it is a file."""
    return [Path(parameters.prices)] if parameters.prices.endswith(".toml") else []


def costs(parameters: Costs, _seed: int, advance: Advance) -> Rows:
    """The closed forms, priced."""
    advance(0.0)
    make = estimate_flattened_clos if parameters.network == "flattened-clos" else estimate_clos
    floor = parameters.floor or parameters.network
    found = make(parameters.servers, parameters.servers_per_tor, parameters.radix, floor=floor)
    bill = found.bill(parameters.prices)
    figures = {
        "switches": found.switches,
        "optical_switches": found.items.devices,
        "copper_km": found.copper_km,
        "fibre_km": found.fibre_km,
        "transceivers": found.transceivers,
        "cost_millions": bill.cost / 1e6,
        "bisection": found.bisection,
        "layers": found.layers,
    }
    columns, count = bill.columns, bill.columns["count"]
    # Some estimated counts are means and need fractions. If all counts are whole, store integers.
    whole = count.astype(np.int64)
    table = {
        "item": columns["item"],
        "size": columns["size"],
        "count": whole if (whole == count).all() else count,
        **{f"{name}_{bill.currency}": columns[name] for name in ("unit_cost", "cost")},
    }
    return Rows(Columns(table), figures, {"rows": len(bill.rows)})


MEASUREMENT = Measurement(
    name="costs",
    example={"network": "clos", "servers": 2400, "servers_per_tor": 16},
    summary="parts and cost of a Flattened Clos, or of the Clos it is compared with",
    paper="Flattened Clos App. A.4, Tables 3 to 5",
    parameters=Costs,
    resolve=resolve,
    inputs=inputs,
    measure=costs,
    figures=(
        Metric("switches", "switches"),
        Metric("optical_switches", "optical switches", usually_zero=True),
        Metric("copper_km", "copper, km"),
        Metric("fibre_km", "fibre, km"),
        Metric("transceivers", "transceivers"),
        Metric("cost_millions", "cost, millions"),
        Metric("bisection", "bisection, links", usually_zero=True),
        Metric("layers", "layers of switches", on_request=True),
    ),
    note="Closed forms; no fabric is built. The bisection of Flattened Clos has no closed form.",
    rows_file="bill.csv",
)
