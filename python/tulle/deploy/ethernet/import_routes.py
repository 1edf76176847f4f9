"""Import the route tables of an existing Ethernet network as a routing, for analysis."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tulle._internal.arguments import read_texts
from tulle._internal.html_summary import shown
from tulle._internal.text import are, counted, verb
from tulle.deploy.ethernet.route_network import RouteNetwork
from tulle.deploy.read.route_tables import read_route_table
from tulle.deploy.read.switch_files import files_of
from tulle.errors import InputError
from tulle.routing.routing import Routing

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

    from numpy.typing import NDArray

    from tulle.deploy.read.route_tables import Prefix, RouteTable
    from tulle.fabric import Fabric

__all__ = ["ImportedRoutes", "read_routing", "routing_of_routes"]


@shown
class ImportedRoutes(NamedTuple):
    """A routing that was imported from route tables."""

    routing: Routing
    destinations: tuple[tuple[str, ...], ...]
    """For each switch, the prefix that represents it in each layer; empty for a switch without prefixes."""
    notes: tuple[str, ...]
    """One line for each omission and assumption."""


def routing_of_routes(fabric: Fabric, tables: Sequence[RouteTable]) -> ImportedRoutes:
    """Convert the route tables of switches to a routing.

    The destinations of a switch are its connected prefixes that other switches route over the fabric. If there are
    none, they are its loopback addresses. Connected prefixes count as one destination if every other switch forwards
    them by the same route. Layer l uses the l-th destination of each switch, in the order of addresses. A switch with
    fewer destinations than layers uses them repeatedly. If all layers are equal, the result has only one. IPv6 routes
    are used only if no switch has an IPv4 destination.

    Parameters
    ----------
    fabric
        The fabric, whose ports have the names of the switches' interfaces.
    tables
        The route table of each switch, in the order of the fabric's switches.

    Raises
    ------
    tulle.InputError
        If ports have no names, the number of tables is wrong, no prefix is routed, a route is missing or has no next
        hop over a port of the fabric, or a path loops.
    """
    if "ports" not in fabric.properties:
        raise InputError("the fabric has no names of ports; legal: a fabric with the interface names of its switches")
    if len(tables) != fabric.num_switches:
        raise InputError(f"{len(tables)} route tables; legal: {fabric.num_switches}, one per switch")
    network = RouteNetwork(fabric, tables)
    chosen, notes = _destinations(network)
    layers = max(map(len, chosen))
    if not layers:
        raise InputError(
            "no switch has a connected prefix that another switch routes over the fabric; legal: whole route tables, "
            "with connected routes (ip -json route show table all)"
        )
    return _routing(network, chosen, layers, notes)


def read_routing(fabric: Fabric, places: str | PathLike[str] | Sequence[str | PathLike[str]]) -> ImportedRoutes:
    """Read the route tables of all switches of a fabric as a routing.

    Parameters
    ----------
    fabric
        The fabric, whose ports have the names of the switches' interfaces.
    places
        Files named after their switches, or folders of such files.

    Raises
    ------
    tulle.FileError, tulle.FormatError
        For a file that cannot be read, or is not the output of a tool that `read_route_table` reads.
    tulle.InputError
        For a switch without a file, a file whose name is not that of a switch, and for the reasons that
        `routing_of_routes` lists.
    """
    found = files_of(fabric.labels, read_texts("places", places), "the fabric")
    for path in found.unknown:
        raise found.nameless(path)
    files = found.single()
    missing = [name for switch, name in enumerate(fabric.labels) if switch not in files]
    if missing:
        raise InputError(f"no route table of {_some(missing)}; legal: a file per switch, named after it")
    return routing_of_routes(fabric, [read_route_table(files[switch]) for switch in range(fabric.num_switches)])


def _some(names: Sequence[str]) -> str:
    """Return a text with the name of the first switch and the number of further switches."""
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return f"switch {names[0]}{more}"


def _destinations(network: RouteNetwork) -> tuple[list[list[Prefix]], list[str]]:
    """Return, for each switch, one prefix per layer that represents the switch as a destination; also return notes."""
    local: list[dict[Prefix, bool]] = []
    count: Counter[Prefix] = Counter()
    for switch, table in enumerate(network.tables):
        found = {
            prefix: "lo" in ports
            for prefix, ports in table.connected.items()
            if prefix.prefixlen and network.is_local(switch, ports)
        }
        local.append(found)
        count.update([*found])
    notes = []
    if shared := [prefix for prefix, switches in count.items() if switches > 1]:
        example = min(shared, key=str)
        notes.append(
            f"{counted(len(shared), 'prefix', 'prefixes')}, for example {example}, {verb(len(shared), 'is', 'are')} "
            "left out: several switches have the same connected prefix"
        )
    groups: list[dict[bool, dict[tuple[Prefix | None, ...], Prefix]]] = []
    for switch, prefixes in enumerate(local):
        of: dict[bool, dict[tuple[Prefix | None, ...], Prefix]] = {True: {}, False: {}}
        chains: set[tuple[bool, tuple[Prefix, ...]]] = set()
        for prefix in sorted(prefixes, key=lambda one: (one.version, one.network_address, one.prefixlen)):
            chain = prefixes[prefix], network.chain(switch, prefix)
            if count[prefix] == 1 and chain not in chains:
                chains.add(chain)
                seen = tuple(
                    None if other == switch else _onward(network, other, prefix) for other in range(len(network.tables))
                )
                if any(seen):
                    of[prefixes[prefix]].setdefault(seen, prefix)
        groups.append(of)
    chosen = [[*(of[False] or of[True]).values()] for of in groups]
    if any(prefix.version == 4 for row in chosen for prefix in row):
        chosen = [[prefix for prefix in row if prefix.version == 4] for row in chosen]
    return chosen, notes


def _onward(network: RouteNetwork, switch: int, prefix: Prefix) -> Prefix | None:
    """Return the prefix in the switch's table that matches `prefix`, if its route leads over the fabric; else None."""
    found = network.match(switch, prefix)
    ways = () if found is None else network.tables[switch].routes[found]
    return found if any(network.channels(switch, way) for way in ways) else None


