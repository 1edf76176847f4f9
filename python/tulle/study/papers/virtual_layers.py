"""The measurement `virtual-layers`: the number of virtual layers of a Flattened Clos (Flattened Clos Fig. 5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import numpy as np

from tulle import _tulle
from tulle.columns import Columns
from tulle.errors import InputError
from tulle.metric import Metric
from tulle.study.measurements.parameters import Parameters, Spec
from tulle.study.measurements.registry import Advance, Measurement, Rows

if TYPE_CHECKING:
    from pathlib import Path


class Layered(Parameters):
    """A Flattened Clos."""

    fabric: Annotated[str, Spec("fabrics")]
    """the fabric; without layers= it has the minimum number of virtual layers (Flattened Clos eq. 4)"""


def resolve(parameters: Layered) -> Layered:
    """Return the parameters with the canonical fabric, whose spec gives the cables between layers."""
    return parameters.model_copy(update=parameters.canonical_specs())


def inputs(_parameters: Layered) -> list[Path]:
    """Return no files."""
    return []


def measure(parameters: Layered, _seed: int, advance: Advance) -> Rows:
    """Read the layers from the canonical spec; no fabric is built."""
    advance(0.0)
    name, arguments = _tulle.split_spec(parameters.fabric)
    degrees = dict(arguments).get("degrees")
    if name != "flattenedclos" or degrees is None:
        raise InputError(f"'{parameters.fabric}' has no virtual layers; legal: flattenedclos")
    layers = len(degrees.split("x")) + 1
    return Rows(Columns({"layers": np.array([layers])}), {"layers": layers}, {})


MEASUREMENT = Measurement(
    name="virtual-layers",
    example={"fabric": "flattenedclos:switches=30,ports=12"},
    summary="the virtual layers of a Flattened Clos; k_min if the spec gives no number of layers",
    paper="Flattened Clos §3.2.3, eq. 4, Fig. 5",
    parameters=Layered,
    resolve=resolve,
    inputs=inputs,
    measure=measure,
    figures=(Metric("layers", "virtual layers"),),
    note="k_min: the fewest layers with which all pairs of switches are likely to have a common ancestor (Flattened "
    "Clos eq. 4).",
    rows_file="layers.csv",
)
