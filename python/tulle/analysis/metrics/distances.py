"""The metric `distances`: lengths and numbers of shortest paths."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle.analysis.metrics.model import Arguments, Finding, Metric
from tulle.columns import Columns
from tulle.registry import Entry

if TYPE_CHECKING:
    from collections.abc import Callable

    from tulle.fabric import Fabric


def read(_: Arguments) -> Callable[[Fabric, int], Finding]:
    """Takes no arguments."""

    def measure(fabric: Fabric, _: int) -> Finding:
        from tulle.analysis.lengths import distances

        found = distances(fabric)
        pairs = found.pairs()
        total = max(int(pairs[:, 2].sum()), 1)
        figures = {
            "diameter": found.diameter,
            "mean_hops": found.mean_hops,
            "mean_shortest_paths": float((pairs[:, 1] * pairs[:, 2]).sum()) / total,
            "pairs_with_one_path": float(pairs[pairs[:, 1] == 1, 2].sum()) / total,
        }
        return Finding(figures, Columns({"hops": pairs[:, 0], "paths": pairs[:, 1], "pairs": pairs[:, 2]}))

    return measure


METRIC = Metric(
    Entry(
        name="distances",
        summary="lengths and numbers of shortest paths over all pairs of switches with endpoints",
        parameters=[],
        nested=False,
        paper="FatPaths §IV-B1 (minimal paths), App. B-A",
        limitations="Counts all shortest paths; the disjoint ones are disjoint-paths:hops=shortest.",
        examples=["distances"],
    ),
    read,
)
