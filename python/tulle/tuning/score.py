"""Score the paths of a routing by the product of three fractions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tulle._internal.html_summary import Shown

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Self

    from tulle.routing.routing import Routing

ENOUGH = 3
"""Disjoint paths that a pair needs: more than three flows seldom collide in low-diameter fabrics (FatPaths §IV-A)."""

TIE = 0.005
"""Scores count as equal if their ratio differs from 1 by less than this. Another seed changes a score by as much."""

PAIRS = 100_000
"""Disjoint paths are counted for at most about this many pairs of switches, chosen at random."""


@dataclass(frozen=True)
class Score(Shown):
    """A score of the paths of a routing: the product of three fractions, each at most 1.

    * *diversity*: the number of disjoint paths of a pair, at most three, divided by three; mean over pairs.
    * *directness*: mean distance divided by mean hops of all paths. This is the bandwidth that a minimal routing uses,
      as a fraction of the bandwidth that these paths use (FatPaths §IV-B3, total network load).
    * *evenness*: 1 / (1 + v), where v is the standard deviation of paths per channel divided by their mean.
    """

    _MORE = ("total",)

    diversity: float
    directness: float
    evenness: float
    disjoint: float
    """The share of pairs with at least three disjoint paths; a lower bound if `is_lower_bound`."""
    mean_hops: float
    """Mean hops of all paths."""
    longest: int
    """Hops of the longest path."""
    spread: float
    """The standard deviation of paths per channel, divided by their mean."""
    sampled: bool
    """Whether disjoint paths were counted only for a sample of pairs; all other values cover all pairs."""
    is_lower_bound: bool = False
    """Whether the routing has groups of equal-cost next hops. Disjoint paths are then counted over a few random choices
    of one next hop per group, so `diversity` and `disjoint` are lower bounds."""

    @property
    def total(self) -> float:
        """The product of diversity, directness and evenness."""
        return self.diversity * self.directness * self.evenness

    @classmethod
    def of(cls, routing: Routing, drawn: Routing, distance: float, seed: int) -> Self:
        """Score `routing`; `distance` is the fabric's mean distance.

        `drawn` is `routing` with random single ports instead of equal-cost groups. Disjoint paths are counted on it.
        """
        quality = drawn.quality(pairs=PAIRS, seed=seed)
        hops = hops_of(routing)
        mean = float(hops @ np.arange(len(hops), dtype=np.uint64)) / float(hops.sum())
        over = routing.paths_over()
        spread = float(over.std() / over.mean())
        disjoint = quality.disjoint.astype(np.float64)
        enough = np.minimum(np.arange(len(disjoint)), ENOUGH)
        return cls(
            diversity=float(disjoint @ enough) / (ENOUGH * quality.pairs),
            directness=distance / mean,
            evenness=1 / (1 + spread),
            disjoint=quality.share(quality.disjoint, ENOUGH),
            mean_hops=mean,
            longest=len(hops) - 1,
            spread=spread,
            sampled=quality.pairs * routing.num_layers < int(hops.sum()),
            is_lower_bound=drawn is not routing,
        )


def hops_of(routing: Routing) -> NDArray[np.uint64]:
    """Count pairs of switches by the hops of their paths, summed over all layers."""
    if routing.fabric.num_endpoints:
        # The hops cover all pairs, because they can be counted without following each path.
        counts = [routing.hop_counts(layer) for layer in range(routing.num_layers)]
    else:
        counts = [routing.quality().hops]
    hops = np.zeros(max(map(len, counts)), dtype=np.uint64)
    for count in counts:
        hops[: len(count)] += count
    return hops
