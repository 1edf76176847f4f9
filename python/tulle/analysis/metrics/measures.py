"""The metric `measures`: path diversity, cut and throughput of x communicating pairs of switches."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from tulle.analysis.metrics.model import Finding, MetricGroup
from tulle.declarations import Declaration, integer, word
from tulle.metric import Metric

if TYPE_CHECKING:
    from tulle.analysis.diversity import Mode
    from tulle.fabric import Fabric


def measure(fabric: Fabric, seed: int, *, pairs: int | str, hops: int, mode: Mode, draws: int) -> Finding:
    """Measure path diversity, cut and throughput of x random pairs of switches."""
    from tulle.analysis.lengths import members
    from tulle.analysis.summary import measures

    number = len(members(fabric)) // 2 if pairs == "half" else int(pairs)
    found = measures(fabric, number, hops, mode, draws, seed=seed)
    return Finding({**asdict(found), "interference": found.interference})


METRIC = MetricGroup(
    Declaration(
        name="measures",
        summary="disjoint paths, their interference, minimum cut (in cables) and throughput (in link rates) of x pairs "
        "of switches",
        parameters=[
            integer(
                "pairs", 1, 1 << 28, "half", "number of pairs, x: at most half of the switches with endpoints", "half"
            ),
            integer("hops", 1, 64, 3, "hop limit of a path, l"),
            word("mode", ["greedy", "exact"], "greedy count as in FatPaths, or the exact maximum"),
            integer("draws", 1, 10_000, 5, "number of draws of x pairs"),
        ],
        paper="FatPaths §VIII-B, Fig. 18",
        limitations="Values are means over random pairs; other pairs may have worse values. The throughput bounds "
        "differ by at most 5%.",
        examples=["measures:pairs=4", "measures:pairs=half,mode=exact,draws=1", "measures:pairs=2,hops=4"],
    ),
    (
        Metric("pairs", "x"),
        Metric("alone", "paths alone"),
        Metric("reachability", "reachability", on_request=True),
        Metric("together", "paths together"),
        Metric("interference", "interference"),
        Metric("cut", "cut"),
        Metric("lower", "carried at least"),
        Metric("upper", "carried at most"),
    ),
    measure,
)
