"""Compute the spectral gap and bounds of the edge expansion of a fabric."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tulle._internal.html_summary import Shown
from tulle.errors import InputError
from tulle.fabric import as_fabric

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tulle.fabric import Fabric

__all__ = ["Spectrum", "algebraic_connectivity", "spectrum"]

# Up to this number of switches, a dense eigenvalue solver is as fast as a sparse solver and needs no start vector.
_DENSE = 400


@dataclass(frozen=True)
class Spectrum(Shown):
    """Eigenvalues and bounds of the edge expansion of a fabric. Made by `spectrum`."""

    _MORE = ("gap",)

    largest: float
    """λ₁ of the adjacency matrix: k' if every switch has k' cables."""
    second: float
    """λ₂ of the adjacency matrix, its second largest eigenvalue."""
    least: float
    """The smallest eigenvalue of the adjacency matrix."""
    algebraic_connectivity: float
    """λ₂(L), the second smallest eigenvalue of the Laplacian. It is λ₁ − λ₂ if all switches have k' cables."""
    expansion_lower: float
    """Lower bound of the edge expansion (outgoing cables per switch of a set): λ₂(L)/2."""
    expansion_upper: float
    """Upper bound of the edge expansion: the best sweep cut along the eigenvector of λ₂(L), or a cut around one switch.
    """

    @property
    def gap(self) -> float:
        """The spectral gap λ₁ − λ₂ of the adjacency matrix."""
        return self.largest - self.second


def spectrum(fabric: Fabric | str) -> Spectrum:
    """Compute the spectral gap and bounds of the edge expansion min |cables out of X| / |X|, |X| ≤ S/2.

    Parallel cables are counted separately. The lower bound is by Alon and Milman; the upper bound is from a sweep cut.

    Raises
    ------
    tulle.InputError
        For a fabric that is not connected or has fewer than two switches.

    Examples
    --------
    >>> import tulle
    >>> found = tulle.analysis.spectrum("clique:degree=3")
    >>> round(found.gap, 3)
    4.0
    """
    fabric = as_fabric(fabric)
    check(fabric)
    adjacency, degrees = _adjacency(fabric)
    values, _ = _largest(adjacency, 2)
    least = -_largest(-adjacency, 1)[0][0]
    connectivity, vector = _fiedler(adjacency, degrees)
    upper = min(_sweep(fabric, vector), float(degrees.min()))
    return Spectrum(float(values[0]), float(values[1]), float(least), connectivity, connectivity / 2, upper)


def algebraic_connectivity(fabric: Fabric | str) -> float:
    """Return the second smallest eigenvalue of the Laplacian of a fabric."""
    fabric = as_fabric(fabric)
    return _fiedler(*_adjacency(fabric))[0]


def check(fabric: Fabric) -> None:
    """Raise an error for fabrics without a spectrum: fewer than two switches, or not connected."""
    if fabric.num_switches < 2:
        raise InputError(f"{fabric.spec} has {fabric.num_switches} switches; legal: 2 or more")
    from scipy.sparse.csgraph import connected_components

    if connected_components(_adjacency(fabric)[0], directed=False)[0] > 1:
        raise InputError(f"{fabric.spec}: it is not connected; legal: a connected fabric")


def _adjacency(fabric: Fabric) -> tuple[Any, NDArray[np.float64]]:
    from scipy.sparse import csr_array

    channels, switches = fabric.channels, fabric.num_switches
    ones = np.ones(len(channels))
    matrix = csr_array((ones, (channels[:, 0], channels[:, 1])), shape=(switches, switches))
    return matrix, np.bincount(channels[:, 0], minlength=switches).astype(np.float64)


def _largest(matrix: Any, number: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the largest eigenvalues, descending, and their eigenvectors as columns."""
    switches = matrix.shape[0]
    if switches <= _DENSE:
        values, vectors = np.linalg.eigh(matrix.toarray())
    else:
        from scipy.sparse.linalg import eigsh

        # A fixed start vector makes the result reproducible.
        start = np.random.default_rng(1).standard_normal(switches)
        values, vectors = eigsh(matrix, k=number, which="LA", v0=start)
    order = np.argsort(values)[::-1][:number]
    return values[order], vectors[:, order]


def _fiedler(adjacency: Any, degrees: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
    """Return λ₂(L), the second smallest eigenvalue of the Laplacian, and its eigenvector.

    Both are computed from the two largest eigenvalues of c·I − L, where c is twice the largest degree, because the
    solver finds large eigenvalues much faster than small ones.
    """
    from scipy.sparse import diags_array

    shift = 2 * float(degrees.max())
    values, vectors = _largest(adjacency + diags_array(shift - degrees), 2)
    return max(shift - float(values[1]), 0.0), vectors[:, 1]


def _sweep(fabric: Fabric, vector: NDArray[np.float64]) -> float:
    """Return the minimum number of outgoing cables per switch over some sets of switches.

    The sets contain the first or the last switches in the order of `vector`, and at most half of all switches.
    """
    switches = fabric.num_switches
    place = np.empty(switches, dtype=np.int64)
    place[np.argsort(vector, kind="stable")] = np.arange(switches)
    ends = np.sort(place[fabric.edges], axis=1)
    # A cable leaves the set of the first n switches if exactly one of its ends is in this set.
    starts = np.bincount(ends[:, 0], minlength=switches)
    stops = np.bincount(ends[:, 1], minlength=switches)
    cut = np.cumsum(starts - stops)[:-1]
    smaller = np.minimum(np.arange(1, switches), switches - np.arange(1, switches))
    return float((cut / smaller).min())
