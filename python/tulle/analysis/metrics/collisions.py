"""The metric `collisions`: flows between the same two switches."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tulle._arguments import canonical
from tulle.analysis.metrics.model import Arguments, Finding, Metric
from tulle.columns import Columns
from tulle.registry import Entry, Parameter

if TYPE_CHECKING:
    from collections.abc import Callable

    from tulle.fabric import Fabric


def read(arguments: Arguments) -> Callable[[Fabric, int], Finding]:
    """Reads the traffic."""
    traffic = canonical("traffics", "traffic", arguments.text("traffic", "permutation"))
    arguments.resolved["traffic"] = traffic

    def measure(fabric: Fabric, seed: int) -> Finding:
        from tulle.analysis.collisions import collisions
        from tulle.workload import traffic as load

        histogram = collisions(fabric, load(fabric, traffic, seed))
        total = max(int(histogram.sum()), 1)
        figures = {
            "most": len(histogram) - 1,
            "pairs_above_3": float(histogram[4:].sum()) / total,
            "messages_between_switches": int(histogram @ np.arange(len(histogram))),
        }
        return Finding(figures, Columns({"messages": np.arange(len(histogram)), "pairs": histogram}))

    return measure


METRIC = Metric(
    Entry(
        name="collisions",
        summary="ordered pairs of switches by the messages of a traffic pattern between them",
        parameters=[
            Parameter(name="traffic", legal="a traffic", default="permutation", help="in quotes where it has commas"),
        ],
        nested=False,
        paper="FatPaths §IV-A, Fig. 4",
        limitations="Counts all messages alike, whatever their size or time.",
        examples=["collisions:traffic=permutation", 'collisions:traffic="skewed:offset=7,mapping=random"'],
    ),
    read,
)
