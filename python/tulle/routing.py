"""Routings: which paths packets may take, as arrays of channels."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from tulle import _tulle
from tulle._arguments import frozen, read_seed
from tulle.errors import SpecError

if TYPE_CHECKING:
    from os import PathLike

    import numpy as np
    from numpy.typing import NDArray
    from typing_extensions import Self

    from tulle.fabric import Fabric

__all__ = ["Quality", "Routing", "VcPlan", "route"]


def route(fabric: Fabric, spec: str, seed: int = 0) -> Routing:
    """Routes a fabric.

    Parameters
    ----------
    fabric
        A connected fabric.
    spec
        ``scheme:key=value,…``, as ``random:layers=9,rho=0.6``; ``tulle list routings`` shows the schemes.
    seed
        Of random schemes; others ignore it.

    Raises
    ------
    tulle.SpecError
        For an unknown scheme or parameter or an illegal value.
    tulle.InputError
        For a fabric that the scheme cannot route, as one that is not connected.

    Examples
    --------
    >>> import tulle
    >>> routing = tulle.route(tulle.Fabric("slimfly:q=5"), "random:layers=4,rho=0.7")
    >>> routing.num_layers, routing.next_hop.shape
    (4, (4, 50, 50))
    """
    seed = read_seed(seed)
    return Routing(_tulle.route(fabric._core, spec, seed), fabric, seed)


@dataclass(frozen=True)
class Quality:
    """What the paths of a routing offer per pair and how they load the channels. Made by `Routing.quality`.

    Over the ordered pairs of distinct switches that carry endpoints. Histograms are uint64: entry n counts what has n.
    """

    pairs: int
    """Ordered pairs."""
    mean_hops: float
    """Mean over pairs of the mean hops of the pair's paths."""
    mean_hops_of_pairs: NDArray[np.float64]
    """The mean hops of a pair's paths, ascending, and the pairs that have them, float64 (n, 2)."""
    paths: NDArray[np.uint64]
    """Pairs by their number of paths, equal ones counted each."""
    hops: NDArray[np.uint64]
    """Paths by their hops."""
    shortest: NDArray[np.uint64]
    """Pairs by the hops of their shortest path."""
    longest: NDArray[np.uint64]
    """Pairs by the hops of their longest path."""
    disjoint_greedy: NDArray[np.uint64]
    """Pairs by their disjoint paths, taken in order wherever they share nothing with those taken before."""
    disjoint: NDArray[np.uint64]
    """Pairs by the most of their paths that are mutually disjoint."""
    most_shared: NDArray[np.uint64]
    """Pairs by the most of their paths that cross one link; 1 where all are disjoint."""
    paths_over: NDArray[np.uint64]
    """Per channel, the paths of all pairs over it."""

    def share(self, histogram: NDArray[np.uint64], least: int) -> float:
        """The share of pairs that `histogram` counts at `least` or more."""
        return float(histogram[least:].sum()) / max(self.pairs, 1)


@dataclass(frozen=True)
class VcPlan:
    """Virtual channels that keep a routing free of deadlock, and the proof. Made by `Routing.deadlock_free`."""

    spec: str
    """Canonical spec of the scheme."""
    scheme: str
    """Its name."""
    num_vcs: int
    """Virtual channels (virtual lanes) in use, spare ones included."""
    needed_vcs: int
    """The fewest that the scheme needs for this routing."""
    num_sls: int
    """Service levels in use."""
    certificate: NDArray[np.uint32]
    """The proof, uint32 (channels · num_vcs,): the rank of (channel, virtual channel), which rises along every path."""
    routing: Routing
    """The routing that the plan is for: another one where the scheme had to change some paths."""


