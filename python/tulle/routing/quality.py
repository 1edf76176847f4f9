"""Quality of a routing: what its paths offer per pair, and how they load the channels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tulle._internal.results import Value

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Quality"]


@dataclass(frozen=True, eq=False)
class Quality(Value):
    """The paths of a routing per pair, and the load that they put on channels. Made by `Routing.quality`.

    Over the ordered pairs of distinct switches that carry endpoints. Histograms are uint64: entry n counts what has n.
    """

    pairs: int
    """Ordered pairs."""
    mean_hops: float
    """Mean over pairs of the mean hops of the pair's paths."""
    mean_hops_of_pairs: NDArray[np.float64]
    """The mean hops of a pair's paths, ascending, and the pairs that have them, float64 (n, 2)."""
    paths: NDArray[np.uint64]
    """Pairs by their number of paths, equal ones counted each."""
    hops: NDArray[np.uint64]
    """Paths by their hops."""
    shortest: NDArray[np.uint64]
    """Pairs by the hops of their shortest path."""
    longest: NDArray[np.uint64]
    """Pairs by the hops of their longest path."""
    disjoint_greedy: NDArray[np.uint64]
    """Pairs by their disjoint paths, taken in order wherever they share nothing with those taken before."""
    disjoint: NDArray[np.uint64]
    """Pairs by the most of their paths that are mutually disjoint."""
    most_shared: NDArray[np.uint64]
    """Pairs by the most of their paths that cross one link; 1 where all are disjoint."""
    paths_over: NDArray[np.uint64]
    """Per channel, the paths of the pairs measured over it."""

    def share(self, histogram: NDArray[np.uint64], least: int) -> float:
        """The share of pairs that `histogram` counts at `least` or more."""
        return float(histogram[least:].sum()) / max(self.pairs, 1)
