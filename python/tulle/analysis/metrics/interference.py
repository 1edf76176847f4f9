"""The metric `interference`: path interference (PI)."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from tulle.analysis.metrics.model import Arguments, Finding, Metric
from tulle.columns import Columns
from tulle.registry import Entry, Parameter

if TYPE_CHECKING:
    from collections.abc import Callable

    from tulle.analysis.diversity import Mode
    from tulle.fabric import Fabric


def read(arguments: Arguments) -> Callable[[Fabric, int], Finding]:
    """Reads the limit, the mode and the quadruples."""
    hops = int(arguments.integer("hops", 1, 64, 3))
    mode = cast("Mode", arguments.word("mode", ["greedy", "exact"]))
    if arguments.given.get("quadruples") == "all":
        quadruples = None
        arguments.resolved["quadruples"] = "all"
    else:
        quadruples = int(arguments.integer("quadruples", 1, 1 << 28, 10_000))

    def measure(fabric: Fabric, seed: int) -> Finding:
        from tulle.analysis.diversity import interference

        found = interference(fabric, hops, mode, quadruples, seed)
        figures = {
            "quadruples": len(found.value),
            "mean_interference": found.mean,
            "tail_interference": found.tail(0.999),
            "mean_share": found.share_of_radix(found.mean),
            "tail_share": found.share_of_radix(found.tail(0.999)),
        }
        columns = dict(zip("abcd", found.quadruples.T, strict=True))
        return Finding(figures, Columns({**columns, "interference": found.value}))

    return measure


METRIC = Metric(
    Entry(
        name="interference",
        summary="disjoint paths two pairs of switches take from each other (PI); shares are of k', the tail is 99.9%",
        parameters=[
            Parameter(name="hops", legal="1 to 64", default="3", help="most hops of a path, l"),
            Parameter(name="mode", legal="greedy or exact", default="greedy", help="the papers' count, or the largest"),
            Parameter(name="quadruples", legal="1 or more, all", default="10000", help="quadruples drawn, or all"),
        ],
        nested=False,
        paper="FatPaths §IV-B2, Table IV, Fig. 8",
        limitations="The greedy value holds what the greedy count misses too; all quadruples up to some 180 switches.",
        examples=["interference:hops=3,quadruples=1000", "interference:mode=exact"],
    ),
    read,
)
