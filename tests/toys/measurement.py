"""The measurement `toy`: the sum of a given number and the seed."""

from __future__ import annotations

import numpy as np
from pydantic import Field

from tulle.columns import Columns
from tulle.metric import Metric
from tulle.study.measurements.parameters import Parameters
from tulle.study.measurements.registry import Measurement, Rows


class Toy(Parameters):
    """Parameters of the measurement `toy`."""

    number: int = Field(default=2, ge=0, le=9)
    """the number"""


MEASUREMENT = Measurement(
    name="toy",
    example={"number": 7},
    summary="a number, plus the seed",
    paper="none",
    parameters=Toy,
    resolve=lambda parameters: parameters,
    inputs=lambda _: [],
    measure=lambda parameters, seed, _: Rows(
        Columns({"seed": np.array([seed])}), {"number": parameters.number + seed}, {}
    ),
    figures=(Metric("number", "number"),),
    note="For tests.",
    rows_file="seeds.csv",
)
