"""Routings: which paths packets may take, as arrays of channels."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from tulle import _tulle
from tulle._internal.arguments import as_spec, kind_of, read_seed
from tulle._internal.arrays import frozen, read_integers
from tulle._internal.reading import at_file, is_saved_routing
from tulle._internal.results import Value
from tulle._internal.text import brief
from tulle.errors import FormatError, InputError, SpecError
from tulle.fabric import as_fabric
from tulle.routing.path_file import read_paths
from tulle.routing.quality import Quality
from tulle.routing.reroute import Rerouted, Together
from tulle.routing.vc_plan import VcPlan

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from os import PathLike

    from numpy.typing import ArrayLike, NDArray
    from typing_extensions import Self

    from tulle.fabric import Fabric

__all__ = ["PathColumns", "Quality", "Rerouted", "Routing", "Together", "VcPlan", "route"]


def route(fabric: Fabric | str, spec: str, seed: int = 0) -> Routing:
    """Routes a fabric.

    Parameters
    ----------
    fabric
        A connected fabric.
    spec
        ``scheme:key=value,…``, as ``random:layers=9,rho=0.6``; ``tulle list routings`` shows the schemes. Or
        ``@FILE``: a saved routing of this fabric, or a text of paths, one a line (see the page on routing).
    seed
        Of random schemes; others ignore it.

    Raises
    ------
    tulle.SpecError
        For an unknown scheme or parameter or an illegal value.
    tulle.InputError
        For a fabric that the scheme cannot route, as one that is not connected.
    tulle.FileError, tulle.FormatError
        For a file that cannot be read, or that is no routing of the fabric.

    Examples
    --------
    >>> import tulle
    >>> routing = tulle.route(tulle.Fabric("slimfly:q=5"), "random:layers=4,rho=0.7")
    >>> routing.num_layers, routing.next_hop.shape
    (4, (4, 50, 50))
    """
    fabric = as_fabric(fabric, seed)
    seed = read_seed(seed)
    file = at_file(as_spec("routing", spec, "random:layers=9"))
    if file is not None:
        if is_saved_routing(file):
            return Routing.load(file, fabric)
        offsets, channels = read_paths(fabric, file)
        try:
            return Routing.from_paths(fabric, channels, offsets)
        except InputError as error:
            raise FormatError(f"{file}: {error}") from None
    notes = tuple(_tulle.routing_notes(fabric._core, spec))
    return Routing(_tulle.route(fabric._core, spec, seed), fabric, seed, notes)


@dataclass(frozen=True, eq=False)
class PathColumns(Value):
    """Paths as columns: path i is ``channels[offsets[i] : offsets[i + 1]]``. Made by `Routing.path_columns`."""

    source: NDArray[np.int32]
    """The switch that the path starts at, int32 (paths,)."""
    destination: NDArray[np.int32]
    """The switch that it leads to, int32 (paths,)."""
    offsets: NDArray[np.int64]
    """Where its channels begin, int64 (paths + 1,)."""
    channels: NDArray[np.int32]
    """The channels of all paths, one path after the other, int32 (hops,)."""

    def __iter__(self) -> Iterator[NDArray[Any]]:
        return iter((self.source, self.destination, self.offsets, self.channels))


class Routing:
    """Which paths packets may take over one fabric. Made by `tulle.route`, or from arrays.

    Either layers of next-hop tables, layer 0 being the one of minimal paths, or a set of explicit paths per pair of
    switches, which has no layers and no `next_hop`.
    """

    def __init__(self, core: _tulle.Routing, fabric: Fabric, seed: int | None, notes: tuple[str, ...] = ()) -> None:
        self._core = core
        self.fabric = fabric
        self.seed = seed
        self.notes = notes
        """Lines on what the scheme took for granted about the fabric, for example derived levels."""

    @classmethod
    def from_next_hop(
        cls,
        fabric: Fabric | str,
        next_hop: ArrayLike,
        *,
        port_shares: ArrayLike | None = None,
        layer_shares: ArrayLike | None = None,
    ) -> Self:
        """Layers of next hops made elsewhere, checked; its spec is ``next-hop`` and its `seed` None.

        Parameters
        ----------
        fabric
            The fabric that they are of.
        next_hop
            Whole numbers (layers, S, S), or (S, S) for one layer, as `next_hop` has them: the channel out of a switch
            toward a destination switch, −1 where the two are the same. Or (layers, S, S, n), as `next_hop_groups`: at
            most n channels of equal cost, in any order, −1 in the places left.
        port_shares
            The share of every channel of what its switch forwards in the layer, 1 to 255, shaped as `next_hop`; None:
            all are equal.
        layer_shares
            The share of every layer of what a switch sends to another, 0 to 255, (layers, S, S); None: all are equal.

        Raises
        ------
        tulle.InputError
            For another shape, a channel that does not leave its switch or comes twice, next hops that lead around, a
            share that is out of range, or a pair without any.
        """
        fabric = as_fabric(fabric)
        try:
            cells = np.asarray(next_hop)
        except ValueError as error:
            raise InputError(f"next_hop is not an array: {error}") from None
        switches = fabric.num_switches
        layers = cells.reshape(1, *cells.shape) if cells.ndim == 2 else cells
        if layers.ndim not in (3, 4) or layers.shape[1:3] != (switches, switches) or not layers.size:
            legal = f"(layers, {switches}, {switches}) or (layers, {switches}, {switches}, channels)"
            raise InputError(f"next_hop has shape {cells.shape}; legal: {legal}, one layer or more")
        widest = layers.shape[3] if layers.ndim == 4 else 1
        flat = read_integers("next_hop", cells.reshape(-1))
        ports = read_shares("port_shares", port_shares, cells.shape)
        of_layers = read_shares("layer_shares", layer_shares, cells.shape[: 2 if cells.ndim == 2 else 3])
        return cls(_tulle.from_next_hop(fabric._core, flat, widest, ports, of_layers), fabric, None)

    @classmethod
    def from_paths(
        cls, fabric: Fabric | str, paths: ArrayLike | Sequence[ArrayLike], offsets: ArrayLike | None = None
    ) -> Self:
        """A set of explicit paths made elsewhere, checked; its spec is ``paths`` and its `seed` None.

        Parameters
        ----------
        fabric
            The fabric that they are of.
        paths
            The channels of every path, in any order of pairs; the paths of a pair keep theirs. Pairs may be without.
        offsets
            Where given, `paths` is the channels of all paths in one array, path i from ``offsets[i]`` to
            ``offsets[i + 1]``, as `path_columns` has them.

        Raises
        ------
        tulle.InputError
            For a path that is empty, broken, or comes to a switch twice, or arrays that do not fit together.

        Examples
        --------
        >>> import tulle
        >>> fabric = tulle.Fabric("clique:degree=2")
        >>> tulle.Routing.from_paths(fabric, [[0], [1, 5], [1]]).num_paths
        3
        """
        fabric = as_fabric(fabric)
        if offsets is None:
            each = [read_integers(f"path {number}", path) for number, path in enumerate(paths)]  # type: ignore[arg-type]
            offsets = np.concatenate(([0], np.cumsum([len(path) for path in each], dtype=np.int64)))
            paths = np.concatenate(each) if each else np.zeros(0, dtype=np.int64)
        starts, channels = read_integers("offsets", offsets), read_integers("paths", paths)  # type: ignore[arg-type]
        return cls(_tulle.from_paths(fabric._core, starts, channels), fabric, None)

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
        lowest; `next_hop_groups` has them all. Takes 4·layers·S² bytes, kept with the routing.
        """
        return frozen(self._core.next_hop())

    @cached_property
    def next_hop_groups(self) -> NDArray[np.int32]:
        """``next_hop_groups[layer, switch, destination]``: all channels out of a switch toward a destination switch.

        int32 (layers, S, S, n), where n is the size of the largest group; ascending, −1 behind the last. Takes
        4·n·layers·S² bytes, kept with the routing.
        """
        return frozen(self._core.next_hop_groups())

    @cached_property
    def port_shares(self) -> NDArray[np.uint8]:
        """``port_shares[layer, switch, destination]``: the shares of the channels of `next_hop_groups`.

        uint8 (layers, S, S, n), in lowest terms; 0 behind the last channel, all others 1 where the layer is not
        weighted.
        """
        return frozen(self._core.port_shares())

    @cached_property
    def layer_shares(self) -> NDArray[np.uint8]:
        """``layer_shares[layer, source, destination]``: the share of the layer of what a switch sends to another.

        uint8 (layers, S, S); 0 where the two are the same, else 1 where the layer is not weighted.
        """
        return frozen(self._core.layer_shares())

    @cached_property
    def entries(self) -> NDArray[np.uint64]:
        """The forwarding entries of every switch, uint64 (S,).

        Over all layers one per destination switch, and for every group of several channels one per share of each: as
        weighted groups are made of repeated entries. Groups that several destinations of a layer use count once.
        """
        return frozen(self._core.entries())

    def weighted(self, shares: int = 64) -> Routing:
        """The same routing with shares of layers and ports that spread every pair of switches, whatever the traffic.

        Of each pair the sum over all channels of the squared fraction that passes over it is made small: currents
        through equal resistors. Ports that would get less than half a share leave their groups.

        Parameters
        ----------
        shares
            The sum of the shares of the layers of every pair, and of the ports of every group before they are brought
            to lowest terms; from the number of layers to 255.

        Raises
        ------
        tulle.InputError
            For a path set, or a number out of range.
        """
        if not 1 <= shares <= 255:
            raise InputError(f"shares={shares} is out of range; legal: 1 to 255")
        return Routing(self._core.weighted(shares), self.fabric, self.seed)

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

    def path_columns(self) -> PathColumns:
        """The paths of all ordered pairs of distinct switches as columns, source by source, destination by destination.

        Of a pair one per layer, as `paths`; or all of its path set. Takes 12 bytes a path and 4 a hop or more.
        """
        return PathColumns(**{name: frozen(column) for name, column in _tulle.path_columns(self._core).items()})

    def paths_over(self) -> NDArray[np.float64]:
        """Per channel, the paths over it of all ordered pairs of switches with endpoints, float64 (C,).

        Packets toward a group of equal-cost channels split evenly over them. Time grows with layers · S².
        """
        return _tulle.paths_over(self._core)

    def quality(
        self, sharing: Literal["channel", "cable"] = "cable", *, pairs: int | None = None, seed: int = 0
    ) -> Quality:
        """Measures the paths (deployment paper §6, Jellyfish Tables II to IV).

        Two paths are disjoint where they share no cable in either direction, or no channel. The most disjoint paths of
        a pair are found by a search that ends at once up to some tens of paths per pair.

        Parameters
        ----------
        sharing
            What disjoint paths do not share.
        pairs
            Measure about as many ordered pairs, drawn under `seed`; None: all.
        seed
            Of the sample.
        """
        if sharing not in ("channel", "cable"):
            raise SpecError(f"sharing={brief(str(sharing))} is not a choice; legal: channel, cable")
        if pairs is not None and pairs < 1:
            raise InputError(f"pairs={pairs} is out of range; legal: 1 or more")
        return Quality(**self._core.quality(sharing == "cable", pairs, read_seed(seed)))

    def assign_vcs(self, scheme: str) -> VcPlan:
        """Virtual channels by a deadlock scheme, checked by an independent judge (deployment §5.2, diameter-two §3).

        Parameters
        ----------
        scheme
            ``one-vc``, ``hops``, ``dfsssp:vcs=8``, …; ``tulle list deadlocks`` shows them.

        Raises
        ------
        tulle.SpecError
            For an unknown scheme or parameter or an illegal value.
        tulle.InputError
            For a routing that the scheme cannot make free of deadlock, or hardware with too few virtual channels.
        """
        plan, repaired = _tulle.deadlock_free(self._core, as_spec("scheme", scheme, "dfsssp"))
        return VcPlan._of(plan, self if repaired is None else Routing(repaired, self.fabric, None))

    def reroute(self, damaged: Fabric | str, plan: VcPlan | None = None) -> Rerouted:
        """Route a damaged fabric with what is left of this routing; as few entries change as balance allows.

        Groups keep the next hops that still lead to the destination. A switch without any gets new ones: all with the
        fewest hops if the table has groups, otherwise the least loaded one within the hop limit. Paths of a path set
        that are left stay, and a pair without any gets a shortest one. If this routing is free of deadlock on one
        virtual channel, pairs get as many paths as they had, as long as there are some that share no channel with the
        pair's others and are free of deadlock together with all old paths.

        Parameters
        ----------
        damaged
            A fabric that came from this routing's by `Fabric.without` or `Fabric.with_failures`.
        plan
            The plan of this routing: its scheme proves the new one free of deadlock; pairs for which it cannot are left
            without a path (`Rerouted.left_out`).

        Raises
        ------
        tulle.InputError
            For a fabric that did not come from this one, switches that are cut apart, or a new routing that the scheme
            cannot make free of deadlock.
        """
        damaged = as_fabric(damaged)
        routing, anew, counts = _tulle.reroute(self._core, damaged._core, None if plan is None else plan._core)
        new = Routing(routing, damaged, None)
        return Rerouted(new, None if anew is None else VcPlan._of(anew, new), **counts)

    def acyclic_together(
        self, new: Routing, plan: VcPlan | None = None, new_plan: VcPlan | None = None, *, down: bool = False
    ) -> Together:
        """Whether the paths of this routing and of `new` are free of deadlock together.

        Where they are, switches may load the new paths in any order while traffic flows, as long as packets stay on
        paths of one of the two (Flattened Clos §7.2: virtual up-down paths while the virtual layers stay).

        Parameters
        ----------
        new
            A routing of the same fabric, or of one that came from it by `Fabric.without`.
        plan, new_plan
            The plans of the two; None: all packets are on one virtual channel.
        down
            Whether what the fabric of `new` lacks is down already: what would leave by it is dropped.

        Raises
        ------
        tulle.InputError
            For a fabric that did not come from this one.
        """
        new = only_routing(new)
        cores = (None if plan is None else plan._core, None if new_plan is None else new_plan._core)
        ranks, cycle, name = _tulle.acyclic_together(self._core, cores[0], new._core, cores[1], down)
        return Together(ranks, tuple(cycle), name)

    def save(self, path: str | PathLike[str]) -> None:
        """Writes the routing to one compact binary file, beside its place and then moved into it.

        Raises
        ------
        tulle.FileError
            If the system refuses.
        """
        self._core.save(path)

    @classmethod
    def load(cls, path: str | PathLike[str], fabric: Fabric | str) -> Self:
        """Reads a routing of `fabric` from a file that `save` wrote; its `seed` is None.

        Raises
        ------
        tulle.FormatError
            For a file that is damaged, cut short, none of ours, or of another fabric.
        tulle.FileError
            If the system refuses.
        """
        fabric = as_fabric(fabric)
        return cls(_tulle.load_routing(path, fabric._core), fabric, None)

    def __repr__(self) -> str:
        made = f"{self.spec!r}, seed={self.seed}" if self.seed else repr(self.spec)
        parts = f"{self.num_layers} layers" if self.num_paths is None else f"{self.num_paths} paths"
        return f"<Routing {made}: {parts} over {self.fabric.spec}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Routing):
            return NotImplemented
        return self._core == other._core

    def __hash__(self) -> int:
        return hash((self.spec, self.num_layers, self.num_paths, self.fabric))

    def __reduce__(self) -> tuple[object, ...]:
        if self.seed is None:
            return _restored, (self.fabric, self._core.stored())
        return route, (self.fabric, self.spec, self.seed)


