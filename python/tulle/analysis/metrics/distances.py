"""The metric `distances`: lengths and numbers of shortest paths."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle.analysis.metrics.model import Finding, MetricGroup
from tulle.columns import Columns
from tulle.declarations import Declaration
from tulle.metric import Metric

if TYPE_CHECKING:
    from tulle.fabric import Fabric


def measure(fabric: Fabric, _: int) -> Finding:
    """Compute lengths and numbers of shortest paths over all ordered pairs of different switches with endpoints."""
    from tulle.analysis.lengths import distances

    found = distances(fabric)
    pairs = found.pairs()
    total = max(int(pairs[:, 2].sum()), 1)
    values = {
        "diameter": found.diameter,
        "mean_hops": found.mean_hops,
        "mean_shortest_paths": float((pairs[:, 1] * pairs[:, 2]).sum()) / total,
        "pairs_with_one_path": float(pairs[pairs[:, 1] == 1, 2].sum()) / total,
    }
    return Finding(values, Columns({"hops": pairs[:, 0], "paths": pairs[:, 1], "pairs": pairs[:, 2]}))


METRIC = MetricGroup(
    Declaration(
        name="distances",
        summary="lengths and numbers of shortest paths over all pairs of switches with endpoints",
        parameters=[],
        paper="FatPaths §IV-B1 (minimal paths), App. B-A",
        limitations="Counts all shortest paths; disjoint-paths:hops=shortest counts only disjoint shortest paths.",
        examples=["distances"],
        aliases=["diameter"],
    ),
    (
        Metric("diameter", "diameter"),
        Metric("mean_hops", "mean hops"),
        Metric("mean_shortest_paths", "mean shortest paths"),
        Metric("pairs_with_one_path", "pairs with one"),
    ),
    measure,
)
