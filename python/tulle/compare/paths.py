"""Measure the rows about path diversity: distances and disjoint paths."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle.analysis.diversity import disjoint_paths
from tulle.analysis.lengths import members
from tulle.compare.card import CardMetric
from tulle.compare.numbering import renumbered

if TYPE_CHECKING:
    from tulle.fabric import Fabric

METRICS = {
    "diameter": CardMetric("diameter", "low"),
    "average_path_length": CardMetric("average path", "low"),
    "disjoint_paths": CardMetric("disjoint paths", "high"),
}
MAX_HOPS = 64
FIXED = ("diameter", "average_path_length")
"""Metrics that do not depend on the seed."""
# Up to this number of switches with endpoints, disjoint paths are counted for all pairs, which takes below a second of
# processor time. Otherwise they are counted for a sample of pairs.
_SWITCHES, _PAIRS = 200, 2000


def limited(hops: int) -> dict[str, CardMetric]:
    """Return the metrics that depend on the hop limit, with the limit in their names."""
    known = METRICS["disjoint_paths"]
    return {"disjoint_paths": known._replace(head=f"{known.head}, up to {hops} hops")}


def measure(fabric: Fabric, hops: int, seed: int) -> dict[str, float | None]:
    """Measure diameter, mean path length, and disjoint paths of at most `hops` hops.

    The greedy count depends on the numbering of switches, so every seed numbers the switches at random.
    """
    pairs = None if len(members(fabric)) <= _SWITCHES else _PAIRS
    return {
        "diameter": fabric.diameter,
        "average_path_length": fabric.average_path_length,
        "disjoint_paths": disjoint_paths(renumbered(fabric, seed), hops, "greedy", pairs, seed).mean,
    }
