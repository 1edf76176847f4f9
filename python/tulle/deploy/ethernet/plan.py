"""The plan of an IP network for a routing: names, ports, addresses, and the prefix entries of every switch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, overload

from tulle import _tulle
from tulle._internal.arrays import frozen
from tulle._internal.html_summary import Overview, Shown, shown
from tulle._internal.results import Value
from tulle._internal.text import counted
from tulle.deploy.ethernet.addressing import Addressing
from tulle.deploy.ethernet.names import host_mac, host_names, switch_mac, switch_names
from tulle.deploy.ethernet.port_names import LINUX, given_name
from tulle.errors import InputError
from tulle.fabric.hosts import servers

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tulle.fabric import Fabric
    from tulle.routing.routing import Routing
    from tulle.routing.vc_plan import VcPlan

__all__ = ["Entry", "EthernetPlan", "Host", "Port", "Walked", "plan_ethernet", "plan_of"]

Hops = tuple[tuple[int, int], ...]
"""Ports of a switch with their weights, ascending by port."""

HOST_INTERFACE = "eth0"
"""The interface of a host toward the fabric, if the fabric does not name it."""


@dataclass(frozen=True)
class Port(Shown):
    """A port of a switch."""

    number: int
    """The port number from 1, of the hardware or of the fabric."""
    name: str
    """The name of the interface on the switch: its name in the fabric, or a name by the target's rule."""
    mac: str
    channel: int | None
    """The channel that starts at the port; None if a host is connected."""
    endpoint: int | None
    """The connected endpoint; None if another switch is connected."""
    given: str = ""
    """The name of the port in the fabric; empty if the port has no name, or only a number."""
    alias: str = ""
    """Another name under which the system announces the port."""


@dataclass(frozen=True)
class Host(Shown):
    """A host."""

    endpoint: int
    """The id of its endpoint."""
    name: str
    switch: int
    """The switch to which the host is connected."""
    port: int
    """The number of the switch port to which the host is connected."""
    mac: str
    addresses: tuple[str, ...]
    """The addresses, one per layer."""
    interface: str = HOST_INTERFACE
    """The interface of the host toward the fabric."""
    server: str = ""
    """The server, if the host is one of the ports of a server; the other ports are other hosts."""


@shown
class Entry(NamedTuple):
    """A prefix entry of a switch."""

    layer: int
    destination: int
    """The switch whose hosts have addresses in the prefix."""
    prefix: str
    hops: Hops


@dataclass(frozen=True, eq=False)
class Walked(Value):
    """The result of following every path through the table entries: all lead to their destination, none loops."""

    pairs: tuple[NDArray[np.int64], ...]
    """Per layer, int64 (most hops + 1,): entry h is the number of (switch, destination) pairs whose longest path has h
    hops."""

    @property
    def paths(self) -> int:
        """The number of paths. In a layer, all paths from one switch to another count as one."""
        return sum(int(counts.sum()) for counts in self.pairs)

    @property
    def most_hops(self) -> int:
        """The hops of the longest path."""
        return max(len(counts) - 1 for counts in self.pairs)


