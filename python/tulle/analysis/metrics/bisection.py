"""The metric `bisection`: bounds of the minimum number of cables between two halves of a fabric."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tulle.analysis.metrics.model import Finding, MetricGroup
from tulle.columns import Columns
from tulle.declarations import Declaration, integer
from tulle.metric import Metric

if TYPE_CHECKING:
    from tulle.fabric import Fabric


def measure(fabric: Fabric, seed: int, *, tries: int) -> Finding:
    """Bound the bisection: METIS gives the upper bound, the spectrum the lower bound."""
    from tulle.analysis.partition import bisection

    found = bisection(fabric, tries, seed)
    values = {"upper": found.cut, "lower": found.lower, "upper_per_endpoint": found.per_endpoint}
    return Finding(values, Columns({"switch": np.arange(len(found.half)), "half": found.half}))


METRIC = MetricGroup(
    Declaration(
        name="bisection",
        summary="the minimum number of cables between two halves of the endpoints: upper bound by METIS, lower bound by"
        " the spectrum",
        parameters=[
            integer("tries", 1, 10_000, 20, "runs of METIS"),
        ],
        paper="Kathareios et al. (SC15) §2.3 (bisection by METIS)",
        limitations="Two bounds, no exact value; the upper bound comes from a heuristic. Needs tulle[partition].",
        examples=["bisection:tries=5", "bisection"],
    ),
    (
        Metric("upper", "upper bound"),
        Metric("lower", "lower bound"),
        Metric("upper_per_endpoint", "upper bound per endpoint"),
    ),
    measure,
)
