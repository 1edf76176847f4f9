"""The metric `walks`: numbers of walks with a given number of hops."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tulle.analysis.metrics.model import Finding, MetricGroup
from tulle.declarations import Declaration, integer
from tulle.metric import Metric

if TYPE_CHECKING:
    from tulle.fabric import Fabric


def measure(fabric: Fabric, _: int, *, hops: int) -> Finding:
    """Count walks over all ordered pairs of different switches."""
    from tulle.analysis.lengths import walks

    numbers = walks(fabric, hops)
    apart = numbers[~np.eye(len(numbers), dtype=bool)]
    return Finding(
        {
            "mean_walks": float(apart.mean(dtype=np.float64)) if len(apart) else None,
            "least_walks": int(apart.min()) if len(apart) else None,
            "most_walks": int(apart.max()) if len(apart) else None,
            "pairs_without": float((apart == 0).mean()) if len(apart) else None,
        }
    )


METRIC = MetricGroup(
    Declaration(
        name="walks",
        summary="numbers of walks with a given number of hops between switches: powers of the adjacency matrix",
        parameters=[
            integer("hops", 0, 64, 3, "hops of a walk, l"),
        ],
        paper="FatPaths App. B-A, Theorem 1",
        limitations="Walks may repeat switches and cables.",
        examples=["walks:hops=2", "walks"],
    ),
    (
        Metric("mean_walks", "mean walks"),
        Metric("least_walks", "fewest"),
        Metric("most_walks", "most"),
        Metric("pairs_without", "pairs without any"),
    ),
    measure,
)
