"""Fabrics: networks of switches, cables and endpoints as read-only numpy arrays."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from tulle import _tulle
from tulle._internal.arguments import as_spec, kind_of, read_list, read_seed
from tulle._internal.html_summary import Overview, Shown
from tulle._internal.text import brief
from tulle.errors import InputError
from tulle.fabric.link_rules import read_links
from tulle.fabric.properties import OF_CABLES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from os import PathLike
    from pathlib import Path

    import numpy as np
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike, NDArray

    from tulle.fabric.edges import Edges
    from tulle.fabric.link_rules import Links
    from tulle.fabric.properties import LinkColumns, Properties

__all__ = ["Fabric"]


class Fabric(Shown):
    """An immutable network of switches joined by full-duplex cables, with endpoints attached to switches.

    A *channel* is one direction of a cable; channels are numbered by source switch, then target switch. The id of a
    *cable* is the lower id of its two channels. Parallel cables are allowed, cables from a switch to itself are not.

    Parameters
    ----------
    spec
        ``family:key=value,…``, for example ``slimfly:q=19,p=15``; ``tulle list fabrics`` shows the families.
    seed
        Seed of random families; other families ignore it.
    links
        Properties of links by class: ``["global:latency=500ns,rate=200Gbps"]`` or ``{"global": {"latency": "500ns"}}``.
        A class is one of `class_names`, ``endpoint`` or ``all``; keys are ``rate``, ``latency``, ``length``,
        ``medium`` and ``cost``. If several rules set the same property of a link, the last one wins.

    Raises
    ------
    tulle.SpecError
        For an unknown family or parameter or an illegal value.
    tulle.FileError, tulle.FormatError
        For a file that cannot be read or whose content is wrong.
    tulle.ConstructionError
        If a random construction keeps failing.

    Examples
    --------
    >>> fabric = Fabric("slimfly:q=5")
    >>> fabric.num_switches, fabric.num_cables, fabric.channels.shape
    (50, 175, (350, 2))
    """

    def __init__(self, spec: str, seed: int = 0, links: Links | None = None) -> None:
        seed = read_seed(seed)
        self._core = _tulle.build(as_spec("fabric", spec, "slimfly:q=5"), seed)
        self._seed = seed
        self._source: _Source = (_tulle.build, (spec, seed))
        rules = read_links(links)
        if rules:
            self._core = self._core.with_links(rules)
            self._source = (_link, (self._source, rules))

    @classmethod
    def _of(cls, core: _tulle.Fabric, seed: int, source: _Source) -> Fabric:
        fabric = cls.__new__(cls)
        fabric._core, fabric._seed, fabric._source = core, seed, source
        return fabric

    @classmethod
    def from_edges(
        cls,
        edges: ArrayLike,
        endpoint_switch: ArrayLike | int | None = None,
        *,
        num_switches: int | None = None,
        labels: Sequence[str] | None = None,
        properties: Properties | None = None,
        both: Literal["merge", "parallel"] | None = None,
    ) -> Fabric:
        """Build a fabric from its cables.

        Parameters
        ----------
        edges
            Whole numbers (cables, 2): the two switches of every cable. Repeated rows are parallel cables; for rows in
            both orders, such as (0, 1) and (1, 0), see `both`.
        endpoint_switch
            The switch of every endpoint, whole numbers (endpoints,); or one number p for p endpoints on every switch,
            numbered in the order of switches; or None for no endpoints.
        num_switches
            Number of switches; None: one more than the largest id in the other arguments.
        labels
            The name of every switch.
        properties
            Known properties of links, levels and names, in the form of `Fabric.properties`; cables in the order of
            `edges`.
        both
            How to read pairs of switches that occur in both orders, as in files. ``"merge"`` reads two rows with
            opposite orders as one cable, ``"parallel"`` as two cables. None: if every pair occurs equally often in both
            orders, as in a symmetric adjacency matrix, the rows are merged; otherwise they are parallel cables. In both
            cases, `warnings` says so. If `properties` has a column per cable, every row is a cable.

        Raises
        ------
        tulle.InputError
            For arrays of other shapes, negative ids, a cable from a switch to itself, an id of `num_switches` or above,
            and for ``both="merge"`` with properties of cables.

        Examples
        --------
        >>> rows = [[0, 1], [1, 0], [1, 2], [2, 1]]
        >>> fabric = Fabric.from_edges(rows, 2)
        >>> fabric.num_cables, fabric.warnings[0]
        (2, "2 cables are listed twice (as 'a b' and 'b a'); each is read as one cable, or with both=parallel as two")
        >>> Fabric.from_edges(rows, 2, both="parallel").num_cables
        4
        """
        return cls._from_edges(edges, endpoint_switch, num_switches, labels, properties, both)

    @classmethod
    def _from_edges(
        cls,
        edges: ArrayLike,
        endpoint_switch: ArrayLike | int | None,
        num_switches: int | None,
        labels: Sequence[str] | None,
        properties: Properties | None,
        both: str | None = "parallel",
        warnings: Sequence[str] = (),
    ) -> Fabric:
        """Build a fabric as `from_edges` does, with `warnings` before its own."""
        import numpy as np

        from tulle._internal.arrays import read_integers

        cables = read_integers("edges", edges, columns=2)
        largest = int(cables.max(initial=-1))
        if isinstance(endpoint_switch, (int, np.integer)):
            each, at = int(endpoint_switch), None
            if not 0 <= each < 1 << 16:
                raise InputError(f"endpoint_switch={each} endpoints per switch is out of range; legal: 0 to 65535")
        elif endpoint_switch is not None and np.ndim(endpoint_switch) == 0:
            legal = "legal: one whole number of endpoints per switch, or the switch of every endpoint"
            raise InputError(f"endpoint_switch={brief(repr(endpoint_switch))}; {legal}")
        else:
            each, at = 0, read_integers("endpoint_switch", () if endpoint_switch is None else endpoint_switch)
            largest = max(largest, int(at.max(initial=-1)))
        switches = largest + 1 if num_switches is None else num_switches
        if not 0 <= switches < 1 << 28:
            raise InputError(f"num_switches={switches} is out of range; legal: 0 to {(1 << 28) - 1}")
        if both not in (None, "merge", "parallel"):
            raise InputError(f"both={brief(repr(both))} is not a choice; legal: 'merge', 'parallel', or None")
        if properties and any(properties.get(name) for name in OF_CABLES):
            if both == "merge":
                raise InputError("both='merge' with properties of cables; legal: one row of edges per cable")
            both = "parallel"
        ascending = cables[:, 0] < cables[:, 1]
        # If all rows have the same order, nothing occurs in both orders.
        if both != "parallel" and 0 < np.count_nonzero(ascending) < len(cables):
            rows, said = _tulle.without_reverse_entries(cables, None if both is None else True)
            cables = cables[rows]
            warnings = [*warnings, *([] if said is None else [said])]
        if at is None:
            at = np.repeat(np.arange(switches, dtype=np.int64), each)
        arguments: tuple[Any, ...] = (
            switches,
            cables,
            at,
            None if labels is None else [str(label) for label in read_list("labels", labels)],
        )
        if properties or warnings:
            arguments = (*arguments, properties or None, list(warnings))
        return cls._of(_tulle.from_edges(*arguments), 0, (_tulle.from_edges, arguments))

    @classmethod
    def from_networkx(
        cls,
        graph: Any,
        endpoint_switch: ArrayLike | int | None = None,
        *,
        directed: Literal["undirected"] | None = None,
    ) -> Fabric:
        """Build a fabric from a networkx graph; nodes become switches in the order of the graph.

        Parameters
        ----------
        graph
            ``networkx.Graph`` or ``MultiGraph``. Labels are the node attribute ``label`` if all nodes have it, and
            otherwise the node names. Other attributes have the names and units that `to_networkx` writes. If there are
            further attributes, such as ``capacity``, a warning in `warnings` says that they are ignored.
        endpoint_switch
            The node of every endpoint, for example ``2 * list(graph.nodes)`` for two endpoints on every switch; or one
            number p for p endpoints on every switch. If a number is not a node of the graph, all values are read as ids
            of switches, as in `from_edges`. None: read the node attribute ``endpoints``, which is a list of endpoint
            ids or a number of endpoints; nodes without it have none.
        directed
            ``"undirected"`` accepts a directed graph and reads every edge as a cable. If every edge has an opposite
            edge, each pair of opposite edges becomes one cable with the properties of the edge whose source node comes
            first. None: directed graphs are refused.

        Raises
        ------
        tulle.InputError
            For a directed graph without `directed`, or one in which only some edges have an opposite; for an edge from
            a node to itself; for ``endpoints`` that do not number the endpoints from 0.
        """
        from tulle.fabric.networkx import read

        return cls._from_edges(**read(graph, endpoint_switch, directed))

    def without(
        self,
        *,
        links: int | str | ArrayLike | None = None,
        switches: int | str | ArrayLike | None = None,
        seed: int = 0,
    ) -> Fabric:
        """Return a new fabric without some cables and switches. A removed switch loses its cables and endpoints too.

        The remaining switches, channels and endpoints are renumbered in the same order; `origin` has their old ids.

        Parameters
        ----------
        links, switches
            What to remove: a share (``"5%"``), a count (``3``), or a list. A list names switches by id or name, and
            cables by name (``"leaf1--spine2"``, ``"leaf1/3"``), as pairs of switches, or by id from `cables`
            (``fabric.cables[rows]``, ``fabric.edges[rows].cables``). A plain number in a list is refused if it is the
            row of one cable in `edges` and the id of another. For a share or a count, cables and switches are chosen at
            random, independently of each other; shares are rounded to the nearest count.
        seed
            Seed of the random choice. With the same seed, a larger share or count removes all parts that a smaller one
            removes.

        Raises
        ------
        tulle.SpecError
            For a share outside 0% to 100%, a count above the number of parts, or an id that does not exist.
        tulle.InputError
            For an unknown name, or a number that may be an id or a row.

        Examples
        --------
        >>> fabric = Fabric("slimfly:q=5")
        >>> fabric.without(links="10%", seed=1).num_cables
        157
        >>> fabric.without(links=fabric.cables[-3:]).num_cables
        172
        """
        from tulle._internal.arrays import write_amount
        from tulle.fabric.parts import cable_ids, switch_ids

        given = {"links": cable_ids(self, links), "switches": switch_ids(self, switches)}
        faults = ",".join(f"{name}={write_amount(name, value)}" for name, value in given.items() if value is not None)
        return self.with_failures(faults or "links=0", seed)

    def with_failures(self, faults: str, seed: int = 0) -> Fabric:
        """Return a new fabric without the parts that a text names, as `without` explains.

        Examples of texts are ``links=5%``, ``links=3,switches=2``, ``links=ids:7+19`` and ``leaf1/3+spine2``.
        """
        seed = read_seed(seed)
        source: _Source = (_fail, (self._source, faults, seed))
        return Fabric._of(self._core.without(faults, seed), self._seed, source)

    def with_links(self, links: Links) -> Fabric:
        """Return the same fabric, with the properties of its links set by channel class.

        Parameters
        ----------
        links
            Rules in the form of the parameter `links` of `Fabric`.

        Raises
        ------
        tulle.SpecError
            For a class that this fabric does not have, an unknown key, a value out of range.

        Examples
        --------
        >>> fabric = Fabric("dragonfly:p=2").with_links(["global:latency=500ns", "endpoint:rate=100Gbps"])
        >>> int(fabric.link_latency.max()), int(fabric.endpoint_rate[0])
        (500000, 100000000000)
        """
        rules = read_links(links)
        return Fabric._of(self._core.with_links(rules), self._seed, (_link, (self._source, rules)))

    def _with_port_numbers(self, ports: list[int], endpoint_ports: list[int]) -> Fabric:
        """Return the same fabric with these numbers as port names, by channel and by endpoint."""
        core = self._core.with_port_numbers(ports, endpoint_ports)
        return Fabric._of(core, self._seed, (_number, (self._source, ports, endpoint_ports)))

    @property
    def properties(self) -> Properties:
        """Known properties of links, levels and names as lists for `from_edges`; empty lists are left out."""
        return self._core.properties()

    @property
    def links(self) -> tuple[str, ...]:
        """The link rules of the fabric, in the order in which they were applied."""
        return tuple(self._core.link_rules)

    @cached_property
    def _known(self) -> list[LinkColumns]:
        from tulle._internal.arrays import frozen

        found = self._core.links()
        for columns in found:
            for column in (columns["rate"], columns["latency"], columns["length"], columns["cost"]):
                frozen(column)
        return found

    @property
    def link_rate(self) -> NDArray[np.int64]:
        """The rate of every channel in bits per second, int64 (C,); −1 if unknown."""
        return self._known[0]["rate"]

    @property
    def link_latency(self) -> NDArray[np.int64]:
        """The latency of every channel in picoseconds, int64 (C,); −1 if unknown."""
        return self._known[0]["latency"]

    @property
    def link_length(self) -> NDArray[np.int64]:
        """The cable length of every channel in millimetres, int64 (C,); −1 if unknown."""
        return self._known[0]["length"]

    @property
    def link_cost(self) -> NDArray[np.int64]:
        """The routing cost of every channel, int64 (C,); −1 if unknown."""
        return self._known[0]["cost"]

    @property
    def link_medium(self) -> tuple[str | None, ...]:
        """The medium of every channel's cable, one entry per channel; None if unknown."""
        return tuple(self._known[0]["medium"])

    @property
    def endpoint_rate(self) -> NDArray[np.int64]:
        """The link rate of every endpoint in bits per second, per direction, int64 (E,); −1 if unknown."""
        return self._known[1]["rate"]

    @property
    def endpoint_latency(self) -> NDArray[np.int64]:
        """The link latency of every endpoint in picoseconds, int64 (E,); −1 if unknown."""
        return self._known[1]["latency"]

    @property
    def endpoint_length(self) -> NDArray[np.int64]:
        """The cable length of every endpoint in millimetres, int64 (E,); −1 if unknown."""
        return self._known[1]["length"]

    @property
    def endpoint_medium(self) -> tuple[str | None, ...]:
        """The medium of every endpoint's cable, one entry per endpoint; None if unknown."""
        return tuple(self._known[1]["medium"])

    def switch(self, name: str | int) -> int:
        """Return the id of a switch by its name.

        The name of a switch without a given name is its id or its coordinates, for example ``(0,1)``.

        Raises
        ------
        tulle.InputError
            If no switch or more than one has this name.
        """
        return self._core.switch_named(str(name))

    def endpoint(self, name: str | int) -> int:
        """Return the id of an endpoint by its name; without a given name, the name is the id.

        Raises
        ------
        tulle.InputError
            If no endpoint or more than one has this name.
        """
        return self._core.endpoint_named(str(name))

    def cable(self, name: str | int, other: str | int | None = None) -> int:
        """Return the id of the cable between two switches, or of the cable called `name`.

        Parameters
        ----------
        name
            A switch if `other` is given. Otherwise the cable's own name, or ``leaf1--spine2``, ``leaf1/3`` (the cable
            at port 3; ports without names are numbered from 0) or ``leaf1/3--spine2/0``.
        other
            The switch at the other end. Ports, as in ``leaf1/3`` and ``spine2/0``, choose among parallel cables.

        Raises
        ------
        tulle.InputError
            If no cable or more than one matches.

        Examples
        --------
        >>> fabric = Fabric("hyperx:shape=3x3")
        >>> fabric.cable("(0,0)", "(0,1)") == fabric.cable(0, 1) == fabric.cable("0/0")
        True
        """
        return self._core.cable_named(str(name) if other is None else f"{name}--{other}")

    def channel(self, source: str | int, target: str | int) -> int:
        """Return the id of the channel from one switch to another, each given by name or id.

        Raises
        ------
        tulle.InputError
            For an unknown switch, or if no channel or more than one joins the two.
        """
        ends = [end if isinstance(end, int) else self.switch(end) for end in (source, target)]
        return self._core.channel_between(*ends)

    @cached_property
    def cable_names(self) -> tuple[str, ...]:
        """The name of every cable, in the order of `cables`; unnamed cables get names like ``leaf1--spine2``."""
        return tuple(self._core.cable_names())

    @cached_property
    def ports(self) -> tuple[str, ...]:
        """The port by which every channel leaves its source switch (C names): its name, or its number from 0.

        Unnamed ports are numbered per switch: first the channels in the order of `channels`, then the endpoints.
        Failures do not change the numbers.
        """
        return tuple(self._core.port_names())

    @cached_property
    def endpoint_names(self) -> tuple[str, ...]:
        """The name of every endpoint; endpoints without names have their ids."""
        return tuple(self._core.endpoint_names())

    @cached_property
    def endpoint_ports(self) -> tuple[str, ...]:
        """The switch port of every endpoint: its name, or its number. Endpoint ports are numbered after other ports."""
        return tuple(self._core.endpoint_ports())

    @cached_property
    def roles(self) -> tuple[str, ...]:
        """The role of every switch, for example ``leaf``; empty if unknown."""
        return tuple(self._core.roles())

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings from reading the fabric's files, rows or graph, one line each: ignored content, and assumptions."""
        return tuple(self._core.warnings)

    def write(self, path: str | PathLike[str], format: str | None = None) -> list[Path]:
        """Write the graph to a file and return the files written.

        The spec ``file:edges=x.json`` reads the file x.json again. The format ``fabric`` (``.json``) stores all data of
        a fabric. Other formats leave out data that they cannot represent; `left_out` lists these data. ``.csv``,
        ``.edges`` and ``.adj`` get a second file for the endpoints, which ``file:edges=x.csv,nodes=x.nodes.csv`` reads.

        Parameters
        ----------
        path
            The file.
        format
            Its format: csv, edge-list, graphml, hpcc, fabric, node-link, anynet, evalnet, ibnetdiscover or dot. None:
            chosen by the extension.

        Raises
        ------
        tulle.FormatError
            For an unknown extension or format, or a fabric that the format cannot represent.
        tulle.FileError
            If the operating system refuses to write the file.
        """
        return self._core.write(path, format)

    def left_out(self, path: str | PathLike[str], format: str | None = None) -> tuple[str, ...]:
        """List the data that `write` would leave out or change in a file of this format, one line each.

        Raises
        ------
        tulle.FormatError
            For an unknown extension or format, or a format that `write` does not have.
        """
        from tulle._internal.writing.checks import check_graph_format

        check_graph_format(path, format)
        return tuple(self._core.left_out(path, format))

    def plot(
        self,
        colour: str | None = None,
        *,
        load: ArrayLike | None = None,
        load_label: str = "load",
        names: bool | None = None,
        ax: Axes | None = None,
    ) -> Figure:
        """Draw the fabric in a layout of its family, and return the matplotlib figure.

        Dragonflies, Slim Flies and other families with groups are drawn as rings of groups; HyperX, tori, meshes and
        HammingMeshes as grids; fat trees and other families with levels as layers. All other fabrics have a spectral
        layout: switches with similar neighbours are close to each other. If only some switches have endpoints, the
        others are drawn hollow.

        Parameters
        ----------
        colour
            What colours show: ``level``, ``group``, ``role`` (of switches) or ``load`` (of cables). None: ``load`` if
            there are loads, otherwise roles, levels or groups, if the fabric has them.
        load
            The load of every channel, float (C,), 0 or more; a cable has the colour of its busier direction.
        load_label
            Label of the colour bar: what the loads are, with their unit.
        names
            Whether switches are labelled with their names. None: only if there are at most 24 switches.
        ax
            Axes of matplotlib to draw on; None: a new figure, as wide as a column of a paper.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.

        Raises
        ------
        tulle.SpecError
            For an unknown `colour`.
        tulle.InputError
            For a fabric without switches or with more than 2,500, a colour that this fabric does not have, or illegal
            loads.
        tulle.MissingDependencyError
            If matplotlib is not installed; ``tulle[plot]`` installs it.

        Examples
        --------
        >>> figure = Fabric("dragonfly:p=2").plot("group")
        >>> figure.savefig("dragonfly.pdf")  # doctest: +SKIP
        """
        from tulle.plot.fabric import plot_fabric

        values = None if load is None else _numbers(load)
        return plot_fabric(self, colour, load=values, load_label=load_label, names=names, ax=ax)

    def plot_adjacency(self, *, ax: Axes | None = None) -> Figure:
        """Draw the adjacency matrix: a cell per pair of adjacent switches, coloured by the class of their channel.

        Parameters
        ----------
        ax
            Axes of matplotlib to draw on; None: a new figure, as wide as a column of a paper.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.

        Raises
        ------
        tulle.InputError
            For a fabric without switches or with more than 6,000.
        tulle.MissingDependencyError
            If matplotlib is not installed; ``tulle[plot]`` installs it.
        """
        from tulle.plot.adjacency import plot_adjacency

        return plot_adjacency(self, ax=ax)

    def to_networkx(self) -> Any:
        """Convert to a ``networkx.Graph``, or a ``MultiGraph`` if there are parallel cables.

        Nodes are switch ids with the attributes ``label``, ``level`` and ``endpoints`` (list of endpoint ids). Edges
        have the attribute ``cable``, the cable's id. Known properties are further attributes: ``role`` and ``ports``
        of nodes; of edges ``rate`` (bits per second), ``latency`` (picoseconds), ``length`` (millimetres), ``medium``,
        ``cost``, ``name``, ``source_port`` (at the switch with the lower id) and ``target_port``, and, if the direction
        toward the switch with the lower id differs, ``rate_back``, ``latency_back`` and ``cost_back``. The graph itself
        has ``fabric`` (the spec), ``endpoint_names``, ``endpoint_ports``, ``host_ports`` and ``endpoint_links``.
        `from_networkx` reads all attributes back except ``cable`` and ``fabric``.
        """
        from tulle.fabric.networkx import write

        return write(self)

    @property
    def spec(self) -> str:
        """The canonical spec, with every parameter resolved; ``edges`` for fabrics from `from_edges`.

        For all other fabrics, the spec and `seed` build the fabric again, without its link rules and failures.
        """
        return self._core.spec

    @property
    def seed(self) -> int:
        """The seed that built the fabric."""
        return self._seed

    @property
    def family(self) -> str:
        """The family's name; ``edges`` for fabrics from `from_edges`."""
        return self._core.family

    @property
    def parameters(self) -> dict[str, int | float | str | tuple[int, ...]]:
        """The resolved parameters in canonical order."""
        return self._core.parameters

    @property
    def faults(self) -> list[str]:
        """The failure specs applied since the fabric was built, in order."""
        return self._core.faults

    @cached_property
    def origin(self) -> Mapping[str, NDArray[np.int32]] | None:
        """The ids that the parts of a damaged fabric had before the failure; None for a fabric without failures.

        The dictionary has the keys ``switches``, ``channels`` and ``endpoints``. Each value is an int32 array with the
        old id of every part.
        """
        from tulle._internal.arrays import frozen

        before = self._core.origin()
        if before is None:
            return None
        names = ("switches", "channels", "endpoints")
        return {name: frozen(ids) for name, ids in zip(names, before, strict=True)}

    def _undamaged(self) -> tuple[Fabric, dict[str, NDArray[np.int32]]] | None:
        """Return the fabric before all failures, with its link rules, and the ids that the remaining parts had in it.

        The old ids have the form of the property `origin`, but they combine all failures. The result is None if nothing
        has failed since the fabric was built or read.
        """
        source: _Source = self._source
        rules: list[list[str]] = []
        ids: list[NDArray[np.int32]] | None = None
        while source[0] in (_fail, _link):
            make, (before, *more) = source
            if make is _link:
                rules.append(more[0])
            elif (own := make(before, *more).origin()) is not None:
                ids = [*own] if ids is None else [of[at] for of, at in zip(own, ids, strict=True)]
            source = before
        if ids is None:
            return None
        for of in reversed(rules):
            source = (_link, (source, of))
        make, arguments = source
        whole = Fabric._of(make(*arguments), self._seed, source)
        return whole, dict(zip(("switches", "channels", "endpoints"), ids, strict=True))

    @property
    def num_switches(self) -> int:
        """Number of switches, S."""
        return self._core.num_switches

    @property
    def num_endpoints(self) -> int:
        """Number of endpoints, E."""
        return self._core.num_endpoints

    @property
    def num_cables(self) -> int:
        """Number of cables between switches; cables to endpoints are not counted."""
        return self._core.num_cables

    @property
    def network_radix(self) -> int:
        """k': the maximum number of network ports of a switch with endpoints (of any switch, if none has endpoints)."""
        return self._core.network_radix

    @property
    def radix(self) -> int:
        """k: the maximum number of ports of a switch, including endpoint ports."""
        return self._core.radix

    @property
    def concentration(self) -> int:
        """p: the maximum number of endpoints of a switch."""
        return self._core.concentration

    @cached_property
    def _distances(self) -> tuple[list[int], int]:
        return self._core.distances()

    @property
    def diameter(self) -> int | None:
        """The largest distance in hops between switches with endpoints.

        If no switch has endpoints, it is the largest distance between any two switches. The value is None if two of
        these switches are not connected.
        """
        pairs, unreachable = self._distances
        return None if unreachable else len(pairs) - 1

    @property
    def average_path_length(self) -> float | None:
        """The mean distance in hops over ordered pairs of distinct switches with endpoints.

        If no switch has endpoints, all switches count. The value is None if two of these switches are not connected, or
        if there are fewer than two.
        """
        pairs, unreachable = self._distances
        total = sum(pairs)
        if unreachable or not total:
            return None
        return sum(hops * count for hops, count in enumerate(pairs)) / total

    @cached_property
    def channels(self) -> NDArray[np.int32]:
        """Source and target switch of every channel, int32 (C, 2); the row is the channel's id."""
        return _frozen(self._core.channels)

    @cached_property
    def reverse(self) -> NDArray[np.int32]:
        """The channel of the opposite direction, int32 (C,)."""
        return _frozen(self._core.reverse)

    @cached_property
    def edges(self) -> Edges:
        """The two switches of every cable, uint32 (cables, 2), the lower switch id first, by ascending cable id.

        Row numbers are not cable ids. ``edges.cables`` has the id of every row's cable, also after indexing:
        ``fabric.edges[rows].cables``.
        """
        from tulle._internal.arrays import frozen
        from tulle.fabric.edges import edges

        return edges(frozen(self._core.edges()), self.cables)

    @cached_property
    def cables(self) -> NDArray[np.int32]:
        """The id of every cable: the lower of its two channels, int32 (cables,), ascending; rows as in `edges`."""
        from tulle._internal.arrays import frozen
        from tulle.fabric.edges import CableIds

        return frozen(self._core.cables().view(CableIds))

    @cached_property
    def endpoint_switch(self) -> NDArray[np.int32]:
        """The switch of every endpoint, int32 (E,)."""
        return _frozen(self._core.endpoint_switch)

    @cached_property
    def levels(self) -> NDArray[np.uint8]:
        """The level of every switch, uint8 (S,), counted from 0 at the edge; all 0 in flat fabrics."""
        return _frozen(self._core.levels)

    @cached_property
    def _coordinates(self) -> tuple[NDArray[np.int32], list[str]]:
        from tulle._internal.arrays import frozen

        values, names = self._core.coordinates()
        return frozen(values), names

    @property
    def coordinates(self) -> NDArray[np.int32]:
        """The coordinates of every switch as the family's paper defines them, int32 (S, d); d = 0 if there are none."""
        return self._coordinates[0]

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        """The name of each column of `coordinates`."""
        return tuple(self._coordinates[1])

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The label of every switch: its given name, or its coordinates, or its id."""
        return tuple(self._core.labels())

    @cached_property
    def _classes(self) -> tuple[NDArray[np.uint8], list[str]]:
        from tulle._internal.arrays import frozen

        values, names = self._core.classes()
        return frozen(values), names

    @property
    def classes(self) -> NDArray[np.uint8]:
        """The class of every channel, uint8 (C,): an index into `class_names`."""
        return self._classes[0]

    @property
    def class_names(self) -> tuple[str, ...]:
        """The names of the channel classes: ``local``, ``global``, ``up``, ``down``, …."""
        return tuple(self._classes[1])

    @cached_property
    def virtual_layers(self) -> NDArray[np.int16]:
        """The virtual layer of every channel at its source and target end (Flattened Clos §3.1), int16 (C, 2).

        An entry is −1 if that end is on no virtual layer. Fabrics without virtual layers have an array of shape (0, 2).
        """
        return _frozen(self._core.virtual_layers)

    def __eq__(self, other: object) -> bool:
        return self._core == other._core if isinstance(other, Fabric) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.spec, self.num_switches, self.num_cables, self.num_endpoints, *self.faults))

    def __repr__(self) -> str:
        made = f"{self.spec!r}, seed={self.seed}" if self.seed else repr(self.spec)
        lost = f", {len(self.faults)} faults" if self.faults else ""
        return (
            f"<Fabric {made}: {self.num_switches} switches, {self.num_cables} cables, "
            f"{self.num_endpoints} endpoints, network radix {self.network_radix}{lost}>"
        )

    def _overview(self) -> Overview:
        values = {
            "switches": self.num_switches,
            "endpoints": self.num_endpoints,
            "cables": self.num_cables,
            "network_radix": self.network_radix,
            "concentration": self.concentration,
            "diameter": "none: not connected" if self.diameter is None else self.diameter,
            **({"seed": self.seed} if self.seed else {}),
            **({"links": "; ".join(self.links)} if self.links else {}),
            **({"faults": "; ".join(self.faults)} if self.faults else {}),
        }
        return Overview("Fabric", self.spec, values)

    def _fingerprint(self) -> str:
        """Hash all data that must be equal when a fabric is built again: unpickled, or for a report."""
        import hashlib

        import numpy as np

        digest = hashlib.sha256()
        for array in (self.channels, self.reverse, self.endpoint_switch, self.levels, self.classes):
            digest.update(np.ascontiguousarray(array).tobytes())
        known = {name: column for name, column in self._core.properties().items() if name != "levels"}
        if known:
            digest.update(repr(sorted(known.items())).encode())
        return digest.hexdigest()

    def __reduce__(self) -> tuple[Callable[..., Fabric], tuple[object, ...]]:
        return _rebuild, (self._seed, self._source, self._fingerprint())


def _numbers(values: ArrayLike) -> NDArray[np.float64]:
    """Return an array of numbers.

    Raises
    ------
    tulle.InputError
        If the values are not numbers.
    """
    import numpy as np

    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"load is not an array of numbers: {error}") from None


def _frozen(make: Callable[[], NDArray[Any]]) -> NDArray[Any]:
    """Make an array of the Rust core read-only. Numpy is imported late, because its import takes long."""
    from tulle._internal.arrays import frozen

    return frozen(make())


# A function that builds the object of the Rust core again, for example one of `tulle._tulle`, and its arguments.
_Source = tuple["Callable[..., _tulle.Fabric]", tuple[Any, ...]]


def _fail(source: _Source, faults: str, seed: int) -> _tulle.Fabric:
    make, arguments = source
    return make(*arguments).without(faults, seed)


def _link(source: _Source, rules: list[str]) -> _tulle.Fabric:
    make, arguments = source
    return make(*arguments).with_links(rules)


def _number(source: _Source, ports: list[int], endpoint_ports: list[int]) -> _tulle.Fabric:
    make, arguments = source
    return make(*arguments).with_port_numbers(ports, endpoint_ports)


def _rebuild(seed: int, source: _Source, fingerprint: str) -> Fabric:
    make, arguments = source
    fabric = Fabric._of(make(*arguments), seed, source)
    if fabric._fingerprint() != fingerprint:
        raise InputError(f"{fabric.spec}: it is no longer the fabric that was pickled; has its file or tulle changed?")
    return fabric


def build_with_failures(spec: str, seed: int, fail: str | None, links: Links | None = None) -> Fabric:
    """Build a fabric with link rules and without the parts that `fail` names; one seed is used for all random choices.

    Examples
    --------
    >>> build_with_failures("slimfly:q=5", 1, "links=5%").num_cables
    166
    """
    whole = Fabric(spec, seed, links)
    return whole if fail is None else whole.with_failures(fail, seed)


def without_endpoints(fabric: Fabric) -> InputError:
    """Return an error about a fabric without endpoints, which says how to attach some."""
    legal = f"legal: a fabric with endpoints{fabric._core.endpoint_hint}"
    return InputError(f"{fabric.spec} has no endpoints; {legal}")


def as_fabric(fabric: Fabric | str, seed: int = 0) -> Fabric:
    """Return `fabric` itself, or build it with `seed` if it is a spec; an illegal seed is refused in both cases.

    Examples
    --------
    >>> as_fabric("slimfly:q=5").num_switches
    50
    """
    seed = read_seed(seed)
    if isinstance(fabric, str):
        return Fabric(fabric, seed)
    if not isinstance(fabric, Fabric):
        raise InputError(f"fabric is {kind_of(fabric)}; legal: a tulle.Fabric or its spec, for example 'slimfly:q=5'")
    return fabric