@dataclass(frozen=True, eq=False)
class EthernetPlan(Value):
    """The plan of an IP network for one routing. Made by `plan_ethernet`."""

    routing: Routing
    fabric: Fabric
    """The fabric of the routing; its ports are named by their numbers."""
    addressing: Addressing
    vcs: VcPlan | None
    """The virtual-channel plan of a lossless network, with its proof; None for a network that drops packets."""
    names: tuple[str, ...]
    """The host name of each switch."""
    ports: tuple[tuple[Port, ...], ...]
    """The ports of each switch, ascending by number."""
    hosts: tuple[Host, ...]
    """The host of each endpoint."""
    destinations: tuple[int, ...]
    """The switches with hosts, ascending. Every switch has an entry per layer toward each other switch with hosts."""
    entries_per_switch: NDArray[np.int64]
    """The number of prefix entries in the table of each switch, int64 (S,)."""
    walked: Walked
    named_for: str
    """The system, for example ``Linux``, for which the names of `ports` were checked; empty: not checked yet."""
    _core: _tulle.PrefixEntries = field(repr=False, compare=False)
    given: str = ""
    """The spec that the user gave, if `routing` was derived from it; empty if it is the spec of `routing`."""

    @property
    def spec(self) -> str:
        """The spec of the routing that messages and files show."""
        return self.given or self.routing.spec

    @property
    def num_entries(self) -> int:
        """The number of prefix entries of all switches."""
        return int(self.entries_per_switch.sum())

    @property
    def machines(self) -> str:
        """The numbers of switches and hosts, as text. A server with several ports is one host."""
        ports = len(self.hosts)
        hosts = len({host.server or host.name for host in self.hosts})
        named = counted(hosts, "host") + (f" with {counted(ports, 'port')}" if hosts != ports else "")
        return f"{counted(len(self.names), 'switch', 'switches')}, {named}"

    @property
    def sizes(self) -> str:
        """The numbers of switches, hosts and layers, as text."""
        return f"{self.machines}, {counted(self.num_layers, 'layer')}"

    @property
    def num_layers(self) -> int:
        """The number of layers, each with its own addresses."""
        return self.routing.num_layers

    def _overview(self) -> Overview:
        values = {
            "routing": self.routing.spec,
            "switches": self.fabric.num_switches,
            "hosts": self.fabric.num_endpoints,
            "layers": self.num_layers,
            "addresses": str(self.addressing.base),
            "entries": self.num_entries,
            "most entries of a switch": int(self.entries_per_switch.max()),
            "hops of the longest path": self.walked.most_hops,
            "proved free of deadlock": None if self.vcs is None else True,
        }
        return Overview("Ethernet plan", self.fabric.spec, values)

    @property
    def entries(self) -> Sequence[tuple[Entry, ...]]:
        """The prefix entries of each switch, by layer and destination; made on access."""
        return _Entries(self)

    def groups(self, switch: int) -> tuple[Hops, ...]:
        """The next-hop groups of a switch. Layers and destinations share equal groups."""
        return tuple(self._groups[switch])

    def group_of(self, switch: int) -> NDArray[np.int32]:
        """The group index of every entry of a switch, int32 (layers, destinations); −1 toward itself."""
        return frozen(self._core.groups(switch))

    def hops(self, switch: int, layer: int, destination: int) -> Hops:
        """The ports and weights of one entry; empty toward the switch itself."""
        group = self._rows[switch][layer][self._places[destination]]
        return self._groups[switch][group] if group >= 0 else ()

    @cached_property
    def _places(self) -> dict[int, int]:
        return {switch: place for place, switch in enumerate(self.destinations)}

    @cached_property
    def _rows(self) -> list[list[list[int]]]:
        return [self.group_of(switch).tolist() for switch in range(len(self.names))]

    @cached_property
    def prefixes(self) -> tuple[tuple[str, ...], ...]:
        """Per layer, the prefixes of `destinations`."""
        return tuple(
            tuple(self.addressing.prefix(layer, switch) for switch in self.destinations)
            for layer in range(self.num_layers)
        )

    @cached_property
    def channel_ports(self) -> tuple[Port, ...]:
        """Per channel, the port where it starts."""
        found: dict[int, Port] = {}
        for ports in self.ports:
            found.update({port.channel: port for port in ports if port.channel is not None})
        return tuple(found[channel] for channel in range(len(found)))

    @cached_property
    def by_number(self) -> tuple[dict[int, Port], ...]:
        """Per switch, its ports by number."""
        return tuple({port.number: port for port in ports} for ports in self.ports)

    @cached_property
    def hosts_at(self) -> tuple[tuple[Host, ...], ...]:
        """For each switch, its hosts in the order of their numbers."""
        found: list[list[Host]] = [[] for _ in self.names]
        for host in self.hosts:
            found[host.switch].append(host)
        return tuple(map(tuple, found))

    def peer(self, port: Port) -> tuple[int, Port]:
        """Return the switch at the other end of a port's cable, and the port of that switch.

        Raises
        ------
        ValueError
            For a port to a host.
        """
        if port.channel is None:
            raise ValueError(f"{port.name} leads to a host")
        return int(self._ends[port.channel]), self.channel_ports[int(self._reverse[port.channel])]

    @cached_property
    def _ends(self) -> list[int]:
        ends: list[int] = self.fabric.channels[:, 1].tolist()
        return ends

    @cached_property
    def _reverse(self) -> list[int]:
        reverse: list[int] = self.fabric.reverse.tolist()
        return reverse

    @cached_property
    def _groups(self) -> list[list[Hops]]:
        found = []
        for switch in range(len(self.names)):
            groups: list[list[tuple[int, int]]] = []
            for group, port, weight, _ in self._core.hops(switch).tolist():
                if group == len(groups):
                    groups.append([])
                groups[group].append((port, weight))
            found.append([tuple(group) for group in groups])
        return found


class _Entries(Sequence[tuple[Entry, ...]]):
    def __init__(self, plan: EthernetPlan) -> None:
        self._plan = plan

    def __len__(self) -> int:
        return len(self._plan.names)

    @overload
    def __getitem__(self, switch: int) -> tuple[Entry, ...]: ...
    @overload
    def __getitem__(self, switch: slice) -> Sequence[tuple[Entry, ...]]: ...
    def __getitem__(self, switch: int | slice) -> tuple[Entry, ...] | Sequence[tuple[Entry, ...]]:
        if isinstance(switch, slice):
            return [self[one] for one in range(*switch.indices(len(self)))]
        plan = self._plan
        switch = range(len(self))[switch]
        groups = plan.groups(switch)
        return tuple(
            Entry(layer, destination, prefix, groups[group])
            for layer, row in enumerate(plan.group_of(switch).tolist())
            for destination, prefix, group in zip(plan.destinations, plan.prefixes[layer], row, strict=True)
            if group >= 0
        )


