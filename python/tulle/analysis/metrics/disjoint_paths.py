"""The metric `disjoint-paths`: counts of disjoint paths (CDP)."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from tulle.analysis.metrics.model import Arguments, Finding, Metric
from tulle.columns import Columns
from tulle.registry import Entry, Parameter

if TYPE_CHECKING:
    from collections.abc import Callable

    from tulle.analysis.diversity import Hops, Mode
    from tulle.fabric import Fabric


def read(arguments: Arguments) -> Callable[[Fabric, int], Finding]:
    """Reads the limit, the mode and the pairs."""
    hops = _hops(arguments)
    mode = cast("Mode", arguments.word("mode", ["greedy", "exact"]))
    pairs = arguments.integer("pairs", 1, 1 << 28, "all")

    def measure(fabric: Fabric, seed: int) -> Finding:
        from tulle.analysis.diversity import disjoint_paths

        found = disjoint_paths(fabric, hops, mode, None if pairs == "all" else int(pairs), seed)
        columns = {"source": found.pairs[:, 0], "destination": found.pairs[:, 1], "paths": found.count}
        figures: dict[str, float | int | str | None] = {
            "pairs": len(found.count),
            "mean_paths": found.mean,
            "tail_paths": found.tail(0.01),
            "mean_share": found.share_of_radix(found.mean),
            "tail_share": found.share_of_radix(found.tail(0.01)),
            "pairs_below_3": float((found.count < 3).mean()),
        }
        if found.upper is not None and found.cut is not None:
            columns.update(upper=found.upper, cut=found.cut)
            figures["proved"] = found.proved
            figures["mean_upper"] = float(found.upper.mean())
            figures["mean_cut"] = float(found.cut.mean())
        return Finding(figures, Columns(columns))

    return measure


def _hops(arguments: Arguments) -> Hops:
    """A number of hops, 3 by default, or the word."""
    if arguments.given.get("hops") == "shortest":
        arguments.resolved["hops"] = "shortest"
        return "shortest"
    return int(arguments.integer("hops", 1, 64, 3))


METRIC = Metric(
    Entry(
        name="disjoint-paths",
        summary="counts of paths without a common cable between two switches (CDP); shares are of k', the tail is 1%",
        parameters=[
            Parameter(name="hops", legal="1 to 64, shortest", default="3", help="most hops of a path, l"),
            Parameter(name="mode", legal="greedy or exact", default="greedy", help="the papers' count, or the largest"),
            Parameter(name="pairs", legal="1 or more, all", default="all", help="pairs drawn, or all unordered ones"),
        ],
        nested=False,
        paper="FatPaths §IV-B1, Table IV, Fig. 7",
        limitations="From 4 hops on an exact count may end as a bracket; proved says for how many pairs it did not.",
        examples=["disjoint-paths:hops=3,mode=exact", "disjoint-paths:hops=shortest,pairs=1000", "disjoint-paths"],
    ),
    read,
)
