"""The metric `bisection`: the fewest cables between two halves, as a bracket."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tulle.analysis.metrics.model import Arguments, Finding, Metric
from tulle.columns import Columns
from tulle.registry import Entry, Parameter

if TYPE_CHECKING:
    from collections.abc import Callable

    from tulle.fabric import Fabric


def read(arguments: Arguments) -> Callable[[Fabric, int], Finding]:
    """Reads the tries."""
    tries = int(arguments.integer("tries", 1, 10_000, 20))

    def measure(fabric: Fabric, seed: int) -> Finding:
        from tulle.analysis.partition import bisection

        found = bisection(fabric, tries, seed)
        figures: dict[str, float | int | str | None] = {
            "upper": found.cut,
            "lower": found.lower,
            "upper_per_endpoint": found.per_endpoint,
            "method": "METIS (upper bound), spectrum (lower bound)",
        }
        return Finding(figures, Columns({"switch": np.arange(len(found.half)), "half": found.half}))

    return measure


METRIC = Metric(
    Entry(
        name="bisection",
        summary="the fewest cables between halves of the endpoints: METIS from above, the spectrum from below",
        parameters=[Parameter(name="tries", legal="1 to 10000", default="20", help="runs of METIS")],
        nested=False,
        paper="diameter-two §2.3 (bisection by METIS)",
        limitations="A bracket; the upper bound is a heuristic's. Needs tulle[partition].",
        examples=["bisection:tries=5", "bisection"],
    ),
    read,
)
