"""The metric `bisection`: the fewest cables between two halves, as a bracket."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tulle.analysis.metrics.model import Finding, Metric
from tulle.columns import Columns
from tulle.declarations import Declaration, integer
from tulle.metric import Figure

if TYPE_CHECKING:
    from tulle.fabric import Fabric


def measure(fabric: Fabric, seed: int, *, tries: int) -> Finding:
    """METIS from above, the spectrum from below."""
    from tulle.analysis.partition import bisection

    found = bisection(fabric, tries, seed)
    figures = {"upper": found.cut, "lower": found.lower, "upper_per_endpoint": found.per_endpoint}
    return Finding(figures, Columns({"switch": np.arange(len(found.half)), "half": found.half}))


METRIC = Metric(
    Declaration(
        name="bisection",
        summary="the fewest cables between halves of the endpoints: METIS from above, the spectrum from below",
        parameters=[
            integer("tries", 1, 10_000, 20, "runs of METIS"),
        ],
        paper="diameter-two §2.3 (bisection by METIS)",
        limitations="A bracket; the upper bound is a heuristic's. Needs tulle[partition].",
        examples=["bisection:tries=5", "bisection"],
    ),
    (
        Figure("upper", "at most"),
        Figure("lower", "at least"),
        Figure("upper_per_endpoint", "at most, per endpoint"),
    ),
    measure,
)
