"""The measurement `flit-saturation`: the saturation load of a flit simulation, by two criteria."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from pydantic import Field

import tulle
from tulle.columns import Columns
from tulle.flit.notes import layer_notes
from tulle.metric import Metric
from tulle.study.measurements.flit import OpenLoop, inputs, resolved
from tulle.study.measurements.registry import Advance, Measurement, Rows

if TYPE_CHECKING:
    from tulle.flit.outcome import FlitProgress


class FlitSaturation(OpenLoop):
    """The parameters of `flit` except the load, and the resolution of the search by latency."""

    precision: float = Field(default=0.01, gt=0, le=1)
    """resolution of the search for the highest load at which no mean latency exceeds 500 cycles"""


def resolve(parameters: FlitSaturation) -> FlitSaturation:
    """Return the parameters with canonical specs."""
    return parameters.model_copy(update=resolved(parameters))


def measure(parameters: FlitSaturation, seed: int, advance: Advance) -> Rows:
    """Build and route the fabric, and search the saturation load by each of the two criteria, with one seed."""

    def show(_: FlitProgress) -> None:
        advance(0.5)

    advance(0.0)
    fabric, routing = parameters.build(seed)
    found = tulle.saturation(
        fabric,
        routing,
        parameters.traffic,
        precision=parameters.precision,
        seed=seed,
        progress=show,
        **parameters.settings(),
    )
    table = Columns({"accepted": np.array([found.accepted]), "by_latency": np.array([found.by_latency])})
    figures = {"accepted": found.accepted, "by_latency": found.by_latency}
    notes = layer_notes(routing, parameters.selector)
    return Rows(table, figures, {"runs": found.runs}, (*fabric.warnings, *notes, *found.warnings))


MEASUREMENT = Measurement(
    name="flit-saturation",
    example={"fabric": "clique:degree=3,p=1", "routing": "minimal", "warmup": 100, "window": 300, "precision": 0.2},
    summary="the saturation load of a flit simulation, by two criteria",
    paper="Kathareios et al. (SC15) §4.3",
    parameters=FlitSaturation,
    resolve=resolve,
    inputs=inputs,
    measure=measure,
    figures=(
        Metric("accepted", "accepted at offered 1.0"),
        Metric("by_latency", "load with mean latency up to 500 cycles"),
    ),
    note="Loads in flits per cycle and sending endpoint. Load with mean latency up to 500 cycles: the highest offered "
    "load at which no mean latency exceeds 500 cycles; the parameter saturation decides which mean.",
    rows_file="saturation.csv",
)
