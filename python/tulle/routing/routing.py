"""Routings: the paths that packets may take, as arrays of channels."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from tulle import _tulle
from tulle._internal.arguments import as_spec, kind_of, read_seed
from tulle._internal.arrays import frozen, read_integers
from tulle._internal.html_summary import Overview, Shown
from tulle._internal.reading import at_file, is_saved_routing
from tulle._internal.results import Value
from tulle._internal.text import brief
from tulle.errors import FormatError, InputError, SpecError
from tulle.fabric import as_fabric
from tulle.routing.ecmp import implied_selector
from tulle.routing.path_file import read_paths
from tulle.routing.quality import Quality
from tulle.routing.reroute import Rerouted, Together
from tulle.routing.switch_paths import read_switches
from tulle.routing.vc_plan import VcPlan

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Sequence
    from os import PathLike

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike, NDArray
    from typing_extensions import Self

    from tulle.fabric import Fabric

__all__ = ["PathColumns", "Quality", "Rerouted", "Routing", "Together", "VcPlan", "route"]


def route(fabric: Fabric | str, spec: str, seed: int = 0) -> Routing:
    """Compute a routing of a fabric.

    Parameters
    ----------
    fabric
        A connected fabric, or its spec.
    spec
        ``scheme:key=value,…``, for example ``random:layers=9,rho=0.6``; ``tulle list routings`` shows the schemes. Or
        ``@FILE``: a saved routing of this fabric, or a text file with one path per line (docs/explanation/routing.md).
    seed
        Seed of random schemes, and of the fabric if it is a spec.

    Raises
    ------
    tulle.SpecError
        For an unknown scheme or parameter or an illegal value.
    tulle.InputError
        For a fabric that the scheme cannot route, for example one that is not connected.
    tulle.FileError, tulle.FormatError
        For a file that cannot be read, or that does not contain a routing of this fabric.

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
            return Routing.from_paths(fabric, channels=channels, offsets=offsets)
        except InputError as error:
            raise FormatError(f"{file}: {error}") from None
    notes = tuple(_tulle.routing_notes(fabric._core, spec))
    return Routing(_tulle.route(fabric._core, spec, seed), fabric, seed, notes, implied_selector(spec))


@dataclass(frozen=True, eq=False)
class PathColumns(Value):
    """Paths as columns: path i is ``channels[offsets[i] : offsets[i + 1]]``. Made by `Routing.path_columns`."""

    source: NDArray[np.int32]
    """The first switch of each path, int32 (paths,)."""
    destination: NDArray[np.int32]
    """The last switch of each path, int32 (paths,)."""
    offsets: NDArray[np.int64]
    """The position of each path's first channel, int64 (paths + 1,)."""
    channels: NDArray[np.int32]
    """The channels of all paths, one path after the other, int32 (hops,)."""

    def __iter__(self) -> Iterator[NDArray[Any]]:
        return iter((self.source, self.destination, self.offsets, self.channels))


