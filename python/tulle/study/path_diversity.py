"""The measurement `path-diversity`: disjoint paths and interference of a fabric (FatPaths Table IV, Figs. 6 to 8)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from pydantic import Field

import tulle
from tulle import _tulle
from tulle._arguments import canonical
from tulle.analysis.diversity import DisjointPaths, Mode, disjoint_paths, interference
from tulle.columns import Columns
from tulle.fabric import build_failed
from tulle.study.measurement import Advance, Distribution, Figure, Links, Measurement, Parameters, Rows

if TYPE_CHECKING:
    from numpy.typing import NDArray


class PathDiversity(Parameters):
    """What is counted: paths of at most `hops` hops, or shortest ones, by sampled pairs and quadruples of switches."""

    fabric: str
    links: Links = Field(default=[])
    fail: str | None = None
    hops: int | Literal["shortest"] = Field(default=3, union_mode="left_to_right")
    pairs: int = Field(default=10_000, ge=1, le=1 << 28)
    """Ordered pairs drawn."""
    exact: bool = True
    """Whether the largest number of disjoint paths is counted too."""
    quadruples: int = Field(default=0, ge=0, le=1 << 28)
    """Quadruples drawn for interference; 0: none."""


def resolve(parameters: PathDiversity) -> PathDiversity:
    """The same with canonical specs."""
    if parameters.hops != "shortest" and not 1 <= parameters.hops <= 64:
        raise tulle.InputError(f"hops={parameters.hops} is out of range; legal: 1 to 64, shortest")
    if parameters.hops == "shortest" and parameters.quadruples:
        raise tulle.InputError("hops=shortest has no interference; legal: quadruples=0")
    resolved = {"fabric": canonical("fabrics", "fabric", parameters.fabric)}
    if parameters.fail is not None:
        resolved["fail"] = canonical("faults", "fail", parameters.fail)
    return parameters.model_copy(update=resolved)


def inputs(parameters: PathDiversity) -> list[Path]:
    """The files that the fabric is read from."""
    return [Path(path) for path in _tulle.input_files(parameters.fabric)]


def measure(parameters: PathDiversity, seed: int, advance: Advance) -> Rows:
    """Counts under one seed, which is that of the fabric and of the samples."""
    fabric = build_failed(parameters.fabric, seed, parameters.fail, parameters.links)
    advance(0.0)
    figures: dict[str, float | int | None] = dict.fromkeys(figure.key for figure in MEASUREMENT.figures)
    figures["network_radix"] = fabric.network_radix

    def paths(mode: Mode) -> DisjointPaths:
        found = disjoint_paths(fabric, parameters.hops, mode, parameters.pairs, seed)
        figures[f"{mode}_mean"] = 100 * found.share_of_radix(found.mean)
        figures[f"{mode}_tail"] = 100 * found.share_of_radix(found.tail(0.01))
        return found

    greedy = paths("greedy")
    table: dict[str, NDArray[Any]] = {
        "source": greedy.pairs[:, 0],
        "destination": greedy.pairs[:, 1],
        "greedy": greedy.count,
    }
    best = greedy
    advance(0.3)
    if parameters.exact:
        best = paths("exact")
        assert best.upper is not None
        table.update(exact=best.count, upper=best.upper)
        figures["unproved"] = int((best.upper != best.count).sum())
    if parameters.hops == "shortest":
        for number in (1, 2, 3):
            figures[f"with_{number}"] = 100 * float((best.count == number).mean())
    table["share"] = best.count / np.float64(fabric.network_radix)
    advance(0.5)
    if parameters.quadruples and parameters.hops != "shortest":
        found = interference(fabric, parameters.hops, "greedy", parameters.quadruples, seed)
        figures["pi_mean"] = 100 * found.share_of_radix(found.mean)
        figures["pi_tail"] = 100 * found.share_of_radix(found.tail(0.999))
    return Rows(Columns(table), figures, {})


def _share(rows: Columns) -> tuple[NDArray[Any], NDArray[Any]]:
    """The share of k' of every row."""
    return rows["share"], np.ones(rows.num_rows, dtype=np.int64)


MEASUREMENT = Measurement(
    name="path-diversity",
    parameters=PathDiversity,
    resolve=resolve,
    inputs=inputs,
    measure=measure,
    figures=(
        Figure("network_radix", "k'"),
        Figure("greedy_mean", "CDP mean (%)"),
        Figure("greedy_tail", "CDP 1% tail"),
        Figure("pi_mean", "PI mean (%)", usually_zero=True),
        Figure("pi_tail", "PI 99.9% tail", usually_zero=True),
        Figure("exact_mean", "exact mean (%)", usually_zero=True),
        Figure("exact_tail", "exact 1% tail", usually_zero=True),
        Figure("with_1", "pairs with 1 path (%)", usually_zero=True),
        Figure("with_2", "pairs with 2 (%)", usually_zero=True),
        Figure("with_3", "pairs with 3 (%)", usually_zero=True),
        Figure("unproved", "pairs not proved exact", usually_zero=True),
    ),
    note="Counts of disjoint paths (CDP) and path interference (PI) in % of the network radix k'; both greedy.",
    rows_file="pairs.csv",
    distributions=(Distribution("share", "disjoint paths / k'", _share),),
    plots=("share",),
)
