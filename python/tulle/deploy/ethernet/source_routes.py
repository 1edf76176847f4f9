"""Source routes: of every pair of switches the paths as lists of micro segments, for tables and for explicit paths.

A path has an address range of its own, as a layer has: path p toward a switch is taken by packets to its prefix of
"layer" p. Packets are packed into another IPv6 header at the first switch, whose destination is the list.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tulle.deploy.ethernet.addressing import Addressing
from tulle.deploy.ethernet.numbering import Numbering
from tulle.deploy.ethernet.plan import EthernetPlan, plan_ethernet
from tulle.deploy.ethernet.usid import BLOCK, DECAPSULATE, Block, pack
from tulle.errors import InputError

if TYPE_CHECKING:
    from tulle.routing.routing import Routing
    from tulle.routing.vc_plan import VcPlan

__all__ = ["SourceRoute", "SourceRoutes", "source_routes"]


class SourceRoute(NamedTuple):
    """A path, and how a packet is told of it."""

    path: int
    """Its number among those of the pair: the layer of a routing of tables."""
    destination: int
    """The switch that it leads to."""
    prefix: str
    """What is sent there on this path."""
    channels: tuple[int, ...]
    segments: tuple[int, ...]
    """Micro segments, the last of them uDT6."""
    addresses: tuple[str, ...]
    """The same, six to an address."""
    row: int
    """Its place among the paths of the routing (`Routing.path_columns`)."""


class _PathPlan(EthernetPlan):
    """A plan of explicit paths: no entries by destination, but names, ports and addresses as others have."""

    @property
    def num_layers(self) -> int:
        return self.addressing.layers


@dataclass(frozen=True, eq=False)
class SourceRoutes:
    """All paths of a routing as source routes. Made by `source_routes`."""

    plan: EthernetPlan
    """Names, ports, and hosts with an address per path; its entries are not used."""
    block: Block
    numbering: Numbering
    routes: tuple[tuple[SourceRoute, ...], ...]
    """Per switch that packets start at; none for switches without hosts."""

    @cached_property
    def parallel(self) -> frozenset[int]:
        """Channels beside which others lead to the same switch: their ports are named by segments."""
        return _parallel(self.plan)

    @property
    def most_segments(self) -> int:
        """Of any path."""
        return max((len(route.segments) for routes in self.routes for route in routes), default=0)


def source_routes(
    what: Routing | VcPlan, *, prefix: str | None = None, block: str = BLOCK, link_prefix: str | None = None
) -> SourceRoutes:
    """The paths of a routing as lists of micro segments.

    Parameters
    ----------
    what
        A routing, of tables (of equal-cost ports the lowest is taken) or of explicit paths, or its plan of virtual
        channels.
    prefix
        The prefix of IPv6 that addresses of hosts are in; None: fd00::/16.
    block
        The /32 that micro segments are in.
    link_prefix
        The prefix of addresses of links; None: as `Numbering.of`.

    Raises
    ------
    tulle.InputError
        For more paths per pair than there are layers of addresses, a pair of switches with hosts without a path, or
        more switches or ports than segments.

    Examples
    --------
    >>> import tulle
    >>> made = source_routes(tulle.route("slimfly:q=5", "redksp:k=3"))
    >>> made.plan.num_layers, len(made.routes[0]), made.routes[0][1].addresses
    (3, 147, ('fcbb:bb00:2:3:fe06::',))
    """
    from tulle.routing.routing import Routing, route

    vcs = None if isinstance(what, Routing) else what
    routing = what if isinstance(what, Routing) else what.routing
    fabric = routing.fabric
    columns = routing.path_columns()
    hosted = np.zeros(fabric.num_switches, dtype=bool)
    hosted[fabric.endpoint_switch] = True
    kept = np.flatnonzero(hosted[columns.source] & hosted[columns.destination])
    pairs = Counter(zip(columns.source[kept].tolist(), columns.destination[kept].tolist(), strict=True))
    switches = np.flatnonzero(hosted).tolist()
    lacks = next(((one, to) for one in switches for to in switches if one != to and (one, to) not in pairs), None)
    if lacks is not None:
        names = fabric.labels
        raise InputError(
            f"{routing.spec} has no path from switch {names[lacks[0]]} to {names[lacks[1]]}; legal: one or more"
        )
    if prefix is not None and ":" not in prefix:
        raise InputError(f"--prefix {prefix} is of IPv4; legal: one of IPv6, as fd12:3456::/32")
    most = max(pairs.values(), default=1)
    addressing = Addressing.of(fabric, most, ipv6=True, prefix=prefix)
    if routing.num_layers:
        plan = plan_ethernet(routing, addressing, vcs=vcs)
    else:
        plan = _path_plan(plan_ethernet(route(fabric, "minimal")), routing, vcs, addressing)
    segments, numbers = Block.of(block), addressing.numbers
    # Both refuse what there are too many of.
    segments.node(max(numbers))
    segments.port(max(port.number for ports in plan.ports for port in ports))
    parallel = _parallel(plan)
    found: list[list[SourceRoute]] = [[] for _ in plan.names]
    counted: Counter[tuple[int, int]] = Counter()
    offsets, channels = columns.offsets.tolist(), columns.channels.tolist()
    for row in kept.tolist():
        source, destination = int(columns.source[row]), int(columns.destination[row])
        path = counted[source, destination]
        counted[source, destination] += 1
        way = tuple(channels[offsets[row] : offsets[row + 1]])
        listed = _segments(plan, segments, parallel, source, way)
        found[source].append(
            SourceRoute(
                path, destination, addressing.prefix(path, destination), way, listed, pack(segments, listed), row
            )
        )
    # A pair with fewer paths than others takes them again, so that every address of a host leads somewhere.
    for routes in found:
        of: dict[int, list[SourceRoute]] = {}
        for one in routes:
            of.setdefault(one.destination, []).append(one)
        again = [
            mine[path % len(mine)]._replace(path=path, prefix=addressing.prefix(path, destination))
            for destination, mine in of.items()
            for path in range(len(mine), most)
        ]
        routes += again
        routes.sort(key=lambda one: (one.path, one.destination))
    return SourceRoutes(plan, segments, Numbering.of(plan, link_prefix), tuple(map(tuple, found)))


def _path_plan(base: EthernetPlan, routing: Routing, vcs: VcPlan | None, addressing: Addressing) -> EthernetPlan:
    hosts = tuple(
        replace(
            host,
            addresses=tuple(
                addressing.host(path, host.switch, addressing.places[host.endpoint])
                for path in range(addressing.layers)
            ),
        )
        for host in base.hosts
    )
    return _PathPlan(
        routing,
        base.fabric,
        addressing,
        vcs,
        base.names,
        base.ports,
        hosts,
        base.destinations,
        np.zeros_like(base.entries_per_switch),
        base.walked,
        base._core,
    )


def _parallel(plan: EthernetPlan) -> frozenset[int]:
    ends = [tuple(pair) for pair in plan.fabric.channels.tolist()]
    count = Counter(ends)
    return frozenset(channel for channel, pair in enumerate(ends) if count[pair] > 1)


def _segments(
    plan: EthernetPlan, block: Block, parallel: frozenset[int], source: int, channels: tuple[int, ...]
) -> tuple[int, ...]:
    numbers, ends = plan.addressing.numbers, plan.fabric.channels
    listed: list[int] = []
    at = source
    for channel in channels:
        if channel in parallel:
            if not listed:
                listed.append(block.node(numbers[at]))
            listed.append(block.port(plan.channel_ports[channel].number))
        at = int(ends[channel, 1])
        listed.append(block.node(numbers[at]))
    return (*listed, DECAPSULATE)
