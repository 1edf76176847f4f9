"""Switches that run FRR: one file of zebra and staticd per switch, after which nothing else is needed.

Links are numbered, so that next hops are found by ARP or neighbour discovery, and routes are static: the layers come from
their prefixes alone, and no routing protocol takes part.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle.deploy.ethernet.static import check_unweighted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tulle.deploy.ethernet.numbering import Numbering
    from tulle.deploy.ethernet.plan import EthernetPlan, Port

__all__ = ["TAG", "files", "frr_conf"]

TAG = 100
"""Routes of layer l bear the tag 100 + l."""

_DAEMONS = """\
# Daemons of FRR: zebra and mgmtd are always run; routes are static.
staticd=yes
bgpd=no
ospfd=no
ospf6d=no
isisd=no
bfdd=no
vtysh_enable=yes
zebra_options="  -A 127.0.0.1 -s 90000000"
staticd_options="-A 127.0.0.1"
"""
_VTYSH = "service integrated-vtysh-config\n"
_SYSCTL = """\
# A switch of the fabric: it forwards, spreads flows over equal-cost ports by their ports too, and drops what is not for it.
net.ipv4.ip_forward = 1
net.ipv6.conf.all.forwarding = 1
net.ipv4.fib_multipath_hash_policy = 1
net.ipv6.fib_multipath_hash_policy = 1
net.ipv4.conf.all.rp_filter = 0
net.ipv4.conf.default.rp_filter = 0
"""


def files(plan: EthernetPlan, numbering: Numbering) -> Iterator[tuple[str, str]]:
    """What lies in ``/etc/frr`` of every switch, and its settings of the kernel.

    Raises
    ------
    tulle.InputError
        For groups of ports with shares, which static routes do not have.
    """
    check_unweighted(plan, "FRR")
    for switch, name in enumerate(plan.names):
        place = f"switches/{name}"
        yield f"{place}/frr.conf", frr_conf(plan, numbering, switch)
        yield f"{place}/daemons", _DAEMONS
        yield f"{place}/vtysh.conf", _VTYSH
        yield f"{place}/sysctl.conf", _SYSCTL


def frr_conf(plan: EthernetPlan, numbering: Numbering, switch: int) -> str:
    """``frr.conf`` of a switch."""
    addressing = plan.addressing
    ip, whole = ("ip", 32) if addressing.version == 4 else ("ipv6", 128)
    lines = [
        "! FRR 8.4 or later: zebra and staticd.",
        "frr defaults datacenter",
        f"hostname {plan.names[switch]}",
        "service integrated-vtysh-config",
        f"{ip} forwarding",
        "!",
        "interface lo",
        f" {ip} address {addressing.router(switch)}/{whole}",
        "exit",
        "!",
    ]
    for port in plan.ports[switch]:
        lines += [f"interface {port.name}", f" description {_description(plan, port)}"]
        if port.channel is not None:
            lines.append(f" {ip} address {numbering.address(port.channel)}/{numbering.length}")
        lines += ["exit", "!"]
    lines += hosts(plan, switch, ip, whole)
    gateways = {
        port.number: (numbering.address(plan.peer(port)[1].channel or 0), port.name)
        for port in plan.ports[switch]
        if port.channel is not None
    }
    routes = {
        hops: [f"{gateways[port][0]} {gateways[port][1]}" for port, _ in hops] for hops in plan.groups(switch)
    }
    for layer, _, prefix, hops in plan.entries[switch]:
        tag = TAG + layer
        lines += [f"{ip} route {prefix} {hop} tag {tag}" for hop in routes[hops]]
    return "\n".join([*lines, "!", ""])


def hosts(plan: EthernetPlan, switch: int, ip: str, whole: int) -> list[str]:
    """The routes to the switch's own hosts: one per layer, on the port, where they answer for their addresses."""
    return [
        f"{ip} route {address}/{whole} {plan.by_number[switch][host.port].name} tag {TAG + layer}"
        for host in plan.hosts_at[switch]
        for layer, address in enumerate(host.addresses)
    ]


def _description(plan: EthernetPlan, port: Port) -> str:
    if port.channel is None:
        return f"host {plan.hosts[port.endpoint or 0].name}"
    switch, other = plan.peer(port)
    return f"{plan.names[switch]} {other.name}"
