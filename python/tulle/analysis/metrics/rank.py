"""The metric `rank`: connectivity by the algebraic method."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from tulle.analysis.metrics.model import Finding, MetricGroup
from tulle.columns import Columns
from tulle.declarations import Declaration, integer, word
from tulle.metric import Metric

if TYPE_CHECKING:
    from tulle.fabric import Fabric


def measure(
    fabric: Fabric, seed: int, *, hops: int | str, disjoint: Literal["edges", "vertices"], pairs: int
) -> Finding:
    """Compute rank connectivity of random pairs of switches, which depend on the seed."""
    from tulle import _tulle
    from tulle.analysis.connectivity import rank_connectivity

    drawn = _tulle.sample_pairs(fabric._core, pairs, seed)
    ranks = rank_connectivity(fabric, drawn, None if hops == "any" else int(hops), disjoint, seed)
    values = {"pairs": pairs, "mean_rank": float(ranks.mean()), "least_rank": int(ranks.min())}
    return Finding(values, Columns({"source": drawn[:, 0], "destination": drawn[:, 1], "rank": ranks}))


METRIC = MetricGroup(
    Declaration(
        name="rank",
        summary="connectivity, within a hop limit or without one, as the rank of a random matrix over a prime field",
        parameters=[
            integer("hops", 1, 64, "any", "hop limit of a path, l", "any"),
            word("disjoint", ["edges", "vertices"], "what paths may not share"),
            integer("pairs", 1, 1 << 20, 10, "number of pairs drawn"),
        ],
        paper="FatPaths App. B-C, after Cheung, Lau and Leung",
        limitations="With a hop limit above 3 the rank can exceed the maximum number of disjoint paths. The metric is "
        "slow, so use it for samples of pairs.",
        examples=["rank:hops=3,pairs=5", "rank:disjoint=vertices"],
    ),
    (
        Metric("pairs", "pairs", on_request=True),
        Metric("mean_rank", "mean rank"),
        Metric("least_rank", "least rank"),
    ),
    measure,
)
