"""Count edge-disjoint virtual up-down paths of sampled pairs, for fabrics too large for the paths of all pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tulle import _tulle
from tulle._internal.arguments import read_seed
from tulle._internal.arrays import frozen
from tulle.errors import InputError
from tulle.fabric import as_fabric

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tulle.fabric import Fabric

__all__ = ["VirtualUpdownPaths", "virtual_updown_paths"]


@dataclass(frozen=True)
class VirtualUpdownPaths:
    """Counts and hops of the virtual up-down paths of sampled pairs of switches."""

    count: NDArray[np.uint32]
    """Number of edge-disjoint virtual up-down paths of each pair, shape (n,)."""
    hops: NDArray[np.uint32]
    """Total hops of the paths of each pair, shape (n,)."""

    @property
    def mean_hops(self) -> float:
        """The mean over pairs of the mean hops of a pair's paths; 0 if no pair has a path."""
        some = self.count > 0
        return float((self.hops[some] / self.count[some]).mean()) if some.any() else 0.0


def virtual_updown_paths(fabric: Fabric | str, pairs: int = 3000, seed: int = 0) -> VirtualUpdownPaths:
    """Count the paths of the routing `virtual-updown` for random pairs of switches (Flattened Clos §3.2).

    `pairs` pairs are drawn with replacement under `seed`. Each pair has the number and total length of paths that the
    routing of all pairs gives it. A fabric given as a spec is built under the same seed.

    Raises
    ------
    tulle.SpecError, tulle.InputError
        For an illegal spec or value, or a fabric without virtual layers.
    """
    if not 1 <= pairs < 1 << 32:
        raise InputError(f"pairs={pairs} is out of range; legal: 1 to {(1 << 32) - 1}")
    counts = _tulle.virtual_updown_counts(as_fabric(fabric, seed)._core, pairs, read_seed(seed))
    return VirtualUpdownPaths(frozen(counts[:, 0]), frozen(counts[:, 1]))
