"""The metric `disjoint-paths`: counts of disjoint paths (CDP)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tulle.analysis.metrics.model import Finding, MetricGroup
from tulle.columns import Columns
from tulle.declarations import Declaration, integer, word
from tulle.metric import Distribution, Metric

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tulle.analysis.diversity import Hops, Mode
    from tulle.fabric import Fabric


def measure(fabric: Fabric, seed: int, *, hops: Hops, mode: Mode, pairs: int | str) -> Finding:
    """Count disjoint paths for random pairs of switches, which depend on the seed, or for all unordered pairs."""
    from tulle.analysis.diversity import disjoint_paths

    found = disjoint_paths(fabric, hops, mode, None if pairs == "all" else int(pairs), seed)
    columns: dict[str, NDArray[Any]] = {
        "source": found.pairs[:, 0],
        "destination": found.pairs[:, 1],
        "paths": found.count,
        "share": found.count / np.float64(fabric.network_radix),
    }
    values: dict[str, float | int | None] = {
        "pairs": len(found.count),
        "network_radix": fabric.network_radix,
        "mean_paths": found.mean,
        "tail_paths": found.tail(0.01),
        "mean_share": found.share_of_radix(found.mean),
        "tail_share": found.share_of_radix(found.tail(0.01)),
        "pairs_with_1": float((found.count == 1).mean()),
        "pairs_with_2": float((found.count == 2).mean()),
        "pairs_with_3": float((found.count == 3).mean()),
        "pairs_below_3": float((found.count < 3).mean()),
        **dict.fromkeys(("proved", "mean_upper", "mean_cut")),
    }
    if found.upper is not None and found.cut is not None:
        columns.update(upper=found.upper, cut=found.cut)
        values["proved"] = found.proved
        values["mean_upper"] = float(found.upper.mean())
        values["mean_cut"] = float(found.cut.mean())
    return Finding(values, Columns(columns))


def _share(rows: Columns) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return for every row the number of disjoint paths divided by the network radix k', and the weight 1."""
    return rows["share"], np.ones(rows.num_rows, dtype=np.int64)


METRIC = MetricGroup(
    Declaration(
        name="disjoint-paths",
        summary="numbers of cable-disjoint paths between two switches (CDP), also divided by the network radix k'; "
        "the tail is the 1% quantile",
        parameters=[
            integer(
                "hops",
                1,
                64,
                3,
                "largest number of hops of a path (l in FatPaths); `shortest`: only shortest paths",
                "shortest",
            ),
            word("mode", ["greedy", "exact"], "greedy count as in FatPaths, or the exact maximum"),
            integer("pairs", 1, 1 << 28, "all", "number of random pairs, or all unordered pairs", "all"),
        ],
        paper="FatPaths §IV-B1, Table IV, Fig. 7",
        limitations="With mode=exact and 4 or more hops, some pairs get two bounds instead of a number; "
        "the value 'proved' is the share of pairs whose two bounds are equal.",
        examples=["disjoint-paths:hops=3,mode=exact", "disjoint-paths:hops=shortest,pairs=1000", "disjoint-paths"],
    ),
    (
        Metric("pairs", "pairs", on_request=True),
        Metric("network_radix", "k'"),
        Metric("mean_paths", "mean CDP", on_request=True),
        Metric("tail_paths", "1% tail of CDP", on_request=True),
        Metric("mean_share", "mean CDP / k'"),
        Metric("tail_share", "1% tail / k'"),
        Metric("pairs_with_1", "pairs with 1", on_request=True),
        Metric("pairs_with_2", "with 2", on_request=True),
        Metric("pairs_with_3", "with 3", on_request=True),
        Metric("pairs_below_3", "pairs with fewer than 3"),
        Metric("proved", "proved exact", on_request=True),
        Metric("mean_upper", "mean at most", on_request=True),
        Metric("mean_cut", "mean cut", on_request=True),
    ),
    measure,
    (Distribution("share", "disjoint paths / k'", _share),),
)
