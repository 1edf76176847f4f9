"""Score a routing by its throughput under given traffic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from tulle._internal.html_summary import Shown
from tulle.tuning.score import hops_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from typing_extensions import Self

    from tulle.fabric import Fabric
    from tulle.routing.routing import Routing

Purpose: TypeAlias = Literal["paths", "permutation", "skewed", "worst", "all"]

TRAFFIC = {
    "permutation": "permutation:bytes=1MiB",
    "skewed": "skewed:bytes=1MiB",
    "worst": "longest-matching:of=switches",
}
"""The traffic spec for each tuning goal except ``paths`` and ``all``."""

WORDS = {
    "permutation": "a random permutation",
    "skewed": "skewed traffic",
    "worst": "the longest matching",
}
"""Name of each goal's traffic in reports."""

TIE = 0.02
"""Throughputs whose ratio differs from 1 by less than this count as equal."""

_GAP = 0.03


@dataclass(frozen=True)
class ThroughputScore(Shown):
    """The throughput of a routing for each goal's traffic, relative to the rate of the busiest sender."""

    best: Mapping[str, float]
    """Throughput by goal with the best split over all paths, which adaptive selectors approach."""
    fixed: Mapping[str, float]
    """Throughput by goal with the even split: by the weights of layers and ports, or evenly without weights."""
    mean_hops: float
    """Mean hops of all paths."""
    longest: int
    """Hops of the longest path."""

    @property
    def total(self) -> float:
        """The geometric mean of the throughputs in `best` and `fixed`."""
        return float(np.exp(np.mean(np.log([*self.best.values(), *self.fixed.values()]))))

    @classmethod
    def of(cls, routing: Routing, purposes: Sequence[str], seed: int) -> Self:
        """Measure the throughput of a routing.

        Each value is the middle of a lower and an upper bound within 3% of each other.
        """
        from tulle.analysis import throughput

        def found(traffic: str, method: str | None) -> float:
            bounds = throughput(routing.fabric, traffic, routing, _GAP, method=method, seed=seed)
            return (bounds.lower + bounds.upper) / 2

        hops = hops_of(routing)
        return cls(
            best={name: found(TRAFFIC[name], None) for name in purposes},
            fixed={name: found(TRAFFIC[name], "split") for name in purposes},
            mean_hops=float(hops @ np.arange(len(hops), dtype=np.uint64)) / float(hops.sum()),
            longest=len(hops) - 1,
        )


def purposes(fabric: Fabric, purpose: Purpose) -> tuple[str, ...]:
    """Return the traffic goals of a tuning purpose: none for ``paths``, all three for ``all``."""
    if fabric.num_endpoints == 0 or purpose == "paths":
        return ()
    return tuple(TRAFFIC) if purpose == "all" else (purpose,)
