"""Counts of disjoint paths (CDP) and path interference (PI), FatPaths §IV-B."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from tulle import _tulle
from tulle._internal.arguments import read_seed
from tulle._internal.arrays import frozen, read_integers
from tulle._internal.results import Value
from tulle._internal.text import brief
from tulle.errors import InputError, SpecError
from tulle.fabric import as_fabric

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from tulle.fabric import Fabric

__all__ = ["DisjointPaths", "Interference", "disjoint_paths", "disjoint_paths_between", "interference"]

Mode = Literal["greedy", "exact"]
Hops = int | Literal["shortest"]

_MAX_HOPS = 64
_MAX_SAMPLES = 1 << 28


class _Distribution(Value, ABC):
    """Base class of results that have one whole number per pair or quadruple. It adds statistics and a histogram."""

    network_radix: int

    @property
    @abstractmethod
    def _values(self) -> NDArray[np.integer]:
        """The whole numbers, one per pair or quadruple."""

    @cached_property
    def mean(self) -> float:
        """The mean over all pairs or quadruples."""
        values = self._values
        return float(values.mean(dtype=np.float64)) if len(values) else float("nan")

    def tail(self, share: float) -> int:
        """Return the quantile `share` of all values. For disjoint paths (CDP), 0.01 gives the 1% tail."""
        if not 0 < share <= 1:
            raise InputError(f"share={share} is out of range; legal: above 0 and at most 1")
        return int(np.quantile(self._values, share, method="inverted_cdf"))

    def share_of_radix(self, value: float) -> float:
        """Return `value` divided by the network radix k', so that fabrics can be compared."""
        return value / self.network_radix

    def histogram(self) -> dict[int, int]:
        """Return the number of occurrences of each value, in ascending order of values."""
        values, numbers = np.unique(self._values, return_counts=True)
        return dict(zip(values.tolist(), numbers.tolist(), strict=True))


@dataclass(frozen=True, eq=False)
class DisjointPaths(_Distribution):
    """Numbers of disjoint paths between pairs of switches. Made by `disjoint_paths`."""

    _MORE = ("mean", "proved")

    pairs: NDArray[np.int32]
    """The pairs of switches, int32 (n, 2)."""
    count: NDArray[np.uint32]
    """Number of disjoint paths found per pair, uint32 (n,). In exact mode it is the maximum if it equals `upper`."""
    upper: NDArray[np.uint32] | None
    """Upper bound on the number of disjoint paths, uint32 (n,); None for the greedy mode."""
    cut: NDArray[np.uint32] | None
    """Per pair, the number of cables in the smallest cut that was found, uint32 (n,); None for the greedy mode.

    The minimum cut under the hop limit lies between `count` and `cut`.
    """
    network_radix: int
    max_hops: Hops
    mode: Mode

    @property
    def _values(self) -> NDArray[np.uint32]:
        return self.count

    @property
    def proved(self) -> float | None:
        """The share of pairs whose count is proved to be the maximum; None for the greedy mode."""
        return None if self.upper is None else float((self.upper == self.count).mean())


@dataclass(frozen=True, eq=False)
class Interference(_Distribution):
    """Path interference of quadruples (a, b, c, d) of switches. Made by `interference`."""

    _MORE = ("mean",)

    quadruples: NDArray[np.int32]
    """Columns a, b, c, d: switch a sends to b, and c sends to d. int32 (n, 4)."""
    value: NDArray[np.int32]
    """Path interference I_{ac,bd} of every quadruple, int32 (n,)."""
    network_radix: int
    max_hops: int
    mode: Mode

    @property
    def _values(self) -> NDArray[np.int32]:
        return self.value


def disjoint_paths(
    fabric: Fabric | str,
    max_hops: Hops = 3,
    mode: Mode = "greedy",
    pairs: ArrayLike | int | None = None,
    seed: int = 0,
) -> DisjointPaths:
    """Count edge-disjoint paths between pairs of switches: c_l({s}, {t}) of FatPaths §IV-B1.

    Parameters
    ----------
    fabric
        A connected fabric.
    max_hops
        Hop limit of a path, l. ``"shortest"`` allows only shortest paths, which gives c_min.
    mode
        ``"greedy"`` finds a shortest path, deletes its cables, and repeats this; neighbours are searched in ascending
        order of ids. FatPaths reports this number; it is a lower bound of the maximum number. ``"exact"`` gives the
        maximum number, which is always proved for up to three hops and for shortest paths. Otherwise a search of
        limited length gives two bounds, see `DisjointPaths.upper`.
    pairs
        The pairs of switches, whole numbers (n, 2); or the number of ordered pairs to draw, uniformly with replacement;
        or None for all unordered pairs. Drawn pairs and all pairs have only switches with endpoints, if there are any.
    seed
        Seed of the random choice of pairs.

    Raises
    ------
    tulle.InputError
        For a fabric that is not connected, `max_hops` outside 1 to 64, an unknown switch, or a pair with the same
        switch twice.

    Examples
    --------
    >>> import tulle
    >>> found = disjoint_paths(tulle.Fabric("slimfly:q=5"), max_hops=3, mode="exact")
    >>> found.histogram()
    {1: 175, 7: 1050}
    """
    fabric = as_fabric(fabric, seed)
    exact, hops = _mode(mode), _hops(max_hops)
    core = fabric._core
    if pairs is None:
        chosen = _tulle.all_pairs(core)
        columns = _tulle.disjoint_paths(core, None, hops, exact)
    else:
        chosen = _rows(fabric, "pairs", pairs, 2, lambda number: _tulle.sample_pairs(core, number, read_seed(seed)))
        columns = _tulle.disjoint_paths(core, chosen.astype(np.int64), hops, exact)
    count, upper, cut = map(frozen, columns)
    if not exact:
        return DisjointPaths(frozen(chosen), count, None, None, fabric.network_radix, max_hops, mode)
    return DisjointPaths(frozen(chosen), count, upper, cut, fabric.network_radix, max_hops, mode)