def plan_ethernet(
    routing: Routing,
    addressing: Addressing | None = None,
    *,
    table_size: int | None = None,
    vcs: VcPlan | None = None,
) -> EthernetPlan:
    """Make the addresses and prefix entries for a routing, and follow every path through them.

    Parameters
    ----------
    routing
        A routing with next-hop tables.
    addressing
        The addresses; None: as `Addressing.of` chooses them.
    table_size
        The largest number of prefix entries that a switch can hold.
    vcs
        For lossless networks, the virtual-channel plan; its routing is deployed instead of `routing`.

    Raises
    ------
    tulle.InputError
        For a routing of explicit paths, a fabric without endpoints, too few addresses, or too small tables.

    Examples
    --------
    >>> import tulle
    >>> plan = plan_ethernet(tulle.route("slimfly:q=5", "almost-minimal:layers=4"))
    >>> plan.num_entries, int(plan.entries_per_switch.max()), plan.names[37]
    (9800, 196, 's1-2-2')
    >>> plan.entries[0][0]
    Entry(layer=0, destination=1, prefix='10.0.1.0/24', hops=((1, 1),))
    """
    from tulle.fabric import Fabric

    if vcs is not None:
        routing = vcs.routing
    core = _tulle.prefix_entries(routing._core)
    base = routing.fabric
    if addressing is None:
        addressing = Addressing.of(base, routing.num_layers)
    counts = frozen(core.counts())
    fullest = int(counts.argmax())
    if table_size is not None and counts[fullest] > table_size:
        each = int(counts[fullest]) // routing.num_layers
        fewer = f"; legal: at most {table_size // each} layers" if table_size >= each else "; legal: a larger table"
        raise InputError(
            f"switch {base.labels[fullest]} needs {counts[fullest]} prefix entries "
            f"({counted(routing.num_layers, 'layer')} with {each} each), but its table has room for {table_size}{fewer}"
        )
    walked = Walked(tuple(frozen(pairs) for pairs in core.walk()))
    fabric = Fabric._of(core.numbered(), base.seed, (_numbered, (routing,)))
    names = switch_names(base, addressing)
    numbers, places = addressing.numbers, addressing.places
    ports: list[list[Port]] = [[] for _ in names]
    sources = base.channels[:, 0].tolist()
    given, hosted = (tuple(map(given_name, row)) for row in (base.ports, base.endpoint_ports))

    def port(switch: int, number: int, name: str, channel: int | None, endpoint: int | None) -> Port:
        mac = switch_mac(numbers[switch], number)
        return Port(number, name or f"eth{number}", mac, channel, endpoint, name)

    for channel, (switch, number) in enumerate(zip(sources, core.ports().tolist(), strict=True)):
        ports[switch].append(port(switch, number, given[channel], channel, None))
    hosts = []
    at = base.endpoint_switch.tolist()
    called, interfaces, of = host_names(base, addressing, names), _host_interfaces(base), servers(base)
    for endpoint, (switch, number) in enumerate(zip(at, core.endpoint_ports().tolist(), strict=True)):
        ports[switch].append(port(switch, number, hosted[endpoint], None, endpoint))
        addresses = tuple(addressing.host(layer, switch, places[endpoint]) for layer in range(routing.num_layers))
        mac = host_mac(numbers[switch], places[endpoint])
        name, server, interface = called[endpoint], of[endpoint], interfaces[endpoint]
        hosts.append(Host(endpoint, name, switch, number, mac, addresses, interface, server))
    return EthernetPlan(
        routing,
        fabric,
        addressing,
        vcs,
        names,
        tuple(tuple(sorted(row, key=lambda port: port.number)) for row in ports),
        tuple(hosts),
        tuple(core.destinations().tolist()),
        counts,
        walked,
        "",
        core,
    )


def plan_of(
    what: Routing | VcPlan,
    *,
    ipv6: bool = False,
    prefix: str | None = None,
    table_size: int | None = None,
    gateways: bool = False,
) -> EthernetPlan:
    """Call `plan_ethernet` for a routing or a virtual-channel plan, with addresses according to the options."""
    from tulle.routing.routing import Routing

    vcs = None if isinstance(what, Routing) else what
    routing = what if isinstance(what, Routing) else what.routing
    addressing = None
    # Path sets have no layers. `plan_ethernet` refuses them.
    if routing.num_layers:
        addressing = Addressing.of(routing.fabric, routing.num_layers, ipv6=ipv6, prefix=prefix, gateways=gateways)
    return plan_ethernet(routing, addressing, table_size=table_size, vcs=vcs)


def _host_interfaces(fabric: Fabric) -> list[str]:
    """The interface of every host. A MAC address, by which LLDP may name a host's port, is not an interface name."""
    known = (given_name(port) for port in fabric.properties.get("host_ports") or [""] * fabric.num_endpoints)
    return [name if name and not LINUX.problem(name) else HOST_INTERFACE for name in known]


def _numbered(routing: Routing) -> _tulle.Fabric:
    return _tulle.prefix_entries(routing._core).numbered()
