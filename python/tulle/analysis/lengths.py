"""Compute lengths and numbers of shortest paths, numbers of walks, and next hops."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tulle import _tulle
from tulle._internal.arrays import frozen
from tulle._internal.results import Value
from tulle.errors import InputError
from tulle.fabric import as_fabric

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tulle.fabric import Fabric

__all__ = ["Distances", "NextHops", "distances", "next_hop_counts", "next_hops", "walks"]

_UNREACHED = 255
_LONGEST_WALK = 64


@dataclass(frozen=True, eq=False)
class Distances(Value):
    """Shortest paths between all ordered pairs of switches. Made by `distances`."""

    _MORE = ("mean_hops", "diameter")

    hops: NDArray[np.uint8]
    """Hops of the shortest path of every pair of switches, uint8 (S, S)."""
    counts: NDArray[np.uint32]
    """Numbers of shortest paths, uint32 (S, S). Parallel cables count separately. 2³² − 1 means at least this many."""
    members: NDArray[np.int64]
    """Switches with endpoints, or all switches of a fabric without endpoints. `pairs` and the means cover only them."""

    @property
    def mean_hops(self) -> float:
        """Mean hops over ordered pairs of distinct switches in `members`."""
        number = len(self.members)
        return float(self._among(self.hops).sum(dtype=np.int64)) / (number * (number - 1)) if number > 1 else 0.0

    @property
    def diameter(self) -> int:
        """Maximum number of hops between two switches in `members`."""
        return int(self._among(self.hops).max(initial=0))

    def pairs(self) -> NDArray[np.int64]:
        """Count ordered pairs of distinct switches in `members` by hops and number of shortest paths.

        Return ascending rows (hops, number of shortest paths, number of pairs), int64 (n, 3).
        """
        apart = ~np.eye(len(self.members), dtype=bool)
        keys = self._among(self.hops)[apart].astype(np.int64) << 32 | self._among(self.counts)[apart]
        kinds, numbers = np.unique(keys, return_counts=True)
        return np.stack([kinds >> 32, kinds & 0xFFFFFFFF, numbers], axis=1)

    def _among(self, matrix: NDArray[np.integer]) -> NDArray[np.integer]:
        if len(self.members) == len(matrix):
            return matrix
        return matrix[np.ix_(self.members, self.members)]


def distances(fabric: Fabric | str) -> Distances:
    """Compute hops and numbers of shortest paths between all pairs of S switches. This needs 5·S² bytes of memory.

    Raises
    ------
    tulle.InputError
        For a fabric that is not connected, or whose diameter is above 254.

    Examples
    --------
    >>> import tulle
    >>> tulle.analysis.distances("slimfly:q=5").pairs().tolist()  # hops, shortest paths, pairs of switches
    [[1, 1, 350], [2, 1, 2100]]
    """
    fabric = as_fabric(fabric)
    hops, counts = _tulle.shortest_paths(fabric._core)
    _check_reached(fabric, hops)
    return Distances(frozen(hops), frozen(counts), members(fabric))


def walks(fabric: Fabric | str, length: int) -> NDArray[np.uint64]:
    """Count the walks of exactly `length` hops between all ordered pairs of switches, uint64 (S, S).

    The result is the matrix power A^length (FatPaths App. B-A). Walks may repeat switches and cables. 2⁶⁴ − 1 means at
    least this many.

    Raises
    ------
    tulle.InputError
        For a length outside 0 to 64.

    Examples
    --------
    >>> import tulle
    >>> int(tulle.analysis.walks("clique:degree=3", 2)[0, 1])
    2
    """
    fabric = as_fabric(fabric)
    if not 0 <= length <= _LONGEST_WALK:
        raise InputError(f"length={length} is out of range; legal: 0 to {_LONGEST_WALK}")
    return frozen(_tulle.walks(fabric._core, length))


def next_hop_counts(fabric: Fabric | str) -> NDArray[np.uint16]:
    """Count, for every pair of switches, the channels that start a shortest path between them, uint16 (S, S).

    Examples
    --------
    >>> import tulle
    >>> int(tulle.analysis.next_hop_counts("hyperx:shape=2x2,p=1")[0, 3])
    2
    """
    fabric = as_fabric(fabric)
    return frozen(_tulle.next_hop_counts(fabric._core))


@dataclass(frozen=True, eq=False)
class NextHops(Value):
    """For all ordered pairs of switches, the channels that start shortest paths. Made by `next_hops`."""

    offsets: NDArray[np.int64]
    """Position of the first channel of each pair, int64 (S² + 1,); pair (s, d) has index s·S + d."""
    channels: NDArray[np.int32]
    """Rows of `Fabric.channels`, ascending within a pair, int32 (n,)."""
    num_switches: int

    def of(self, switch: int, destination: int) -> NDArray[np.int32]:
        """Return the channels of `switch` that start a shortest path to `destination`; empty if the two are equal."""
        for name, value in (("switch", switch), ("destination", destination)):
            if not 0 <= value < self.num_switches:
                raise InputError(f"{name}={value} is out of range; legal: 0 to {self.num_switches - 1}")
        pair = switch * self.num_switches + destination
        return self.channels[self.offsets[pair] : self.offsets[pair + 1]]


def next_hops(fabric: Fabric | str) -> NextHops:
    """Compute, for every pair of switches, the channels that start a shortest path from the first to the second.

    This needs 8·S² bytes of memory for S switches, and 4 bytes per channel in the result.

    Examples
    --------
    >>> import tulle
    >>> fabric = tulle.Fabric("hyperx:shape=3x3")
    >>> fabric.channels[next_hops(fabric).of(0, 4)].tolist()
    [[0, 1], [0, 3]]
    """
    fabric = as_fabric(fabric)
    offsets, channels = _tulle.next_hops(fabric._core)
    return NextHops(frozen(offsets), frozen(channels), fabric.num_switches)


def members(fabric: Fabric) -> NDArray[np.int64]:
    """Return the switches with endpoints, ascending, or all switches if there are no endpoints."""
    found = np.unique(fabric.endpoint_switch).astype(np.int64)
    return found if len(found) else np.arange(fabric.num_switches, dtype=np.int64)


def _check_reached(fabric: Fabric, hops: NDArray[np.uint8]) -> None:
    if hops.max(initial=0) == _UNREACHED:
        source, destination = np.argwhere(hops == _UNREACHED)[0]
        problem = f"no path of up to 254 hops from switch {source} to switch {destination}"
        raise InputError(f"{fabric.spec}: {problem}; legal: a connected fabric")
