"""FRR with BGP between the switches of a fabric: the network finds other paths by itself when a cable fails.

Each switch has its own private AS number, and an unnumbered eBGP session with BFD on every cable (RFC 7938, RFC 5880).
In layer 0, BGP has no filter: it chooses the shortest AS paths, which are the minimal paths, and splits flows over all
of them. In the other layers, a switch accepts the prefix of a destination only from its next hops in the plan. So the
accepted announcements of each prefix form the plan's loop-free graph, in which BGP always converges. If a cable of the
graph fails, the layer loses the paths over this cable until it works again. Hosts of a pair that has no other path in
the layer then use other layers.
"""

from __future__ import annotations

from collections import defaultdict
from ipaddress import IPv4Address, ip_network
from typing import TYPE_CHECKING

import numpy as np

from tulle.deploy.ethernet import bfd
from tulle.deploy.ethernet.frr import DAEMONS, SYSCTL, VTYSH, described, hosts, steps
from tulle.deploy.ethernet.static import check_unweighted, targets_with_shares
from tulle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from tulle.deploy.ethernet.plan import EthernetPlan
    from tulle.routing.routing import Routing

__all__ = ["FIRST_AS", "WHEN_CABLES_FAIL", "as_number", "files", "frr_conf", "readme", "underlay_routing"]

FIRST_AS = 4_200_000_000
"""The AS number of the switch with number 0; RFC 6996 reserves AS numbers from this one to 4294967294 for private
use."""
_DAEMONS = DAEMONS.replace("bgpd=no", "bgpd=yes").replace("bfdd=no", "bfdd=yes").replace("static.", "BGP and static.")
WHEN_CABLES_FAIL = f"""\
## When cables fail

BFD reports a failed cable within {bfd.DETECTION_MS} ms. BGP then moves layer 0 to the remaining minimal paths, or to
longer ones if none remains. The other layers lose the paths over the cable and get them back when it works again. Hosts
with MPTCP or flowlets use the remaining layers meanwhile. No command of tulle is needed.
"""
"""The section of ``README.md`` about failures, for all targets with BGP."""


def underlay_routing(routing: Routing) -> Routing:
    """Return the routing as BGP installs it: all minimal next hops in layer 0, and the other layers unchanged.

    Raises
    ------
    tulle.InputError
        For next hops with weights, a layer 0 with paths that are not minimal, or an entry whose next hops have
        different distances from the destination.
    """
    from tulle.routing import route
    from tulle.routing.routing import Routing

    if (routing.port_shares > 1).any():  # weights are in lowest terms
        raise InputError(
            f"{routing.spec} has next hops with weights, which BGP does not support; legal: a routing without weights, "
            f"or the target {targets_with_shares()}"
        )
    minimal = route(routing.fabric, "minimal")
    if not np.array_equal(routing.hop_counts(0), minimal.hop_counts(0)):
        raise InputError(
            f"layer 0 of {routing.spec} has paths that are not minimal, but BGP chooses minimal paths; legal: a scheme "
            "with a minimal layer 0, for example almost-minimal, or --underlay static"
        )
    groups = minimal.next_hop_groups
    if routing.num_layers == 1:
        return Routing.from_next_hop(routing.fabric, groups)
    others = routing.next_hop_groups[1:]
    _check_equal_lengths(routing, others)
    width = max(groups.shape[3], others.shape[3])
    parts = [np.pad(part, [(0, 0)] * 3 + [(0, width - part.shape[3])], constant_values=-1) for part in (groups, others)]
    return Routing.from_next_hop(routing.fabric, np.concatenate(parts))


def _check_equal_lengths(routing: Routing, groups: NDArray[np.int32]) -> None:
    """Check that all next hops of an entry lead to the destination in the same number of hops, as BGP requires."""
    heads = routing.fabric.channels[:, 1]
    layers, switches = groups.shape[:2]
    layer, _, destination = np.ogrid[:layers, :switches, :switches]
    # Start with the first next hop of every entry. It is -1 for the entry of a switch toward itself.
    at = np.where(groups[..., 0] < 0, destination, heads[groups[..., 0]])
    hops = np.where(groups[..., 0] < 0, 0, 1)
    while (at != destination).any():
        hops += at != destination
        at = np.where(at == destination, at, heads[groups[layer, at, destination, 0]])
    after = np.where(groups < 0, -1, hops[layer[..., None], heads[groups], destination[..., None]])
    first = after[..., :1]
    if ((after >= 0) & (after != first)).any():
        raise InputError(
            f"{routing.spec} has entries whose next hops lead to the destination in different numbers of hops, but BGP "
            "uses only the shortest; legal: another routing, or --underlay static"
        )


