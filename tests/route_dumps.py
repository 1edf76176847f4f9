"""Make the route tables of a plan's switches in the form that tools print, as input for tests that read such tables."""

from __future__ import annotations

import json
from ipaddress import ip_network
from typing import TYPE_CHECKING, Any

import numpy as np

import tulle

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tulle.deploy.ethernet.plan import EthernetPlan, Hops
    from tulle.fabric import Fabric
    from tulle.routing.routing import Routing

Json = dict[str, Any]


def hops_of(plan: EthernetPlan, switch: int, hops: Hops) -> list[tuple[str, str, int]]:
    """Return the interface, gateway and weight of each next hop."""
    ports = [(plan.by_number[switch][port], weight) for port, weight in hops]
    return [(port.name, plan.addressing.router(plan.peer(port)[0]), weight) for port, weight in ports]


def ip(plan: EthernetPlan, switch: int) -> list[Json]:
    """Return a switch's output of ``ip -json route show table all``, with the routes of a management network."""
    management = {"dst": "172.16.0.0/24", "dev": "eth0", "protocol": "kernel", "scope": "link"}
    rows: list[Json] = [{"dst": "default", "gateway": "172.16.0.1", "dev": "eth0"}, management]
    rows.append({"type": "local", "dst": plan.addressing.router(switch), "dev": "lo", "table": "local"})
    rows.append({"type": "broadcast", "dst": "172.16.0.255", "dev": "eth0", "table": "local"})
    for host in plan.hosts_at[switch]:
        name = plan.by_number[switch][host.port].name
        rows += [{"dst": address, "dev": name, "protocol": "84"} for address in host.addresses]
    for entry in plan.entries[switch]:
        hops = [
            {"gateway": gateway, "dev": name, "weight": weight, "flags": ["onlink"]}
            for name, gateway, weight in hops_of(plan, switch, entry.hops)
        ]
        rows.append({"dst": entry.prefix, "protocol": "84", "nexthops": hops})
    return rows


def connected(plan: EthernetPlan, switch: int) -> list[str]:
    """Return the prefix of a switch's hosts in each layer."""
    return [plan.addressing.prefix(layer, switch) for layer in range(plan.num_layers) if plan.hosts_at[switch]]


def frr(plan: EthernetPlan, switch: int) -> Json:
    """Return the output of ``show ip route json``, with a route that is not selected and a recursive next hop."""
    rows: Json = {}
    for prefix in connected(plan, switch):
        hop = {"fib": True, "directlyConnected": True, "interfaceName": "br0", "active": True}
        rows[prefix] = [{"prefix": prefix, "protocol": "connected", "selected": True, "nexthops": [hop]}]
    for entry in plan.entries[switch]:
        ways = hops_of(plan, switch, entry.hops)
        hops: list[Json] = [{"ip": "10.250.0.1", "recursive": True, "active": True}]
        hops += [{"ip": gateway, "interfaceName": name, "active": True, "weight": n} for name, gateway, n in ways]
        other = {"protocol": "ospf", "nexthops": [{"ip": "1.2.3.4", "interfaceName": "eth1", "active": True}]}
        rows[entry.prefix] = [other, {"protocol": "bgp", "selected": True, "installed": True, "nexthops": hops}]
    return rows


def app_db(plan: EthernetPlan, switch: int) -> Json:
    """Return a dump of ``APP_DB``: half of the routes use groups of next hops; one route belongs to another VRF."""
    rows: Json = {"PORT_TABLE:eth1": {"admin_status": "up"}, "INTF_TABLE:Vlan10": {"NULL": "NULL"}}
    rows["INTF_TABLE:Loopback0:10.251.0.1/32"] = {"family": "IPv4"}
    rows["ROUTE_TABLE:Vrf1:10.0.0.0/8"] = {"nexthop": "1.2.3.4", "ifname": "eth1"}
    for prefix in connected(plan, switch):
        network = ip_network(prefix)
        rows[f"INTF_TABLE:Vlan10:{network[1]}/{network.prefixlen}"] = {"family": "IPv4"}
        rows[f"ROUTE_TABLE:{prefix}"] = {"nexthop": "0.0.0.0", "ifname": "Vlan10"}
    for number, entry in enumerate(plan.entries[switch]):
        ways = hops_of(plan, switch, entry.hops)
        names, gateways, weights = (",".join(str(way[at]) for way in ways) for at in range(3))
        fields = {"ifname": names, "nexthop": gateways, "weight": weights, "protocol": "static"}
        if number % 2:
            rows[f"NEXTHOP_GROUP_TABLE:{number}"] = fields
            fields = {"nexthop_group": str(number)}
        rows[f"ROUTE_TABLE:{entry.prefix}"] = fields
    return {key: {"expireat": 1.0, "ttl": -0.001, "type": "hash", "value": fields} for key, fields in rows.items()}


TOOLS: dict[str, Callable[[EthernetPlan, int], Any]] = {"ip": ip, "frr": frr, "app_db": app_db}


def written(folder: Path, plan: EthernetPlan, tool: str = "ip") -> Path:
    folder.mkdir(exist_ok=True)
    for switch, name in enumerate(plan.names):
        (folder / f"{name}.json").write_text(json.dumps(TOOLS[tool](plan, switch)))
    return folder


def fabric_of(plan: EthernetPlan) -> Fabric:
    """Return the fabric of a plan as tulle imports it: with the names of switches and of interfaces."""
    fabric = plan.fabric
    names = [port.name for port in plan.channel_ports]
    reverse = fabric.reverse.tolist()
    ports = [(names[cable], names[reverse[cable]]) for cable in fabric.cables.tolist()]
    return tulle.Fabric.from_edges(
        fabric.edges.tolist(),
        fabric.endpoint_switch.tolist(),
        num_switches=fabric.num_switches,
        labels=list(plan.names),
        properties={"ports": ports},
    )


def ends(routing: Routing) -> dict[tuple[int, int, int], dict[tuple[int, int], int]]:
    """Return each entry's next switches and cables with their shares, for destinations with hosts."""
    fabric, found = routing.fabric, {}
    channels = fabric.channels.tolist()
    edges = {channel: row for row, channel in enumerate(fabric.cables.tolist())}
    reverse = fabric.reverse.tolist()
    cable = [edges[min(channel, reverse[channel])] for channel in range(len(channels))]
    for at in np.ndindex(routing.next_hop_groups.shape[:3]):
        layer, switch, destination = map(int, at)
        if switch == destination or destination not in {*fabric.endpoint_switch.tolist()}:
            continue
        row = [int(channel) for channel in routing.next_hop_groups[at] if channel >= 0]
        shares = routing.port_shares[at].tolist()
        pairs = zip(row, shares, strict=False)
        found[layer, switch, destination] = {(channels[one][1], cable[one]): share for one, share in pairs}
    return found