class Routing:
    """Which paths packets may take over one fabric. Made by `tulle.route`.

    Either layers of next-hop tables, layer 0 being the one of minimal paths, or a set of explicit paths per pair of
    switches, which has no layers and no `next_hop`.
    """

    def __init__(self, core: _tulle.Routing, fabric: Fabric, seed: int | None) -> None:
        self._core = core
        self.fabric = fabric
        self.seed = seed

    @property
    def spec(self) -> str:
        """The canonical spec: every parameter resolved."""
        return self._core.spec

    @property
    def num_layers(self) -> int:
        """Layers, n; 0 for path sets."""
        return self._core.num_layers

    @property
    def num_paths(self) -> int | None:
        """Paths over all ordered pairs of switches of a path set; None for layers."""
        return self._core.num_paths

    @cached_property
    def next_hop(self) -> NDArray[np.int32]:
        """``next_hop[layer, switch, destination]``: the channel out of a switch toward a destination switch.

        int32 (layers, S, S); −1 where the two are the same. Where a layer has a group of equal-cost channels it is the
        lowest; `next_hops` has them all. Takes 4·layers·S² bytes, kept with the routing.
        """
        return frozen(self._core.next_hop())

    def next_hops(self, layer: int, switch: int, destination: int) -> NDArray[np.int32]:
        """All channels out of `switch` toward switch `destination` in `layer`, int32 (n,), ascending."""
        return self._core.next_hops(layer, switch, destination)

    def paths(self, source: int, destination: int) -> list[NDArray[np.int32]]:
        """The paths from switch `source` to switch `destination` as channels, an int32 (hops,) each.

        One per layer, by the lowest channel where a layer has equal-cost ones; or all of the pair's path set, in its
        order. From a switch to itself: an empty path per layer, none in a path set.
        """
        return self._core.paths(source, destination)

    def hop_counts(self, layer: int) -> NDArray[np.uint64]:
        """Ordered pairs of distinct endpoint-carrying switches by hops, uint64 (longest path + 1,).

        Entry h counts the pairs whose path in `layer` (by the lowest channel of every group) has h hops.
        """
        return self._core.hop_counts(layer)

    def quality(self, sharing: Literal["channel", "cable"] = "cable") -> Quality:
        """Measures the paths (deployment paper §6, Jellyfish Tables II to IV).

        Two paths are disjoint where they share no cable in either direction, or no channel. The most disjoint paths of
        a pair are found by a search that ends at once up to some tens of paths per pair.
        """
        if sharing not in ("channel", "cable"):
            raise SpecError(f"sharing={sharing} is not a choice; legal: channel, cable")
        return Quality(**self._core.quality(sharing == "cable"))

    def deadlock_free(self, scheme: str) -> VcPlan:
        """Virtual channels by a deadlock scheme, checked by an independent judge (deployment §5.2, diameter-two §3).

        Parameters
        ----------
        scheme
            ``single``, ``hops``, ``dfsssp:vls=8``, …; ``tulle list deadlocks`` shows them.

        Raises
        ------
        tulle.SpecError
            For an unknown scheme or parameter or an illegal value.
        tulle.InputError
            For a routing that the scheme cannot make free of deadlock, or hardware with too few virtual lanes.
        """
        fields, repaired = self._core.deadlock_free(scheme)
        routing = self if repaired is None else Routing(repaired, self.fabric, None)
        return VcPlan(**fields, routing=routing)

    def save(self, path: str | PathLike[str]) -> None:
        """Writes the routing to one compact binary file, beside its place and then moved into it.

        Raises
        ------
        tulle.FileError
            Where the system refuses.
        """
        self._core.save(path)

    @classmethod
    def load(cls, path: str | PathLike[str], fabric: Fabric) -> Self:
        """Reads a routing of `fabric` from a file that `save` wrote; its `seed` is None.

        Raises
        ------
        tulle.FormatError
            For a file that is damaged, cut short, none of ours, or of another fabric.
        tulle.FileError
            Where the system refuses.
        """
        return cls(_tulle.load_routing(path, fabric._core), fabric, None)

    def __repr__(self) -> str:
        made = f"{self.spec!r}, seed={self.seed}" if self.seed else repr(self.spec)
        parts = f"{self.num_layers} layers" if self.num_paths is None else f"{self.num_paths} paths"
        return f"<Routing {made}: {parts} over {self.fabric.spec}>"

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        if self.seed is None:
            raise TypeError("a routing that was read or repaired cannot be pickled; load it where it is needed")
        return route, (self.fabric, self.spec, self.seed)
