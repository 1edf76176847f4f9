"""The measurement `cbd`: how often random fabrics can deadlock with shortest paths (Flattened Clos Fig. 3)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from tulle import _tulle
from tulle._internal.arguments import read_seed
from tulle.columns import Columns
from tulle.errors import InputError, SpecError
from tulle.metric import Metric
from tulle.study.measurements.parameters import Parameters, Spec
from tulle.study.measurements.registry import Advance, Measurement, Rows


def cbd_count(
    spec: str, share: float = 1.0, paths: Literal["all", "one"] = "all", trials: int = 100, seed: int = 0
) -> int:
    """Count how many of `trials` random fabrics have a cyclic buffer dependency (Flattened Clos §2.2.1.1, Fig. 3).

    Each trial generates a new random fabric and new traffic. Trial i does not depend on the number of trials.

    Parameters
    ----------
    spec
        The spec of a random fabric, for example ``jellyfish:switches=20,degree=5``.
    share
        The fraction of the other switches that each switch sends to, from 0 to 1. Destinations are drawn uniformly; 1
        is all-to-all.
    paths
        ``all`` shortest paths of a pair, or ``one`` path drawn hop by hop. The paper's "ECMP" can mean either.
    trials
        Number of trials, at least 1.
    seed
        Seed of fabrics, traffic and paths.

    Raises
    ------
    tulle.SpecError, tulle.InputError
        For an illegal spec or value, or a fabric that is not connected.
    """
    if paths not in ("all", "one"):
        raise SpecError(f"paths={paths} is not a choice; legal: all, one")
    if not 1 <= trials < 1 << 32:
        raise InputError(f"trials={trials} is out of range; legal: 1 to {(1 << 32) - 1}")
    return _tulle.cbd(spec, float(share), paths == "one", trials, read_seed(seed))


class Cbd(Parameters):
    """The arguments of `cbd_count`. All trials of a run use the seed of the run."""

    fabric: Annotated[str, Spec("fabrics")]
    """the spec of a random fabric; each trial builds a new fabric"""
    share: float = Field(default=1.0, ge=0, le=1)
    """share of the other switches that each switch sends to"""
    paths: Literal["all", "one"] = "all"
    """shortest paths that a pair uses: all, or one that is drawn hop by hop"""
    trials: int = Field(default=100, ge=1, le=1_000_000)
    """number of random fabrics"""


def resolve(parameters: Cbd) -> Cbd:
    """Return the parameters with the canonical fabric."""
    return parameters.model_copy(update=parameters.canonical_specs())


def inputs(parameters: Cbd) -> list[Path]:
    """The files that the fabric is read from."""
    return [Path(path) for path in _tulle.input_files(parameters.fabric)]


def cbd(parameters: Cbd, seed: int, advance: Advance) -> Rows:
    """Generate fabrics and traffic with one seed, and count the fabrics with a cyclic buffer dependency."""
    advance(0.0)
    trials = parameters.trials
    cyclic = cbd_count(parameters.fabric, parameters.share, parameters.paths, trials, seed)
    probability = cyclic / trials
    table = Columns({"trials": np.array([trials], np.int64), "cyclic": np.array([cyclic], np.int64)})
    error = float(np.sqrt(probability * (1 - probability) / trials))
    return Rows(table, {"probability": probability, "standard_error": error}, {"trials": trials, "cyclic": cyclic})


MEASUREMENT = Measurement(
    name="cbd",
    example={"fabric": "jellyfish:switches=8,degree=5,p=1", "share": 0.3, "trials": 5},
    summary="the probability that a random fabric has a cyclic buffer dependency",
    paper="Flattened Clos §2.2.1.1, Fig. 3",
    parameters=Cbd,
    resolve=resolve,
    inputs=inputs,
    measure=cbd,
    figures=(Metric("probability", "CBD probability"), Metric("standard_error", "standard error", usually_zero=True)),
    note="CBD: cyclic buffer dependency. Without one, no deadlock can arise.",
    rows_file="trials.csv",
)
