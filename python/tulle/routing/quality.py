"""Quality of a routing: the paths of each pair of switches, and their load on the channels."""

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
    """Statistics of the paths of each pair, and of their load on channels. Made by `Routing.quality`.

    The statistics cover the ordered pairs of distinct switches with endpoints; if no switch has endpoints, all switches
    count. Histograms are uint64: entry n counts the pairs or paths with value n. In groups of equal-cost next hops,
    paths follow the first one.
    """

    pairs: int
    """Ordered pairs."""
    mean_hops: float
    """Mean over pairs of the mean hops of the pair's paths."""
    mean_hops_of_pairs: NDArray[np.float64]
    """Values of the mean hops of a pair, ascending, each with the number of pairs that have it; float64 (n, 2)."""
    paths: NDArray[np.uint64]
    """Number of pairs by their number of paths; equal paths are counted separately."""
    hops: NDArray[np.uint64]
    """Paths by number of hops."""
    shortest: NDArray[np.uint64]
    """Number of pairs by the hops of their shortest path."""
    longest: NDArray[np.uint64]
    """Number of pairs by the hops of their longest path."""
    disjoint_greedy: NDArray[np.uint64]
    """Number of pairs by their number of disjoint paths, chosen greedily in the order of the paths."""
    disjoint: NDArray[np.uint64]
    """Number of pairs by their largest number of mutually disjoint paths."""
    most_shared: NDArray[np.uint64]
    """Number of pairs by the largest number of their paths over one link; 1 if all paths of a pair are disjoint."""
    paths_over: NDArray[np.uint64]
    """Number of paths of the measured pairs over each channel."""

    def share(self, histogram: NDArray[np.uint64], least: int) -> float:
        """Return the share of pairs whose value in `histogram` is `least` or more."""
        return float(histogram[least:].sum()) / max(self.pairs, 1)