def disjoint_paths_between(
    fabric: Fabric | str, sources: ArrayLike, destinations: ArrayLike, max_hops: Hops = 3, mode: Mode = "greedy"
) -> tuple[int, int | None]:
    """Count disjoint paths between two sets of switches, c_l(A, B). Return the count and, if exact, an upper bound.

    Raises
    ------
    tulle.InputError
        In the same cases as in `disjoint_paths`, and for an empty set or sets with a common switch.

    Examples
    --------
    >>> import tulle
    >>> tulle.analysis.disjoint_paths_between("slimfly:q=5", [0], [9], 3, "exact")
    (7, 7)
    """
    fabric = as_fabric(fabric)
    sets = read_integers("sources", sources), read_integers("destinations", destinations)
    exact = _mode(mode)
    count, upper, _ = _tulle.disjoint_paths_of_sets(fabric._core, *sets, _hops(max_hops), exact)
    return count, upper if exact else None


def interference(
    fabric: Fabric | str,
    max_hops: int = 3,
    mode: Mode = "greedy",
    quadruples: ArrayLike | int | None = 10_000,
    seed: int = 0,
) -> Interference:
    """Compute path interference I_{ac,bd} = c({a,c},{b}) + c({a,c},{d}) − c({a,c},{b,d}), FatPaths §IV-B2.

    Parameters
    ----------
    fabric
        A connected fabric.
    max_hops
        The hop limit of a path, l.
    mode
        How paths are counted, see `disjoint_paths`. ``"greedy"`` gives FatPaths' values, which include errors of the
        greedy count. ``"exact"`` has no such error up to three hops; with more hops, the counts may be lower bounds.
    quadruples
        The quadruples, whole numbers (n, 4), each with four different switches a, b, c, d; or the number of quadruples
        to draw; or None for all quadruples, in fabrics of up to about 180 switches. With None, swapping a and c, or b
        and d, does not give another quadruple.
    seed
        Seed of the random choice of quadruples.

    Raises
    ------
    tulle.InputError
        In the same cases as in `disjoint_paths`.

    Examples
    --------
    >>> import tulle
    >>> found = tulle.analysis.interference("slimfly:q=5", max_hops=3, quadruples=1000, seed=1)
    >>> round(found.mean, 2)
    2.09
    """
    fabric = as_fabric(fabric, seed)
    exact = _mode(mode)
    hops = _hops(max_hops)
    if hops is None:
        raise InputError(f"max_hops={max_hops} is not a number of hops; legal: 1 to {_MAX_HOPS}")
    core, seed = fabric._core, read_seed(seed)
    if quadruples is None:
        chosen = _tulle.sample_quadruples(core, None, seed)
    else:
        chosen = _rows(fabric, "quadruples", quadruples, 4, lambda number: _tulle.sample_quadruples(core, number, seed))
    values = _tulle.interference(core, chosen.astype(np.int64), hops, exact)
    return Interference(frozen(chosen), frozen(values), fabric.network_radix, hops, mode)


def _rows(fabric: Fabric, name: str, given: ArrayLike | int, columns: int, draw: _Draw) -> NDArray[np.int32]:
    """Return the given rows of switches; if a number is given, draw this number of rows."""
    if isinstance(given, (int, np.integer)):
        if not 1 <= given <= _MAX_SAMPLES:
            raise InputError(f"{name}={given} is out of range; legal: 1 to {_MAX_SAMPLES}")
        return draw(int(given))
    rows = read_integers(name, given, columns=columns)
    if rows.size and not 0 <= int(rows.min()) <= int(rows.max()) < 1 << 31:
        raise InputError(f"{name}: switch ids are {rows.min()} to {rows.max()}; legal: 0 to {fabric.num_switches - 1}")
    return rows.astype(np.int32)


def _mode(mode: str) -> bool:
    if mode not in ("greedy", "exact"):
        raise SpecError(f"mode={brief(str(mode))} is not a choice; legal: greedy, exact")
    return mode == "exact"


def _hops(max_hops: Hops) -> int | None:
    if max_hops == "shortest":
        return None
    if not isinstance(max_hops, (int, np.integer)) or not 1 <= max_hops <= _MAX_HOPS:
        raise InputError(f"max_hops={max_hops} is out of range; legal: 1 to {_MAX_HOPS}, shortest")
    return int(max_hops)


if TYPE_CHECKING:
    from collections.abc import Callable

    _Draw = Callable[[int], NDArray[np.int32]]
