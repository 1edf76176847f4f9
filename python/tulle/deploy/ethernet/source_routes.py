"""Source routes: the paths of every pair of switches as lists of micro segments, from tables or explicit paths.

Each path has its own address range, like a layer: packets to the prefix of "layer" p of a switch take path p. The first
switch encapsulates packets in another IPv6 header, whose destination is the list of segments.
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
from tulle.deploy.ethernet.usid import BLOCK, DECAPSULATE, PER_ADDRESS, Block, pack
from tulle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tulle.deploy.ethernet.plan import Port
    from tulle.routing.routing import Routing
    from tulle.routing.vc_plan import VcPlan

__all__ = ["SourceRoute", "SourceRoutes", "source_routes"]


class SourceRoute(NamedTuple):
    """A path with its segments."""

    path: int
    """The number of the path within its pair of switches; for a routing with tables, the layer."""
    destination: int
    """The destination switch."""
    prefix: str
    """The prefix whose packets take this path."""
    channels: tuple[int, ...]
    segments: tuple[int, ...]
    """The micro segments; the last is uDT6."""
    addresses: tuple[str, ...]
    """The segments packed into addresses, six per address."""
    row: int
    """The index of the path in `Routing.path_columns`."""


class _PathPlan(EthernetPlan):
    """A plan for explicit paths.

    The plan has names, ports and addresses like other plans, but no table entries by destination.
    """

    @property
    def num_layers(self) -> int:
        return self.addressing.layers


@dataclass(frozen=True, eq=False)
class SourceRoutes:
    """All paths of a routing as source routes. Made by `source_routes`."""

    plan: EthernetPlan
    """The plan with names, ports, and hosts that have an address per path. The entries of the plan are not used."""
    block: Block
    numbering: Numbering
    routes: tuple[tuple[SourceRoute, ...], ...]
    """The routes of each source switch; empty for switches without hosts."""

    @cached_property
    def parallel(self) -> frozenset[int]:
        """Channels of parallel cables between two switches. Only for these channels, segments name the port."""
        return _parallel(self.plan)

    @property
    def most_segments(self) -> int:
        """The number of segments in the longest list."""
        return max((len(route.segments) for routes in self.routes for route in routes), default=0)

    def address(self, port: Port) -> str:
        """The address of a port toward another switch, with the prefix length."""
        assert port.channel is not None
        return f"{self.numbering.address(port.channel)}/{self.numbering.length}"

    def gateway(self, port: Port) -> str:
        """The address at the other end of the port's cable."""
        channel = self.plan.peer(port)[1].channel
        assert channel is not None
        return self.numbering.address(channel)

    def next_switches(self, switch: int) -> Iterator[tuple[str, Port]]:
        """The prefix of the segment of every adjacent switch, and the lowest port to this switch."""
        plan, seen = self.plan, set()
        for port in plan.ports[switch]:
            if port.channel is not None:
                other, _ = plan.peer(port)
                if other not in seen:
                    seen.add(other)
                    yield self.block.prefix(self.block.node(plan.addressing.numbers[other])), port


def source_routes(
    what: Routing | VcPlan, *, prefix: str | None = None, block: str = BLOCK, link_prefix: str | None = None
) -> SourceRoutes:
    """Convert the paths of a routing to lists of micro segments.

    Parameters
    ----------
    what
        A routing with tables (the lowest of equal-cost ports is used) or explicit paths, or its virtual-channel plan.
    prefix
        The IPv6 prefix of the hosts' addresses; None: fd00::/16.
    block
        The IPv6 prefix (a /32) of the micro segments.
    link_prefix
        The prefix of the links' addresses; None: as `Numbering.of` chooses it.

    Raises
    ------
    tulle.InputError
        For more paths per pair than layers of addresses, for a pair of switches with hosts but without a path, or for
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
            f"{routing.spec} has no path from switch {names[lacks[0]]} to {names[lacks[1]]}; legal: at least one"
        )
    if prefix is not None and ":" not in prefix:
        raise InputError(f"--prefix {prefix} is an IPv4 prefix; legal: an IPv6 prefix, for example fd12:3456::/32")
    most = max(pairs.values(), default=1)
    addressing = Addressing.of(fabric, most, ipv6=True, prefix=prefix)
    if routing.num_layers:
        plan = plan_ethernet(routing, addressing, vcs=vcs)
    else:
        plan = _path_plan(plan_ethernet(route(fabric, "minimal")), routing, vcs, addressing)
    segments, numbers = Block.of(block), addressing.numbers
    # Check the largest numbers first: these calls raise an error if there are too many switches or ports.
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
    # Pairs with fewer paths than other pairs repeat their paths, so that every address of a host is reachable.
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
        base.named_for,
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

    def local(switch: int, segment: int) -> tuple[int, ...]:
        # FRR and SONiC match a local segment only after the segment of its switch in the same address. So the segment
        # of the switch is repeated at the beginning of another address.
        starts_address = len(listed) % PER_ADDRESS == 0
        return (block.node(numbers[switch]), segment) if starts_address else (segment,)

    at = source
    for channel in channels:
        if channel in parallel:
            listed += local(at, block.port(plan.channel_ports[channel].number))
        at = int(ends[channel, 1])
        listed.append(block.node(numbers[at]))
    return (*listed, *local(at, DECAPSULATE))
