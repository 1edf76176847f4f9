"""Count edge-disjoint virtual up-down paths of sampled pairs of switches, without routing all pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tulle import _tulle
from tulle._internal.arguments import read_seed
from tulle._internal.arrays import frozen
from tulle._internal.html_summary import Shown
from tulle.errors import InputError
from tulle.fabric import as_fabric

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tulle.fabric import Fabric

__all__ = ["VirtualUpdownPaths", "virtual_updown_paths"]


@dataclass(frozen=True)
class VirtualUpdownPaths(Shown):
    """Number and total hops of the virtual up-down paths, per sampled pair of switches."""

    _MORE = ("mean_hops",)

    count: NDArray[np.uint32]
    """Number of edge-disjoint virtual up-down paths of each pair, shape (n,)."""
    hops: NDArray[np.uint32]
    """Total hops of the paths of each pair, shape (n,)."""

    @property
    def mean_hops(self) -> float:
        """The mean hops of the paths of a pair, averaged over all pairs that have paths; 0 if no pair has a path."""
        some = self.count > 0
        return float((self.hops[some] / self.count[some]).mean()) if some.any() else 0.0


def virtual_updown_paths(fabric: Fabric | str, pairs: int = 3000, seed: int = 0) -> VirtualUpdownPaths:
    """Count the paths of the routing `virtual-updown` for random pairs of switches (Flattened Clos §3.2).

    The function draws `pairs` pairs with replacement, using `seed`. The paths of a pair are equal to its paths in the
    complete routing. A fabric given as a spec is built with the same seed.

    Raises
    ------
    tulle.SpecError, tulle.InputError
        For an illegal spec or value, or a fabric without virtual layers.

    Examples
    --------
    >>> import tulle
    >>> found = tulle.analysis.virtual_updown_paths("flattenedclos:switches=60,ports=16,layers=3,p=4", pairs=100)
    >>> round(float(found.count.mean()), 1)
    2.5
    """
    if not 1 <= pairs < 1 << 32:
        raise InputError(f"pairs={pairs} is out of range; legal: 1 to {(1 << 32) - 1}")
    counts = _tulle.virtual_updown_counts(as_fabric(fabric, seed)._core, pairs, read_seed(seed))
    return VirtualUpdownPaths(frozen(counts[:, 0]), frozen(counts[:, 1]))
