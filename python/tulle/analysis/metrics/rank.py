"""The metric `rank`: connectivity by the algebraic method."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, cast

from tulle.analysis.metrics.model import Arguments, Finding, Metric
from tulle.columns import Columns
from tulle.registry import Entry, Parameter

if TYPE_CHECKING:
    from collections.abc import Callable

    from tulle.fabric import Fabric


def read(arguments: Arguments) -> Callable[[Fabric, int], Finding]:
    """Reads the limit, what paths may not share, and the pairs."""
    hops = arguments.integer("hops", 1, 64, "any")
    kind = cast("Literal['edges', 'vertices']", arguments.word("disjoint", ["edges", "vertices"]))
    pairs = int(arguments.integer("pairs", 1, 1 << 20, 10))

    def measure(fabric: Fabric, seed: int) -> Finding:
        from tulle import _tulle
        from tulle.analysis.connectivity import rank_connectivity

        drawn = _tulle.sample_pairs(fabric._core, pairs, seed)
        ranks = rank_connectivity(fabric, drawn, None if hops == "any" else int(hops), kind, seed)
        figures = {"pairs": pairs, "mean_rank": float(ranks.mean()), "least_rank": int(ranks.min())}
        return Finding(figures, Columns({"source": drawn[:, 0], "destination": drawn[:, 1], "rank": ranks}))

    return measure


METRIC = Metric(
    Entry(
        name="rank",
        summary="connectivity, within so many hops or any, as the rank of random combinations over a prime field",
        parameters=[
            Parameter(name="hops", legal="1 to 64, any", default="any", help="most hops of a path, l"),
            Parameter(name="disjoint", legal="edges or vertices", default="edges", help="what paths may not share"),
            Parameter(name="pairs", legal="1 to 1048576", default="10", help="pairs drawn"),
        ],
        nested=False,
        paper="FatPaths App. B-C, after Cheung, Lau and Leung",
        limitations="With a limit above 3 hops it may exceed the largest number of disjoint paths. Slow: for samples.",
        examples=["rank:hops=3,pairs=5", "rank:disjoint=vertices"],
    ),
    read,
)
