"""The measurement `virtual-updown`: edge-disjoint virtual up-down paths of random pairs (Flattened Clos Table 6)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import numpy as np
from pydantic import Field

from tulle._internal.arguments import input_files
from tulle.analysis.virtual_updown import virtual_updown_paths
from tulle.columns import Columns
from tulle.fabric import Fabric
from tulle.metric import Metric
from tulle.study.measurements.parameters import Parameters, Spec
from tulle.study.measurements.registry import Advance, Measurement, Rows

if TYPE_CHECKING:
    from pathlib import Path


class Sampled(Parameters):
    """The arguments of `tulle.analysis.virtual_updown_paths`. Fabric and pairs use the seed of the run."""

    fabric: Annotated[str, Spec("fabrics")]
    """a fabric with virtual layers"""
    pairs: int = Field(default=3000, ge=1, le=100_000_000)
    """number of random pairs of switches"""


def resolve(parameters: Sampled) -> Sampled:
    """Return the parameters with the canonical fabric."""
    return parameters.model_copy(update=parameters.canonical_specs())


def inputs(parameters: Sampled) -> list[Path]:
    """The files of the fabric."""
    return input_files(parameters.fabric)


def measure(parameters: Sampled, seed: int, advance: Advance) -> Rows:
    """Build the fabric, choose random pairs and count their paths."""
    advance(0.0)
    fabric = Fabric(parameters.fabric, seed=seed)
    advance(0.1)
    found = virtual_updown_paths(fabric, parameters.pairs, seed)
    paths, pairs = np.unique(found.count, return_counts=True)
    figures = {
        "paths": float(found.count.mean()),
        "mean_switches": found.mean_hops + 1,
        "fewest_paths": int(paths[0]),
    }
    table = Columns({"paths": paths.astype(np.int64), "pairs": pairs.astype(np.int64)})
    return Rows(table, figures, {"pairs": parameters.pairs})


MEASUREMENT = Measurement(
    name="virtual-updown",
    example={"fabric": "flattenedclos:switches=30,ports=12", "pairs": 20},
    summary="edge-disjoint virtual up-down paths of random pairs of switches",
    paper="Flattened Clos §3.2, Tables 1 and 6",
    parameters=Sampled,
    resolve=resolve,
    inputs=inputs,
    measure=measure,
    figures=(
        Metric("paths", "paths per pair"),
        Metric("mean_switches", "mean switches of a path"),
        Metric("fewest_paths", "fewest paths of a pair"),
    ),
    note="The values cover only random pairs, chosen with replacement; the minimum over all pairs can be lower.",
    rows_file="paths.csv",
)
