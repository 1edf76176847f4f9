"""Score the paths of a routing by one number from three shares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Self

    from tulle.routing.routing import Routing

ENOUGH = 3
"""Disjoint paths that a pair needs: more than three flows seldom collide in low-diameter fabrics (FatPaths §IV-A)."""

TIE = 0.005
"""Scores count as equal if their ratio differs from 1 by less than this; another seed changes them as much."""

PAIRS = 100_000
"""Disjoint paths are counted for at most about this many pairs of switches, drawn at random."""


@dataclass(frozen=True)
class Score:
    """Three shares, each 1 at best, and their product.

    * *diversity*: disjoint paths of a pair, up to three of them, over three; the mean over pairs.
    * *directness*: mean distance over mean hops of all paths: what part of the bandwidth that paths take a minimal
      routing would take as well (FatPaths §IV-B3, total network load).
    * *evenness*: 1 / (1 + v), v the standard deviation of paths per channel over their mean.
    """

    diversity: float
    directness: float
    evenness: float
    disjoint: float
    """The share of pairs with at least three disjoint paths."""
    mean_hops: float
    """Mean hops of all paths."""
    longest: int
    """Hops of the longest path."""
    spread: float
    """v."""
    sampled: bool
    """Whether disjoint paths were counted for a sample of pairs; all other figures cover all pairs."""

    @property
    def total(self) -> float:
        """The product."""
        return self.diversity * self.directness * self.evenness

    @classmethod
    def of(cls, routing: Routing, drawn: Routing, distance: float, seed: int) -> Self:
        """Measure layers on a fabric with mean distance `distance`; count disjoint paths for the pairs `drawn`."""
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
        )


def hops_of(routing: Routing) -> NDArray[np.uint64]:
    """Count pairs by the hops of their paths, over all layers."""
    if routing.fabric.num_endpoints:
        # Hops and loads cover all pairs, because they need no walk along paths.
        counts = [routing.hop_counts(layer) for layer in range(routing.num_layers)]
    else:
        counts = [routing.quality().hops]
    hops = np.zeros(max(map(len, counts)), dtype=np.uint64)
    for count in counts:
        hops[: len(count)] += count
    return hops
