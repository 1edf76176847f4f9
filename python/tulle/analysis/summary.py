"""Path diversity, cuts and throughput of x communicating pairs, all in numbers of disjoint paths (FatPaths §VIII-B)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tulle import _tulle
from tulle._internal.arguments import read_gap, read_seed
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
class Measures:
    """The disjoint paths of x communicating pairs of switches, in numbers; means over draws. Made by `measures`.

    A are the x sending switches, B the receiving ones, b_i the partner of a_i; all 2x differ.
    """

    pairs: int
    """x."""
    alone: float
    """Σ c_l({a_i}, {b_i}): paths if every pair had the fabric to itself."""
    reachability: float
    """Σ c_l(A, {b_i}): paths into every receiver alone, from any sender."""
    together: float
    """c_l(A, B): paths of all senders to all receivers at a time."""
    cut: float
    """Cables that must fail to part A from B: c(A, B) without a limit of hops."""
    lower: float
    """x times the rate, in links, that all pairs reach at a time over any paths."""
    upper: float
    """x times a rate that not all pairs can exceed at a time."""

    @property
    def interference(self) -> float:
        """Σ c_l(A, {b_i}) − c_l(A, B); for two pairs the I_{ac,bd} of FatPaths §IV-B2."""
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
    """Draw x pairs of different switches and measure their joint properties.

    As x grows from 1 to half of the switches, the numbers lead from the connectivity of a pair over the interference of
    two to cuts into halves, and the throughput from the cables of a switch to the throughput of the whole fabric (after
    FatPaths Fig. 18, which draws the relations without values).

    Parameters
    ----------
    fabric
        A connected fabric.
    pairs
        x, at most half of the switches that carry endpoints (of all, where none does).
    max_hops, mode
        For the counts c_l, as in `disjoint_paths`.
    draws
        Number of draws of x pairs: without replacement, uniformly.
    gap
        How far apart the bounds of the throughput may be, as ``"5%"`` or 0.05.
    seed
        Of the draws.

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
        legal = f"1 to {len(switches) // 2}, half of the switches that carry endpoints"
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
    """Draw x pairs of different switches this many times, int64 (x, 2).

    The order in which distinct switches first appear in a random stream is a uniformly random order.
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
        # A longer stream has a shorter one as its prefix.
        number *= 2


def _cut(fabric: Fabric, sources: NDArray[np.int64], destinations: NDArray[np.int64]) -> int:
    """The fewest cables between two sets, by a maximum flow."""
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
