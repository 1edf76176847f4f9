"""The metric `walks`: numbers of walks of one length."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tulle.analysis.metrics.model import Arguments, Finding, Metric
from tulle.registry import Entry, Parameter

if TYPE_CHECKING:
    from collections.abc import Callable

    from tulle.fabric import Fabric


def read(arguments: Arguments) -> Callable[[Fabric, int], Finding]:
    """Reads the length."""
    hops = int(arguments.integer("hops", 0, 64, 3))

    def measure(fabric: Fabric, _: int) -> Finding:
        from tulle.analysis.lengths import walks

        numbers = walks(fabric, hops)
        apart = numbers[~np.eye(len(numbers), dtype=bool)]
        figures = {
            "mean_walks": float(apart.mean(dtype=np.float64)) if len(apart) else None,
            "least_walks": int(apart.min()) if len(apart) else None,
            "most_walks": int(apart.max()) if len(apart) else None,
            "pairs_without": float((apart == 0).mean()) if len(apart) else None,
        }
        return Finding(figures)

    return measure


METRIC = Metric(
    Entry(
        name="walks",
        summary="numbers of walks of exactly so many hops between switches: powers of the adjacency matrix",
        parameters=[Parameter(name="hops", legal="0 to 64", default="3", help="hops of a walk, l")],
        nested=False,
        paper="FatPaths App. B-A, Theorem 1",
        limitations="Walks may repeat switches and cables.",
        examples=["walks:hops=2", "walks"],
    ),
    read,
)
