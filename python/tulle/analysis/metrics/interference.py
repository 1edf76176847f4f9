"""The metric `interference`: path interference (PI)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tulle.analysis.metrics.model import Finding, MetricGroup
from tulle.columns import Columns
from tulle.declarations import Declaration, integer, word
from tulle.metric import Distribution, Metric

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tulle.analysis.diversity import Mode
    from tulle.fabric import Fabric


def measure(fabric: Fabric, seed: int, *, hops: int, mode: Mode, quadruples: int | str) -> Finding:
    """Measure path interference for random quadruples of switches, or for all quadruples."""
    from tulle.analysis.diversity import interference

    found = interference(fabric, hops, mode, None if quadruples == "all" else int(quadruples), seed)
    values = {
        "quadruples": len(found.value),
        "mean_interference": found.mean,
        "tail_interference": found.tail(0.999),
        "mean_share": found.share_of_radix(found.mean),
        "tail_share": found.share_of_radix(found.tail(0.999)),
    }
    columns = dict(zip("abcd", found.quadruples.T, strict=True))
    share = found.value / np.float64(fabric.network_radix)
    return Finding(values, Columns({**columns, "interference": found.value, "share": share}))


def _share(rows: Columns) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return for every row the interference divided by the network radix k', and the weight 1."""
    return rows["share"], np.ones(rows.num_rows, dtype=np.int64)


METRIC = MetricGroup(
    Declaration(
        name="interference",
        summary="number of disjoint paths that two pairs of switches lose because they share cables (PI), also "
        "divided by the network radix k'; the tail is the 99.9% quantile",
        parameters=[
            integer("hops", 1, 64, 3, "hop limit of a path, l"),
            word("mode", ["greedy", "exact"], "greedy count as in FatPaths, or the exact maximum"),
            integer("quadruples", 1, 1 << 28, 10_000, "number of random quadruples, or all quadruples", "all"),
        ],
        paper="FatPaths §IV-B2, Table IV, Fig. 8",
        limitations="The greedy value includes errors of the greedy count. All quadruples are feasible up to about "
        "180 switches.",
        examples=["interference:hops=3,quadruples=1000", "interference:mode=exact"],
    ),
    (
        Metric("quadruples", "quadruples", on_request=True),
        Metric("mean_interference", "mean PI", on_request=True),
        Metric("tail_interference", "99.9% tail of PI", on_request=True),
        Metric("mean_share", "mean PI / k'"),
        Metric("tail_share", "99.9% tail / k'"),
    ),
    measure,
    (Distribution("share", "path interference / k'", _share),),
)
