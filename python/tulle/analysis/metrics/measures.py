"""The metric `measures`: path diversity, cuts and throughput of x communicating pairs."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, cast

from tulle.analysis.metrics.model import Arguments, Finding, Metric
from tulle.registry import Entry, Parameter

if TYPE_CHECKING:
    from collections.abc import Callable

    from tulle.analysis.diversity import Mode
    from tulle.fabric import Fabric


def read(arguments: Arguments) -> Callable[[Fabric, int], Finding]:
    """Reads x, the limit, the mode and the draws."""
    pairs = arguments.integer("pairs", 1, 1 << 28, "half")
    hops = int(arguments.integer("hops", 1, 64, 3))
    mode = cast("Mode", arguments.word("mode", ["greedy", "exact"]))
    draws = int(arguments.integer("draws", 1, 10_000, 5))

    def measure(fabric: Fabric, seed: int) -> Finding:
        from tulle.analysis.lengths import members
        from tulle.analysis.measures import measures

        number = len(members(fabric)) // 2 if pairs == "half" else int(pairs)
        found = measures(fabric, number, hops, mode, draws, seed=seed)
        return Finding({**asdict(found), "interference": found.interference})

    return measure


METRIC = Metric(
    Entry(
        name="measures",
        summary="paths, interference, cut and throughput of x communicating pairs, all in numbers of disjoint paths",
        parameters=[
            Parameter(name="pairs", legal="1 to half of the switches, half", default="half", help="pairs, x"),
            Parameter(name="hops", legal="1 to 64", default="3", help="most hops of a path, l"),
            Parameter(name="mode", legal="greedy or exact", default="greedy", help="the papers' count, or the largest"),
            Parameter(name="draws", legal="1 to 10000", default="5", help="how often x pairs are drawn"),
        ],
        nested=False,
        paper="FatPaths §VIII-B, Fig. 18",
        limitations="Means over the draws, not the worst pairs. The throughput is bracketed to 5%.",
        examples=["measures:pairs=4", "measures:pairs=half,mode=exact,draws=1", "measures:pairs=2,hops=4"],
    ),
    read,
)