def files(plan: EthernetPlan) -> Iterator[tuple[str, str]]:
    """The files for ``/etc/frr`` of every switch, and its kernel settings."""
    check_unweighted(plan, "FRR")
    for switch, name in enumerate(plan.names):
        place = f"switches/{name}"
        yield f"{place}/links", "".join(f"{port.name} {port.mac}\n" for port in plan.ports[switch])
        yield f"{place}/frr.conf", frr_conf(plan, switch)
        yield f"{place}/daemons", _DAEMONS
        yield f"{place}/vtysh.conf", VTYSH
        yield f"{place}/sysctl.conf", SYSCTL


def as_number(plan: EthernetPlan, switch: int) -> int:
    """The AS number of a switch, which failures do not change."""
    return FIRST_AS + plan.addressing.numbers[switch]


def frr_conf(plan: EthernetPlan, switch: int, *, sonic: bool = False) -> str:
    """Write ``frr.conf`` of a switch. On SONiC, ``config_db.json`` has the switch's address and its hosts instead."""
    addressing = plan.addressing
    ip, family, whole = ("ip", "ipv4", 32) if addressing.version == 4 else ("ipv6", "ipv6", 128)
    cables = [port for port in plan.ports[switch] if port.channel is not None]
    own, place = addressing.router(switch), addressing.numbers[switch]
    lines = [
        "! FRR 8.4 or later: zebra, staticd, bgpd and bfdd.",
        "frr defaults datacenter",
        f"hostname {plan.names[switch]}",
        "service integrated-vtysh-config",
        "ip forwarding",
        "ipv6 forwarding",
        "!",
    ]
    if not sonic:
        lines += ["interface lo", f" {ip} address {own}/{whole}", "exit", "!"]
    for port in plan.ports[switch]:
        lines += [f"interface {port.name}", f" description {described(plan, port)}", "exit", "!"]
    if not sonic:
        lines += hosts(plan, switch, ip, whole)
    lines += [
        *bfd.frr_lines(),
        f"router bgp {as_number(plan, switch)}",
        # Every router needs an id of 32 bits, also with IPv6.
        f" bgp router-id {IPv4Address(0x0AFF0001 + place) if addressing.version == 6 else own}",
        " bgp bestpath as-path multipath-relax",
        " no bgp ebgp-requires-policy",
        " no bgp network import-check",
        " neighbor fabric peer-group",
        " neighbor fabric remote-as external",
        f" neighbor fabric bfd profile {bfd.PROFILE}",
        *(f" neighbor {port.name} interface peer-group fabric" for port in cables),
        f" address-family {family} unicast",
        f"  network {own}/{whole}",
    ]
    if plan.hosts_at[switch]:
        lines += [f"  network {addressing.prefix(layer, switch)}" for layer in range(plan.num_layers)]
    lines += ["  neighbor fabric activate"]
    lines += [f"  neighbor {port.name} route-map from-{port.name} in" for port in cables]
    lines += ["  maximum-paths 64", " exit-address-family", "exit", "!"]
    routers = ip_network(addressing.layer_prefix(addressing.router_layer))
    minimal, length = ip_network(addressing.layer_prefix(0)), addressing.switch_length
    lines += [
        f"{ip} prefix-list any-neighbor seq 5 permit {routers} ge {whole}",
        f"{ip} prefix-list any-neighbor seq 10 permit {minimal} ge {length} le {length}",
    ]
    planned: dict[int, list[str]] = defaultdict(list)
    for layer, _, prefix, hops in plan.entries[switch]:
        for number, _ in hops if layer else ():
            planned[number].append(prefix)
    for port in cables:
        prefixes = planned[port.number]
        lines += [
            f"{ip} prefix-list from-{port.name} seq {5 * at} permit {prefix}" for at, prefix in enumerate(prefixes, 1)
        ]
        lines += [f"route-map from-{port.name} permit 10", f" match {ip} address prefix-list any-neighbor", "exit"]
        if prefixes:
            matched = f" match {ip} address prefix-list from-{port.name}"
            lines += [f"route-map from-{port.name} permit 20", matched, "exit"]
    return "\n".join([*lines, "!", ""])


def readme(plan: EthernetPlan) -> str:
    """Write ``README.md``."""
    fabric, addressing = plan.fabric, plan.addressing
    return f"""# {fabric.spec}: {plan.spec} on FRR with BGP

{plan.sizes}. Every host has an address per layer,
in `{addressing.layer_prefix(0)}` for layer 0. Every switch has its own AS number from {FIRST_AS} on, and an unnumbered
BGP session with BFD on every cable.

Layer 0 has all minimal paths, as BGP finds them. Each other layer has the paths of the plan: a switch accepts a prefix
of the layer only from its planned next hops. Before these files were written, all {plan.walked.paths} paths (layer,
switch, destination) were followed: each leads to its destination in at most {plan.walked.most_hops} hops, and none \
loops.

| file | what it is |
|---|---|
| `switches/NAME/frr.conf`, `daemons`, `vtysh.conf` | files for `/etc/frr` of a switch: zebra, staticd, bgpd, bfdd |
{steps(plan, "8.4")}
{WHEN_CABLES_FAIL}"""
