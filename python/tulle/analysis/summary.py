"""Path diversity, cut and throughput of x communicating pairs of switches (FatPaths §VIII-B)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tulle import _tulle
from tulle._internal.arguments import read_gap, read_seed
from tulle._internal.html_summary import Shown
from tulle.analysis.demand import Demands
from tulle.analysis.diversity import Mode, disjoint_paths, disjoint_paths_between
from tulle.analysis.lengths import members
from tulle.errors import InputError
from tulle.fabric import as_fabric

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tulle.fabric import Fabric

__all__ = ["Measures", "measures"]

_MAX_DRAWS = 10_000


@dataclass(frozen=True)
class Measures(Shown):
    """Path diversity, cut and throughput of x communicating pairs of switches, averaged over draws. Made by `measures`.

    A is the set of the x senders, and B is the set of the x receivers. a_i sends to b_i. The 2x switches are all
    different.
    """

    _MORE = ("interference",)

    pairs: int
    """The number of pairs, x."""
    alone: float
    """Σ c_l({a_i}, {b_i}): the number of disjoint paths if each pair uses the fabric alone."""
    reachability: float
    """Σ c_l(A, {b_i}): the number of disjoint paths from all senders to one receiver, summed over receivers."""
    together: float
    """c_l(A, B): the number of disjoint paths from all senders to all receivers."""
    cut: float
    """Minimum number of cables whose failure separates A from B: c(A, B) without a hop limit."""
    lower: float
    """x times the rate, in units of a link's rate, that all pairs reach at the same time over any paths."""
    upper: float
    """x times an upper bound of the rate that all pairs can reach at the same time."""

    @property
    def interference(self) -> float:
        """Σ c_l(A, {b_i}) − c_l(A, B). For two pairs this is I_{ac,bd} of FatPaths §IV-B2."""
        return self.reachability - self.together


def measures(
    fabric: Fabric | str,
    pairs: int,
    max_hops: int = 3,
    mode: Mode = "greedy",
    draws: int = 10,
    gap: float | str = "5%",
    seed: int = 0,
) -> Measures:
    """Draw x pairs of different switches and measure their path diversity, cut and throughput together.

    For x = 1 the counts are the connectivity of a pair. For x = 2 they give the interference of two pairs. If all
    switches take part, `together` and `cut` are the number of cables between two halves. FatPaths Fig. 18 shows these
    relations without values.

    Parameters
    ----------
    fabric
        A connected fabric.
    pairs
        The number of pairs x: at most half of the switches with endpoints, or of all switches if there are no
        endpoints.
    max_hops, mode
        Hop limit and mode of the counts c_l, see `disjoint_paths`.
    draws
        The number of draws of x pairs: uniform, without replacement.
    gap
        The largest relative gap between the throughput bounds, for example ``"5%"`` or 0.05.
    seed
        Seed of the draws.

    Raises
    ------
    tulle.InputError
        For a fabric that is not connected, and values out of range.

    Examples
    --------
    >>> import tulle
    >>> found = measures(tulle.Fabric("clique:degree=9"), pairs=5, max_hops=2, mode="exact", draws=1)
    >>> found.alone, found.together, found.cut
    (45.0, 25.0, 25.0)
    """
    fabric = as_fabric(fabric, seed)
    from tulle.analysis.concurrent_flow.run import throughput

    switches = members(fabric)
    if not 1 <= pairs <= len(switches) // 2:
        legal = f"1 to {len(switches) // 2}, half of the switches with endpoints"
        raise InputError(f"pairs={pairs} is out of range; legal: {legal}")
    if not 1 <= draws <= _MAX_DRAWS:
        raise InputError(f"draws={draws} is out of range; legal: 1 to {_MAX_DRAWS}")
    gap = read_gap(gap)
    found = np.zeros(6)
    for chosen in _draw(fabric, pairs, draws, read_seed(seed)):
        sources, destinations = chosen.T
        alone = int(disjoint_paths(fabric, max_hops, mode, chosen).count.sum())
        reachability = sum(disjoint_paths_between(fabric, sources, [to], max_hops, mode)[0] for to in destinations)
        together, _ = disjoint_paths_between(fabric, sources, destinations, max_hops, mode)
        demands = Demands(fabric.num_switches, sources, destinations, np.ones(pairs))
        rate = throughput(fabric, demands, gap=gap)
        found += (
            alone,
            reachability,
            together,
            _cut(fabric, sources, destinations),
            pairs * rate.lower,
            pairs * rate.upper,
        )
    return Measures(pairs, *(found / draws).tolist())


def _draw(fabric: Fabric, pairs: int, draws: int, seed: int) -> list[NDArray[np.int64]]:
    """Return `draws` arrays of x pairs of switches, int64 (x, 2). The 2x switches of an array are all different.

    The switches are taken from a random stream, in the order of their first appearance, which is a random permutation.
    """
    number = 4 * pairs * draws
    while True:
        stream = _tulle.sample_pairs(fabric._core, number, seed).astype(np.int64).ravel()
        found: list[NDArray[np.int64]] = []
        start = 0
        while len(found) < draws:
            _, firsts = np.unique(stream[start:], return_index=True)
            firsts = np.sort(firsts)[: 2 * pairs] + start
            if len(firsts) < 2 * pairs:
                break
            found.append(stream[firsts].reshape(pairs, 2))
            start = int(firsts[-1]) + 1
        else:
            return found
        # A longer stream starts with the same switches as a shorter stream, so its length does not affect the draws.
        number *= 2


def _cut(fabric: Fabric, sources: NDArray[np.int64], destinations: NDArray[np.int64]) -> int:
    """Return the size of the minimum cut between two sets of switches, in cables, by a maximum flow."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_flow

    start, end = fabric.num_switches, fabric.num_switches + 1
    links, cables = np.unique(fabric.channels, axis=0, return_counts=True)
    much = len(fabric.channels)
    tails = np.concatenate([links[:, 0], np.full(len(sources), start), destinations])
    heads = np.concatenate([links[:, 1], sources, np.full(len(destinations), end)])
    capacity = np.concatenate([cables, np.full(len(sources) + len(destinations), much)]).astype(np.int32)
    network = csr_array((capacity, (tails.astype(np.int32), heads.astype(np.int32))), shape=(end + 1, end + 1))
    return int(maximum_flow(network, start, end).flow_value)
