"""The measurement `edge-density`: cables per endpoint and radix (FatPaths Fig. 19), and total network load."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from pydantic import Field

import tulle
from tulle import _tulle
from tulle._arguments import canonical
from tulle.analysis.density import edge_density, total_network_load
from tulle.columns import Columns
from tulle.study.measurement import Advance, Figure, Links, Measurement, Parameters, Rows

if TYPE_CHECKING:
    from pathlib import Path


class EdgeDensity(Parameters):
    """The fabric."""

    fabric: str
    links: Links = Field(default=[])


def resolve(parameters: EdgeDensity) -> EdgeDensity:
    """The same with a canonical spec."""
    return parameters.model_copy(update={"fabric": canonical("fabrics", "fabric", parameters.fabric)})


def inputs(parameters: EdgeDensity) -> list[Path]:
    """The files that the fabric is read from."""
    from pathlib import Path

    return [Path(path) for path in _tulle.input_files(parameters.fabric)]


def measure(parameters: EdgeDensity, seed: int, _: Advance) -> Rows:
    """Builds the fabric under a seed and counts."""
    fabric = tulle.Fabric(parameters.fabric, seed, parameters.links)
    figures = {
        "endpoints": fabric.num_endpoints,
        "radix": fabric.radix,
        "diameter": fabric.diameter,
        "density": edge_density(fabric),
        "flows_per_endpoint": total_network_load(fabric) / fabric.num_endpoints,
    }
    table = {key: np.array([value]) for key, value in figures.items()}
    return Rows(Columns(table), figures, {})


MEASUREMENT = Measurement(
    name="edge-density",
    parameters=EdgeDensity,
    resolve=resolve,
    inputs=inputs,
    measure=measure,
    figures=(
        Figure("endpoints", "endpoints N"),
        Figure("radix", "radix k"),
        Figure("diameter", "diameter"),
        Figure("density", "cables / endpoint"),
        Figure("flows_per_endpoint", "total load / N"),
    ),
    note="All cables count, those of the endpoints too. Total network load: channels over mean hops.",
    rows_file="densities.csv",
)
