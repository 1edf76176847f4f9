"""The metric `collisions`: number of flows between the same two switches."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tulle.analysis.metrics.model import Finding, MetricGroup
from tulle.columns import Columns
from tulle.declarations import Declaration, spec, word
from tulle.metric import Metric

if TYPE_CHECKING:
    from tulle.fabric import Fabric


def measure(fabric: Fabric, seed: int, *, traffic: str, pattern: str) -> Finding:
    """Count messages of a traffic pattern for every ordered pair of switches with endpoints."""
    from tulle.analysis.endpoint_collisions import collisions, of_pattern

    histogram = collisions(fabric, traffic if pattern == "none" else of_pattern(fabric, pattern, seed), seed)
    total = max(int(histogram.sum()), 1)
    values = {
        "endpoints": fabric.num_endpoints,
        "most": len(histogram) - 1,
        "pairs_above_3": float(histogram[4:].sum()) / total,
        "pairs_above_8": float(histogram[9:].sum()) / total,
        "messages_between_switches": int(histogram @ np.arange(len(histogram))),
    }
    return Finding(values, Columns({"messages": np.arange(len(histogram)), "pairs": histogram}))


METRIC = MetricGroup(
    Declaration(
        name="collisions",
        summary="histogram of ordered pairs of switches by the number of messages between them in a traffic pattern",
        parameters=[
            spec("traffic", "traffic", "permutation", "a traffic pattern; in quotes if it has commas"),
            word(
                "pattern",
                ["none", "permutation", "off-diagonal", "shuffle", "4-permutations", "stencil"],
                "a pattern of FatPaths Fig. 4, on endpoints in random order; replaces the parameter traffic",
            ),
        ],
        paper="FatPaths §IV-A, Fig. 4",
        limitations="Counts every message once, regardless of its size and start.",
        examples=[
            "collisions:traffic=permutation",
            'collisions:traffic="skewed:offset=7,mapping=random"',
            "collisions:pattern=stencil",
        ],
    ),
    (
        Metric("endpoints", "endpoints"),
        Metric("most", "most per pair"),
        Metric("pairs_above_3", "pairs above 3"),
        Metric("pairs_above_8", "pairs above 8"),
        Metric("messages_between_switches", "messages", on_request=True),
    ),
    measure,
)
