"""Bisection: lower and upper bound of the minimum number of cables between two halves of a fabric."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tulle._internal.arguments import read_seed
from tulle._internal.arrays import frozen
from tulle._internal.results import Value
from tulle.errors import InputError, MissingDependencyError
from tulle.fabric import as_fabric

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tulle.fabric import Fabric

__all__ = ["Bisection", "bisection"]

_MAX_TRIES = 10_000


@dataclass(frozen=True, eq=False)
class Bisection(Value):
    """A split of the switches into two halves with nearly equally many endpoints. Made by `bisection`."""

    _MORE = ("per_endpoint",)

    cut: int
    """Number of cables between these two halves: an upper bound of the minimum."""
    lower: float
    """Spectral lower bound of the cut: λ₂(L)·w₁·w₂/(w₁ + w₂). The halves have w₁ and w₂ switches.

    It is 0 if switches have different numbers of endpoints, because halves may then have different numbers of switches.
    """
    half: NDArray[np.uint8]
    """The half (0 or 1) of each switch, uint8 (S,)."""
    weights: tuple[int, int]
    """Number of endpoints in each half; number of switches if the fabric has no endpoints."""

    @property
    def per_endpoint(self) -> float:
        """Upper bound of the bisection bandwidth per endpoint, in units of a cable's bandwidth.

        It is the cut divided by half of the endpoints.
        """
        return 2 * self.cut / sum(self.weights)


def bisection(fabric: Fabric | str, tries: int = 20, seed: int = 0) -> Bisection:
    """Split the switches into halves with METIS several times, and keep the smallest cut. Needs ``tulle[partition]``.

    The numbers of endpoints in the halves differ by at most the endpoints of one switch. If METIS leaves a larger
    difference, switches are moved one by one; each time, the switch is chosen that adds the fewest cables to the cut.
    METIS gives an upper bound of the minimum cut; the spectrum gives a lower bound.

    Parameters
    ----------
    fabric
        A connected fabric with at least two switches.
    tries
        Number of METIS runs, each with its own seed.
    seed
        Seed of the first run.

    Raises
    ------
    tulle.InputError
        For a fabric that is not connected or has fewer than two switches, or `tries` outside 1 to 10000.
    tulle.MissingDependencyError
        If pymetis is not installed.

    Examples
    --------
    >>> import tulle
    >>> tulle.analysis.bisection("clique:degree=3,p=1").cut
    4
    """
    fabric = as_fabric(fabric, seed)
    from tulle.analysis.spectral import algebraic_connectivity, check

    check(fabric)
    if not 1 <= tries <= _MAX_TRIES:
        raise InputError(f"tries={tries} is out of range; legal: 1 to {_MAX_TRIES}")
    try:
        import pymetis
    except ModuleNotFoundError:
        raise MissingDependencyError("bisection needs pymetis; install tulle[partition]") from None
    seed = read_seed(seed)
    switches = fabric.num_switches
    weights = np.bincount(fabric.endpoint_switch, minlength=switches).astype(np.int64)
    if not weights.any():
        weights = np.ones(switches, dtype=np.int64)
    pairs, cables = np.unique(fabric.channels, axis=0, return_counts=True)
    rows = np.concatenate([[0], np.cumsum(np.bincount(pairs[:, 0], minlength=switches))])
    best: tuple[int, NDArray[np.uint8]] | None = None
    for at in range(tries):
        options = pymetis.Options(seed=(seed + at) % (1 << 31), ufactor=1, niter=30, ncuts=2)
        _, parts = pymetis.part_graph(
            2,
            pymetis.CSRAdjacency(rows.tolist(), pairs[:, 1].tolist()),
            vweights=weights.tolist(),
            eweights=cables.tolist(),
            recursive=True,
            options=options,
        )
        half = _balance(np.asarray(parts, dtype=np.uint8), weights, rows, pairs[:, 1], cables)
        cut = int(cables[half[pairs[:, 0]] != half[pairs[:, 1]]].sum()) // 2
        if best is None or cut < best[0]:
            best = cut, half
    assert best is not None
    cut, half = best
    sizes = np.bincount(half, minlength=2)
    alike = bool((weights == weights[0]).all())
    lower = algebraic_connectivity(fabric) * int(sizes[0]) * int(sizes[1]) / switches if alike else 0.0
    sums = np.bincount(half, weights=weights, minlength=2).astype(np.int64)
    return Bisection(cut, lower, frozen(half), (int(sums[0]), int(sums[1])))


def _balance(
    half: NDArray[np.uint8],
    weights: NDArray[np.int64],
    rows: NDArray[np.int64],
    targets: NDArray[np.int32],
    cables: NDArray[np.int64],
) -> NDArray[np.uint8]:
    """Move switches to the lighter half while this reduces the difference in weight. Return the new halves."""
    sign = 1 - 2 * half.astype(np.int64)
    while True:
        excess = int((sign * weights).sum())
        heavy = 1 if excess > 0 else -1
        # Moving a switch of weight w changes the difference by 2w, so the move helps only if w is below the difference.
        movable = np.flatnonzero((sign == heavy) & (weights > 0) & (weights < abs(excess)))
        if len(movable) == 0:
            return (sign < 0).astype(np.uint8)
        costs = [
            int((cables[rows[at] : rows[at + 1]] * sign[targets[rows[at] : rows[at + 1]]]).sum()) for at in movable
        ]
        sign[movable[int(np.argmin(np.array(costs) * heavy))]] = -heavy
