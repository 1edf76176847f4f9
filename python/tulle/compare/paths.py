"""Measure the rows about path diversity: distances and disjoint paths."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle.analysis.diversity import disjoint_paths
from tulle.compare.card import CardMetric

if TYPE_CHECKING:
    from tulle.fabric import Fabric

METRICS = {
    "diameter": CardMetric("diameter", "low"),
    "average_path_length": CardMetric("average path", "low"),
    "disjoint_paths": CardMetric("disjoint paths", "high"),
}
_PAIRS = 500


def measure(fabric: Fabric, hops: int, seed: int) -> dict[str, float | None]:
    """Measure diameter, mean path length, and disjoint paths of at most `hops` hops between random pairs."""
    return {
        "diameter": fabric.diameter,
        "average_path_length": fabric.average_path_length,
        "disjoint_paths": disjoint_paths(fabric, hops, "greedy", _PAIRS, seed).mean,
    }
