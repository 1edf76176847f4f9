"""SRv6 on SONiC: the tables of micro segments, and the source routes for its FRR container.

SONiC's configuration database has tables for locators and local segments (``SRV6_MY_LOCATORS``, ``SRV6_MY_SIDS``), but
none for routes with segment lists, so these are in ``sonic-frr.conf``.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tulle.deploy.ethernet.port_names import named
from tulle.deploy.ethernet.sonic_ports import SonicNaming
from tulle.deploy.ethernet.srv6 import LOCATOR
from tulle.deploy.ethernet.usid import BITS, BLOCK_BITS, DECAPSULATE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tulle.deploy.ethernet.source_routes import SourceRoutes

__all__ = ["CONFIG", "ROUTES", "files"]

Table = dict[str, dict[str, Any]]

CONFIG, ROUTES = "sonic-srv6.json", "sonic-frr.conf"


def files(made: SourceRoutes) -> Iterator[tuple[str, str]]:
    """Write the tables and the source routes of every switch, with SONiC's port names."""
    plan = named(made.plan, SonicNaming(needs_lanes=False))
    for switch, name in enumerate(plan.names):
        ports = {port.number: port.name for port in plan.ports[switch]}
        yield f"switches/{name}/{CONFIG}", json.dumps(_tables(made, switch, ports), indent=1) + "\n"
        yield f"switches/{name}/{ROUTES}", _routes(made, switch, ports)


def _tables(made: SourceRoutes, switch: int, ports: dict[int, str]) -> dict[str, Table]:
    """The segments of a switch, the addresses of its links, and its routes to adjacent switches."""
    plan, block = made.plan, made.block
    own = block.node(plan.addressing.numbers[switch])
    lengths = {"block_len": str(BLOCK_BITS), "node_len": str(BITS), "func_len": str(BITS), "arg_len": "0"}
    sids = {
        f"{LOCATOR}|{block.prefix(own)}": {"action": "uN"},
        # `uniform` copies the DSCP of the outer packet, which switches may have changed, to the inner packet.
        f"{LOCATOR}|{block.prefix(own, DECAPSULATE)}": {"action": "uDT46", "decap_dscp_mode": "uniform"},
    }
    interfaces: Table = {}
    for port in plan.ports[switch]:
        if port.channel is None:
            continue
        name = ports[port.number]
        interfaces |= {name: {}, f"{name}|{made.address(port)}": {}}
        if port.channel in made.parallel:
            row = {"action": "uA", "interface": name, "adj": made.gateway(port)}
            sids[f"{LOCATOR}|{block.prefix(own, block.port(port.number))}"] = row
    routes = {
        f"default|{prefix}": {"nexthop": made.gateway(port), "ifname": ports[port.number], "advertise": "false"}
        for prefix, port in made.next_switches(switch)
    }
    return {
        "INTERFACE": interfaces,
        "SRV6_MY_LOCATORS": {LOCATOR: {"prefix": block.address([own]), **lengths}},
        "SRV6_MY_SIDS": sids,
        "STATIC_ROUTE": routes,
    }


def _routes(made: SourceRoutes, switch: int, ports: dict[int, str]) -> str:
    """The routes that encapsulate packets with segment lists, and the routes to the switch's own hosts."""
    plan = made.plan
    lines = [
        "! Load this into SONiC's FRR container (10.3 or later), in addition to the configuration that SONiC generates."
    ]
    for host in plan.hosts_at[switch]:
        lines += [
            f"ipv6 route {address}/{plan.addressing.host_length} {ports[host.port]}" for address in host.addresses
        ]
    for route in made.routes[switch]:
        first = ports[plan.channel_ports[route.channels[0]].number]
        lines.append(f"ipv6 route {route.prefix} {first} segments {'/'.join(route.addresses)}")
    return "\n".join([*lines, ""])