def _restored(fabric: Fabric, stored: bytes) -> Routing:
    return Routing(_tulle.restore_routing(stored, fabric._core), fabric, None)


def read_shares(name: str, shares: ArrayLike | None, shape: tuple[int, ...]) -> NDArray[np.int64] | None:
    """Shares of this shape, flat."""
    if shares is None:
        return None
    try:
        array = np.asarray(shares)
    except ValueError as error:
        raise InputError(f"{name} is not an array: {error}") from None
    if array.shape != shape:
        raise InputError(f"{name} has shape {array.shape}; legal: {shape}")
    return read_integers(name, array.reshape(-1))


def as_routing(fabric: Fabric, routing: Routing | str, seed: int = 0) -> Routing:
    """A routing of `fabric` as it is; a spec routes the fabric under `seed`."""
    if isinstance(routing, str):
        return route(fabric, routing, seed)
    if not isinstance(routing, Routing):
        raise InputError(f"routing is {kind_of(routing)}; legal: a tulle.Routing or its spec, as 'random:layers=9'")
    if routing.fabric != fabric:
        raise InputError(f"the routing is of {routing.fabric!r}, not of {fabric!r}; legal: one made for this fabric")
    return routing


def only_routing(routing: Routing) -> Routing:
    """A routing, where nothing says which fabric a spec would be for."""
    if not isinstance(routing, Routing):
        raise InputError(f"routing is {kind_of(routing)}; legal: a tulle.Routing, as tulle.route makes it")
    return routing
