"""The measurement `measures`: how paths, cuts and throughput vary with the number of communicating pairs (Fig. 18)."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import numpy as np
from pydantic import Field

import tulle
from tulle import _tulle
from tulle._arguments import canonical, read_gap
from tulle.analysis.lengths import members
from tulle.analysis.measures import measures
from tulle.analysis.partition import bisection
from tulle.columns import Columns
from tulle.study.measurement import Advance, Figure, Links, Measurement, Parameters, Rows


class MeasuresOfPairs(Parameters):
    """`pairs` communicating pairs of switches, drawn `draws` times."""

    fabric: str
    links: Links = Field(default=[])
    pairs: int | Literal["half"] = Field(default="half", union_mode="left_to_right")
    """x; half: half of the switches send to the other half."""
    hops: int = Field(default=3, ge=1, le=64)
    exact: bool = True
    """Whether disjoint paths are counted exactly, or greedily."""
    draws: int = Field(default=5, ge=1, le=10_000)
    gap: str = "5%"


def resolve(parameters: MeasuresOfPairs) -> MeasuresOfPairs:
    """The same with a canonical spec."""
    if parameters.pairs != "half" and parameters.pairs < 1:
        raise tulle.InputError(f"pairs={parameters.pairs} is out of range; legal: 1 or more, half")
    read_gap(parameters.gap)
    return parameters.model_copy(update={"fabric": canonical("fabrics", "fabric", parameters.fabric)})


def inputs(parameters: MeasuresOfPairs) -> list[Path]:
    """The files that the fabric is read from."""
    return [Path(path) for path in _tulle.input_files(parameters.fabric)]


def measure(parameters: MeasuresOfPairs, seed: int, advance: Advance) -> Rows:
    """Counts under one seed, which is that of the fabric and of the draws."""
    fabric = tulle.Fabric(parameters.fabric, seed, parameters.links)
    advance(0.0)
    pairs = len(members(fabric)) // 2 if parameters.pairs == "half" else parameters.pairs
    mode: Literal["greedy", "exact"] = "exact" if parameters.exact else "greedy"
    found = measures(fabric, pairs, parameters.hops, mode, parameters.draws, parameters.gap, seed)
    advance(0.8)
    halves = bisection(fabric, seed=seed)
    figures: dict[str, float | int | None] = {
        "pairs": found.pairs,
        "alone": found.alone,
        "together": found.together,
        "interference": found.interference,
        "cut": found.cut,
        "lower": found.lower,
        "upper": found.upper,
        "bisection_lower": halves.lower or None,
        "bisection": halves.cut,
    }
    return Rows(Columns({key: np.array([value or 0]) for key, value in figures.items()}), figures, {})


MEASUREMENT = Measurement(
    name="measures",
    parameters=MeasuresOfPairs,
    resolve=resolve,
    inputs=inputs,
    measure=measure,
    figures=(
        Figure("pairs", "x"),
        Figure("alone", "paths alone"),
        Figure("together", "paths together"),
        Figure("interference", "interference"),
        Figure("cut", "cut"),
        Figure("lower", "carried at least"),
        Figure("upper", "carried at most"),
        Figure("bisection_lower", "bisection at least", usually_zero=True),
        Figure("bisection", "bisection at most"),
    ),
    note="x switches send to x others; all in numbers of disjoint paths (cables). Paths: of up to l hops, pair by pair "
    "(alone) and between the sets (together); cut: between the sets, any length; carried: x times the rate that "
    "all pairs reach at a time; bisection: of the fabric, whatever x.",
    rows_file="measures.csv",
)