def _routing(network: RouteNetwork, chosen: list[list[Prefix]], layers: int, notes: list[str]) -> ImportedRoutes:
    fabric = network.fabric
    cells: dict[tuple[int, int, int], dict[int, int]] = {}
    problems: list[str] = []
    outside = 0
    for destination, prefixes in enumerate(chosen):
        for layer, prefix in enumerate(prefixes):
            for switch in range(fabric.num_switches):
                if switch == destination:
                    continue
                hops, left, problem = network.hops(switch, prefix)
                outside += left
                if problem:
                    problems.append(problem)
                cells[layer, switch, destination] = hops
    if problems:
        more = f" ({len(problems)} such entries)" if len(problems) > 1 else ""
        raise InputError(
            f"{problems[0]}{more}; legal: route tables and cabling that were collected at the same time, without black "
            "holes"
        )
    if outside:
        notes.append(
            f"{counted(outside, 'next hop')} {verb(outside, 'is', 'are')} left out, because the interface is not a "
            "port of the fabric"
        )
    widest = max(map(len, cells.values()))
    silent = [switch for switch, row in enumerate(chosen) if not row]
    minimal: Routing | None = None
    if silent:
        # No packet is routed to these switches, but a routing needs an entry for every pair of switches.
        from tulle.routing.routing import route

        minimal = route(fabric, "minimal")
        widest = max(widest, minimal.next_hop_groups.shape[3])
        notes.append(
            f"{are(len(silent), 'switch', 'switches')} without a routed prefix, for example "
            f"{fabric.labels[silent[0]]}; minimal paths replace the missing routes"
        )
    shape = layers, fabric.num_switches, fabric.num_switches, widest
    next_hop, shares = np.full(shape, -1, np.int64), np.zeros(shape, np.int64)
    for destination, prefixes in enumerate(chosen):
        for layer in range(layers):
            if minimal is not None and not prefixes:
                groups = minimal.next_hop_groups[0, :, destination]
                next_hop[layer, :, destination, : groups.shape[1]] = groups
                shares[layer, :, destination, : groups.shape[1]] = minimal.port_shares[0, :, destination]
                continue
            for switch in range(fabric.num_switches):
                if switch != destination:
                    hops = cells[layer % len(prefixes), switch, destination]
                    next_hop[layer, switch, destination, : len(hops)] = [*hops]
                    shares[layer, switch, destination, : len(hops)] = [*hops.values()]
    if (next_hop == next_hop[:1]).all() and (shares == shares[:1]).all():
        next_hop, shares, layers = next_hop[:1], shares[:1], 1
    if looping := _loop(next_hop, fabric.channels[:, 1]):
        layer, destination, switches = looping
        prefix = chosen[destination][layer % len(chosen[destination])]
        way = "→".join(fabric.labels[switch] for switch in switches)
        raise InputError(
            f"the routes to {prefix} (switch {fabric.labels[destination]}) loop: {way}; legal: loop-free routes, from "
            "tables that were collected at the same time"
        )
    return ImportedRoutes(_made(fabric, next_hop, shares), _names(chosen, layers), tuple(notes))


def _loop(next_hop: NDArray[np.int64], heads: NDArray[np.int32]) -> tuple[int, int, list[int]] | None:
    """Return the first loop of next hops: layer, destination and the switches on it, the first one repeated."""
    for layer, destination in np.ndindex(next_hop.shape[0], next_hop.shape[2]):
        hops = next_hop[layer, :, destination]
        onward = [{int(heads[channel]) for channel in row if channel >= 0} for row in hops]
        left, onward[destination] = set(range(len(onward))), set()
        # Remove switches whose next hops are all removed already, and repeat. The remaining switches lead to a loop.
        while gone := {switch for switch in left if not onward[switch] & left}:
            left -= gone
        if left:
            way = [min(left)]
            while way[-1] not in way[:-1]:
                way.append(min(onward[way[-1]] & left))
            return layer, destination, way[way.index(way[-1]) :]
    return None


def _made(fabric: Fabric, next_hop: NDArray[np.int64], shares: NDArray[np.int64]) -> Routing:
    if next_hop.shape[3] == 1:
        return Routing.from_next_hop(fabric, next_hop[..., 0])
    is_weighted = bool((shares > 1).any())
    return Routing.from_next_hop(fabric, next_hop, port_shares=shares if is_weighted else None)


def _names(chosen: list[list[Prefix]], layers: int) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(str(row[layer % len(row)]) for layer in range(layers)) if row else () for row in chosen)
