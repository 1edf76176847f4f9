"""The measurement `interference`: path interference of a fabric by both definitions (FatPaths Fig. 8)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import Field

import tulle
from tulle import _tulle
from tulle._arguments import canonical
from tulle.analysis.diversity import interference
from tulle.columns import Columns
from tulle.study.measurement import Advance, Distribution, Figure, Links, Measurement, Parameters, Rows

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray


class PathInterference(Parameters):
    """What is counted: interference at up to `hops` hops over `quadruples` drawn quadruples of switches."""

    fabric: str
    links: Links = Field(default=[])
    hops: int = Field(default=3, ge=1, le=64)
    quadruples: int = Field(default=5_000, ge=1, le=1 << 28)
    exact: bool = True
    """Whether the largest numbers of disjoint paths are counted too."""


def resolve(parameters: PathInterference) -> PathInterference:
    """The same with a canonical spec."""
    return parameters.model_copy(update={"fabric": canonical("fabrics", "fabric", parameters.fabric)})


def inputs(parameters: PathInterference) -> list[Path]:
    """The files that the fabric is read from."""
    from pathlib import Path

    return [Path(path) for path in _tulle.input_files(parameters.fabric)]


def measure(parameters: PathInterference, seed: int, advance: Advance) -> Rows:
    """Counts under one seed, which is that of the fabric and of the sample."""
    fabric = tulle.Fabric(parameters.fabric, seed, parameters.links)
    advance(0.0)
    figures: dict[str, float | int | None] = dict.fromkeys(figure.key for figure in MEASUREMENT.figures)
    greedy = interference(fabric, parameters.hops, "greedy", parameters.quadruples, seed)
    table = {**dict(zip("abcd", greedy.quadruples.T, strict=True)), "greedy": greedy.value}
    figures["greedy_mean"] = 100 * greedy.share_of_radix(greedy.mean)
    figures["greedy_tail"] = 100 * greedy.share_of_radix(greedy.tail(0.999))
    advance(0.5)
    if parameters.exact:
        exact = interference(fabric, parameters.hops, "exact", parameters.quadruples, seed)
        table["exact"] = exact.value
        figures["exact_mean"] = 100 * exact.share_of_radix(exact.mean)
        figures["exact_tail"] = 100 * exact.share_of_radix(exact.tail(0.999))
    table["share"] = greedy.value / np.float64(fabric.network_radix)
    return Rows(Columns(table), figures, {})


def _share(rows: Columns) -> tuple[NDArray[Any], NDArray[Any]]:
    """The share of k' of every row."""
    return rows["share"], np.ones(rows.num_rows, dtype=np.int64)


MEASUREMENT = Measurement(
    name="interference",
    parameters=PathInterference,
    resolve=resolve,
    inputs=inputs,
    measure=measure,
    figures=(
        Figure("greedy_mean", "PI mean (%)"),
        Figure("greedy_tail", "PI 99.9% tail"),
        Figure("exact_mean", "exact mean (%)"),
        Figure("exact_tail", "exact 99.9% tail"),
    ),
    note="Path interference (PI) in % of the network radix k'; PI is greedy, as the paper's.",
    rows_file="quadruples.csv",
    distributions=(Distribution("share", "path interference / k'", _share),),
    plots=("share",),
)