class Routing(Shown):
    """The paths that packets may take over one fabric. Made by `tulle.route` or from arrays.

    A routing has one of two forms. Layers are next-hop tables; layer 0 has minimal paths, unless the scheme has no
    minimal layer. A path set has explicit paths per pair of switches; it has no layers and no `next_hop`.
    """

    def __init__(
        self,
        core: _tulle.Routing,
        fabric: Fabric,
        seed: int | None,
        notes: tuple[str, ...] = (),
        selector: str | None = None,
    ) -> None:
        self._core = core
        self.fabric = fabric
        self.seed = seed
        self.notes: tuple[str, ...] = notes
        """The scheme's assumptions about the fabric, one per line, for example derived levels."""
        self.selector: str | None = selector
        """The default selector of packet simulations with this routing: ``ecmp`` if the spec is ``ecmp``, otherwise
        None."""

    @classmethod
    def from_next_hop(
        cls,
        fabric: Fabric | str,
        next_hop: ArrayLike,
        *,
        port_shares: ArrayLike | None = None,
        layer_shares: ArrayLike | None = None,
    ) -> Self:
        """Make a routing from next-hop tables computed elsewhere; its spec is ``next-hop`` and its `seed` None.

        Parameters
        ----------
        fabric
            The fabric of the tables.
        next_hop
            Whole numbers (layers, S, S), or (S, S) for one layer, in the form of `next_hop`: the channel out of a
            switch toward a destination switch, −1 on the diagonal. Or (layers, S, S, n), in the form of
            `next_hop_groups`: at most n channels of equal cost in any order, and −1 in unused places.
        port_shares
            Weight of every channel within its group, 1 to 255, in the shape of `next_hop`; None: equal weights.
        layer_shares
            Weight of every layer in the traffic from one switch to another, 0 to 255, (layers, S, S); None: equal
            weights.

        Raises
        ------
        tulle.InputError
            For a wrong shape, a channel that does not leave its switch or is repeated, next hops that form a loop, a
            weight out of range, or a pair whose layers all have weight 0.
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
        cls,
        fabric: Fabric | str,
        paths: Iterable[Iterable[Hashable]] | None = None,
        *,
        channels: ArrayLike | Sequence[ArrayLike] | None = None,
        offsets: ArrayLike | None = None,
    ) -> Self:
        """Make a routing from explicit paths computed elsewhere; its spec is ``paths`` and its `seed` None.

        Give either `paths` or `channels`. Pairs may come in any order and may be missing; the paths of a pair keep
        their order.

        Parameters
        ----------
        fabric
            The fabric of the paths.
        paths
            The switches of every path, as ``networkx.all_shortest_paths`` yields them: ids, or names. Names are texts,
            or nodes of the graph that `Fabric.from_networkx` read.
        channels
            The channels of every path instead. Only channels tell which of several parallel cables a path uses.
        offsets
            If given, `channels` has the channels of all paths in one array, and path i is
            ``channels[offsets[i] : offsets[i + 1]]``, as in `path_columns`.

        Raises
        ------
        tulle.InputError
            For a path that is empty, broken, or visits a switch twice; for an unknown switch, a number that is the id
            of one switch and the name of another, and two switches with parallel cables; or for arrays that do not
            fit together.

        Examples
        --------
        >>> import tulle
        >>> fabric = tulle.Fabric("clique:degree=2")
        >>> tulle.Routing.from_paths(fabric, [[0, 1], [0, 2, 1], [0, 2]]).num_paths
        3
        >>> tulle.Routing.from_paths(fabric, channels=[[0], [1, 5], [1]]).num_paths
        3
        """
        fabric = as_fabric(fabric)
        if (paths is None) == (channels is None):
            raise InputError(
                "neither paths nor channels; legal: one of them"
                if paths is None
                else "both paths and channels; legal: one of them"
            )
        if paths is not None:
            if offsets is not None:
                raise InputError("offsets without channels; legal: both, or paths alone")
            starts, hops = read_switches(fabric, paths)
            return cls(_tulle.from_paths(fabric._core, starts, hops), fabric, None)
        if offsets is None:
            each = [read_integers(f"path {number}", path) for number, path in enumerate(channels)]  # type: ignore[arg-type]
            offsets = np.concatenate(([0], np.cumsum([len(path) for path in each], dtype=np.int64)))
            channels = np.concatenate(each) if each else np.zeros(0, dtype=np.int64)
        starts, hops = read_integers("offsets", offsets), read_integers("channels", channels)  # type: ignore[arg-type]
        return cls(_tulle.from_paths(fabric._core, starts, hops), fabric, None)

    @property
    def spec(self) -> str:
        """The canonical spec, with every parameter resolved."""
        return self._core.spec

    @property
    def num_layers(self) -> int:
        """Number of layers; 0 for path sets."""
        return self._core.num_layers

    @property
    def num_paths(self) -> int | None:
        """Number of paths of a path set, over all ordered pairs of switches; None for layers."""
        return self._core.num_paths

    @cached_property
    def next_hop(self) -> NDArray[np.int32]:
        """``next_hop[layer, switch, destination]``: the channel out of a switch toward a destination switch.

        The array is int32 (layers, S, S), with −1 on the diagonal. An entry for a group of equal-cost channels is the
        lowest channel; `next_hop_groups` has all. The array takes 4·layers·S² bytes, and stays in memory as long as the
        routing.
        """
        return frozen(self._core.next_hop())

    @cached_property
    def next_hop_groups(self) -> NDArray[np.int32]:
        """``next_hop_groups[layer, switch, destination]``: all channels out of a switch toward a destination switch.

        The array is int32 (layers, S, S, n), where n is the size of the largest group of equal-cost channels. Channels
        ascend; smaller groups are filled with −1. The array takes 4·n·layers·S² bytes, and stays in memory as long as
        the routing.
        """
        return frozen(self._core.next_hop_groups())

    @cached_property
    def port_shares(self) -> NDArray[np.uint8]:
        """``port_shares[layer, switch, destination]``: the weights of the channels of `next_hop_groups`.

        The array is uint8 (layers, S, S, n). The weights of a group are in lowest terms. Unused entries of
        smaller groups are 0. In a layer without weights, all channels have weight 1.
        """
        return frozen(self._core.port_shares())

    @cached_property
    def layer_shares(self) -> NDArray[np.uint8]:
        """``layer_shares[layer, source, destination]``: the weight of a layer in the traffic between two switches.

        The array is uint8 (layers, S, S), with 0 on the diagonal. If the layers are not weighted, all other entries are
        1.
        """
        return frozen(self._core.layer_shares())

    @cached_property
    def entries(self) -> NDArray[np.uint64]:
        """The number of forwarding entries of every switch, uint64 (S,).

        Every layer needs one entry per destination switch. A group of several channels needs additional entries. Their
        number is the sum of the group's weights, because switches implement weights by repeated entries. A group that
        several destinations of a layer share is counted once.
        """
        return frozen(self._core.entries())

    def weighted(self, shares: int = 64) -> Routing:
        """Return the same routing with weights of layers and ports that spread the traffic of every pair of switches.

        The weights do not depend on the traffic. For each pair, they approximately minimise Σ x² over all channels,
        where x is the fraction of the pair's traffic on a channel. Currents in a network of equal resistors minimise
        this sum. A port whose weight would round to zero leaves its group.

        Parameters
        ----------
        shares
            Sum of the weights of a pair's layers, and sum of the weights of a group's ports before they are reduced to
            lowest terms. Legal: from the number of layers to 255.

        Raises
        ------
        tulle.InputError
            For a path set, or a number out of range.
        """
        if not 1 <= shares <= 255:
            raise InputError(f"shares={shares} is out of range; legal: 1 to 255")
        return Routing(self._core.weighted(shares), self.fabric, self.seed)

    def next_hops(self, layer: int, switch: int, destination: int) -> NDArray[np.int32]:
        """Return all channels out of `switch` toward switch `destination` in `layer`, int32 (n,), ascending."""
        return self._core.next_hops(layer, switch, destination)

    def paths(self, source: int | str, destination: int | str) -> list[NDArray[np.int32]]:
        """Return the paths from switch `source` to switch `destination`, each as its channels, int32 (hops,).

        A switch is given by its id or its name.

        Each layer has one path, which takes the lowest channel of every group. A path set returns all its paths of the
        pair, in order. From a switch to itself, every layer has an empty path, and a path set has none.
        """
        names = (source, destination)
        a, b = (end if isinstance(end, (int, np.integer)) else self.fabric.switch(end) for end in names)
        return self._core.paths(int(a), int(b))

    def hop_counts(self, layer: int) -> NDArray[np.uint64]:
        """Count the ordered pairs of distinct switches with endpoints by hops, uint64 (longest path + 1,).

        Entry h counts the pairs whose path in `layer`, taking the lowest channel of every group, has h hops.
        """
        return self._core.hop_counts(layer)

    def path_columns(self) -> PathColumns:
        """Return the paths of all ordered pairs of distinct switches as columns, sorted by source and destination.

        Each pair has the paths that `paths` returns. The columns take 16 bytes per path and 4 per hop.
        """
        return PathColumns(**{name: frozen(column) for name, column in _tulle.path_columns(self._core).items()})

    def paths_over(self) -> NDArray[np.float64]:
        """Count the paths over each channel, over all ordered pairs of switches with endpoints, float64 (C,).

        If no switch has endpoints, all switches count. A path is split evenly over the channels of a group. The time
        grows with layers · S².
        """
        return _tulle.paths_over(self._core)

    def plot_paths(self, source: str | int, destination: str | int, *, ax: Axes | None = None) -> Figure:
        """Draw the paths of all layers, or all paths of a path set, between two switches.

        Paths that are equal in several layers are one line. Among equal-cost channels, a path takes the lowest.

        Parameters
        ----------
        source, destination
            Switches by name or id. The name of an endpoint means its switch.
        ax
            Axes of matplotlib to draw on; None: a new figure, as wide as a column of a paper.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.

        Raises
        ------
        tulle.InputError
            For an unknown name, a source and a destination at the same switch, a pair without paths, or more than 64
            different paths.
        tulle.MissingDependencyError
            If matplotlib is not installed; ``tulle[plot]`` installs it.

        Examples
        --------
        >>> import tulle
        >>> figure = tulle.route("slimfly:q=5", "random:layers=4,rho=0.7", seed=1).plot_paths(0, 7)
        """
        from tulle.plot.paths import plot_paths
        from tulle.routing.trace import ends_of

        a, b = ends_of(self.fabric, source, destination)
        targets = self.fabric.channels[:, 1]
        paths = [[a, *targets[path].tolist()] for path in self.paths(a, b) if len(path)]
        return plot_paths(paths, self.fabric.labels, "layer" if self.num_layers else "path", ax=ax)

    def plot_load(self, on: str | None = None, *, ax: Axes | None = None) -> Figure:
        """Draw the number of paths over every channel as a heat map; see `paths_over`.

        Parameters
        ----------
        on
            ``drawing``: the drawing of the fabric, where a cable has the colour of its busier direction. ``matrix``: a
            cell per channel, in the row of its source switch and the column of its target switch. None: both.
        ax
            Axes of matplotlib to draw on, with `on`; None: a new figure.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.

        Raises
        ------
        tulle.SpecError
            For another value of `on`.
        tulle.InputError
            For more than 2,500 switches (6,000 with ``matrix``), or `ax` without `on`.
        tulle.MissingDependencyError
            If matplotlib is not installed; ``tulle[plot]`` installs it.
        """
        from tulle.plot.load import plot_load

        return plot_load(self.fabric, self.paths_over(), "paths over the channel", on, ax=ax)

    def quality(
        self, sharing: Literal["channel", "cable"] = "cable", *, pairs: int | None = None, seed: int = 0
    ) -> Quality:
        """Measure the quality of the paths.

        The measures are those of Blach et al. (NSDI24) §6, and of Tables II to IV of "Multi-path routing in the
        Jellyfish network".

        The largest set of disjoint paths of a pair is found by an exact search, which is fast for up to a few tens of
        paths per pair.

        Parameters
        ----------
        sharing
            What disjoint paths must not share: a cable (in either direction) or a channel.
        pairs
            Measure about this many random ordered pairs; None: all.
        seed
            Seed of the sample.
        """
        if sharing not in ("channel", "cable"):
            raise SpecError(f"sharing={brief(str(sharing))} is not a choice; legal: channel, cable")
        if pairs is not None and pairs < 1:
            raise InputError(f"pairs={pairs} is out of range; legal: 1 or more")
        return Quality(**self._core.quality(sharing == "cable", pairs, read_seed(seed)))

    def assign_vcs(self, scheme: str) -> VcPlan:
        """Assign virtual channels by a deadlock scheme; an independent checker verifies the plan.

        Sources are Blach et al. (NSDI24) §5.2 and Kathareios et al. (SC15) §3.

        Parameters
        ----------
        scheme
            ``one-vc``, ``hops``, ``dfsssp:vcs=8``, …; ``tulle list deadlocks`` shows them.

        Raises
        ------
        tulle.SpecError
            For an unknown scheme or parameter or an illegal value.
        tulle.InputError
            If the scheme cannot make the routing free of deadlock, or the hardware has too few virtual channels.
        """
        plan, repaired = _tulle.assign_vcs(self._core, as_spec("scheme", scheme, "dfsssp"))
        return VcPlan._of(plan, self if repaired is None else Routing(repaired, self.fabric, None))

    def reroute(self, damaged: Fabric | str, plan: VcPlan | None = None) -> Rerouted:
        """Reroute after failures: keep the paths that still work, change few table entries, and keep the load even.

        In tables, groups keep the next hops that still lead to the destination. A switch without a next hop gets new
        next hops: all those with the fewest hops if the table has groups, otherwise one next hop, if possible within
        the hop limit, chosen so that few entries change and the load stays even. In a path set, intact paths are kept,
        and a pair without a path gets a shortest path. If this routing is free of deadlock on one virtual channel, each
        pair gets as many paths as before if possible. The new paths of a pair share no channel with its other paths,
        and if possible, they are free of deadlock together with all old paths. Tables of ``minimal`` with
        ``weight=latency`` or ``weight=cost`` are computed again.

        Parameters
        ----------
        damaged
            A fabric derived from this routing's fabric by `Fabric.without` or `Fabric.with_failures`.
        plan
            The plan of this routing. Its scheme proves the new routing free of deadlock; pairs for which this is
            impossible are left without a path (`Rerouted.left_out`).

        Raises
        ------
        tulle.InputError
            For a fabric that is not derived from the fabric of this routing, a fabric that is no longer connected, or a
            new routing that the scheme cannot make free of deadlock.
        """
        damaged = as_fabric(damaged)
        routing, anew, counts = _tulle.reroute(self._core, damaged._core, None if plan is None else plan._core)
        new = Routing(routing, damaged, None)
        return Rerouted(new, None if anew is None else VcPlan._of(anew, new), **counts)

    def acyclic_together(
        self, new: Routing, plan: VcPlan | None = None, new_plan: VcPlan | None = None, *, down: bool = False
    ) -> Together:
        """Check whether the paths of this routing and of `new` are free of deadlock together.

        If they are free of deadlock together, switches may load the new paths in any order while traffic flows,
        provided that each packet follows a path of only one of the two routings (Flattened Clos §7.2: virtual up-down
        paths with unchanged virtual layers).

        Parameters
        ----------
        new
            A routing of the same fabric, or of one derived from it by `Fabric.without`.
        plan, new_plan
            The plans of the two routings; None: all packets use one virtual channel.
        down
            Whether the parts that the fabric of `new` lacks are already down, so that packets sent to them are dropped.

        Raises
        ------
        tulle.InputError
            If the fabric of `new` is neither the fabric of this routing nor derived from it.
        """
        new = only_routing(new)
        cores = (None if plan is None else plan._core, None if new_plan is None else new_plan._core)
        ranks, cycle, name = _tulle.acyclic_together(self._core, cores[0], new._core, cores[1], down)
        return Together(ranks, tuple(cycle), name)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the routing to one compact binary file, which appears only once it is complete.

        Raises
        ------
        tulle.FileError
            If the operating system refuses to write the file.
        """
        self._core.save(path)

    @classmethod
    def load(cls, path: str | PathLike[str], fabric: Fabric | str) -> Self:
        """Read a routing of `fabric` from a file that `save` wrote; its `seed` is None.

        Raises
        ------
        tulle.FormatError
            For a file that is damaged, cut short, not a saved routing, or of another fabric.
        tulle.FileError
            If the operating system refuses to read the file.
        """
        fabric = as_fabric(fabric)
        return cls(_tulle.load_routing(path, fabric._core), fabric, None)

    def _overview(self) -> Overview:
        parts = {"layers": self.num_layers} if self.num_paths is None else {"paths": self.num_paths}
        seed = {"seed": self.seed} if self.seed else {}
        sizes = {"switches": self.fabric.num_switches, "endpoints": self.fabric.num_endpoints}
        return Overview("Routing", self.spec, {**parts, **seed, "fabric": self.fabric, **sizes})

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
    """Check that weights have this shape, and return them as a flat array."""
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
    """Return a routing of `fabric`. If `routing` is a spec, route `fabric` by it with `seed`.

    A routing of another fabric with the same graph and endpoints, for example without link properties, is transferred.
    """
    if isinstance(routing, str):
        return route(fabric, routing, seed)
    if not isinstance(routing, Routing):
        raise InputError(
            f"routing is {kind_of(routing)}; legal: a tulle.Routing or its spec, for example 'random:layers=9'"
        )
    return routing if routing.fabric == fabric else _transferred(routing, fabric)


def _transferred(routing: Routing, fabric: Fabric) -> Routing:
    """Return the routing of a fabric that has the same graph and endpoints as the routing's own."""
    own = routing.fabric
    is_same_graph = np.array_equal(own.channels, fabric.channels) and np.array_equal(own.reverse, fabric.reverse)
    if is_same_graph and np.array_equal(own.endpoint_switch, fabric.endpoint_switch):
        return _restored(fabric, routing._core.stored())
    found = f"the routing is of {own!r}, not of {fabric!r}"
    if not is_same_graph:
        raise InputError(f"{found}: their switches or cables differ; legal: a routing made for this fabric")
    raise InputError(
        f"{found}: their endpoints differ; legal: a routing made for this fabric; with Routing.save and Routing.load, "
        "the fabrics can have other endpoints"
    )


def only_routing(routing: Routing) -> Routing:
    """Return `routing`, which must not be a spec, because a spec needs a fabric."""
    if not isinstance(routing, Routing):
        raise InputError(f"routing is {kind_of(routing)}; legal: a tulle.Routing, for example made by tulle.route")
    return routing
