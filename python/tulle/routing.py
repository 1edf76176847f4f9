"""Routings: which paths packets may take, as arrays of channels."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from tulle import _tulle
from tulle._arguments import frozen, read_seed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tulle.fabric import Fabric

__all__ = ["Routing", "route"]


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


class Routing:
    """Which paths packets may take over one fabric. Made by `tulle.route`.

    Either layers of next-hop tables, layer 0 being the one of minimal paths, or a set of explicit paths per pair of
    switches, which has no layers and no `next_hop`.
    """

    def __init__(self, core: _tulle.Routing, fabric: Fabric, seed: int) -> None:
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

    def __repr__(self) -> str:
        made = f"{self.spec!r}, seed={self.seed}" if self.seed else repr(self.spec)
        parts = f"{self.num_layers} layers" if self.num_paths is None else f"{self.num_paths} paths"
        return f"<Routing {made}: {parts} over {self.fabric.spec}>"

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return route, (self.fabric, self.spec, self.seed)
