"""SONiC: the VLANs of a switch's hosts, the gateways in these VLANs, and ``hosts.csv`` for setting up hosts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tulle._internal.text import csv_row
from tulle.deploy.ethernet.gateways import Gateways
from tulle.errors import InputError

if TYPE_CHECKING:
    from tulle.deploy.ethernet.plan import EthernetPlan, Host

__all__ = ["HOSTS", "HOSTS_VLAN", "gateway", "gateways", "hosts_csv", "vlan_tables"]

Table = dict[str, dict[str, Any]]

HOSTS = "hosts.csv"
"""The file with the addresses and gateways of hosts."""
HOSTS_VLAN = 1000
"""The VLAN of a switch's hosts. In the VLAN variant, layer l has the VLAN HOSTS_VLAN + 1 + l."""


def vlan_tables(plan: EthernetPlan, switch: int, names: dict[int, str], vrfs: list[str]) -> dict[str, Table]:
    """The VLAN tables of a switch's hosts, with a gateway per layer."""
    hosts = plan.hosts_at[switch]
    if not hosts:
        return {}
    tables: dict[str, Table] = {"VLAN": {}, "VLAN_MEMBER": {}, "VLAN_INTERFACE": {}}
    layers = range(plan.num_layers)
    for number, inside in (
        [(HOSTS_VLAN + 1 + layer, [layer]) for layer in layers] if vrfs else [(HOSTS_VLAN, [*layers])]
    ):
        name = f"Vlan{number}"
        tables["VLAN"][name] = {"vlanid": str(number)}
        tables["VLAN_INTERFACE"][name] = {"vrf_name": vrfs[inside[0]]} if vrfs else {}
        for layer in inside:
            tables["VLAN_INTERFACE"][f"{name}|{gateway(plan, layer, switch)}"] = {}
        for host in hosts:
            mode = "tagged" if vrfs else "untagged"
            tables["VLAN_MEMBER"][f"{name}|{names[host.port]}"] = {"tagging_mode": mode}
    return tables


def gateway(plan: EthernetPlan, layer: int, switch: int) -> str:
    """The gateway of a switch's hosts in a layer, with the prefix length: the last address but one of their prefix.

    If an address has more than 16 bits for the number of the host, as IPv6 addresses have by default, the gateway has
    the number 0xfffe.

    Raises
    ------
    tulle.InputError
        If a host already has the address of the gateway.
    """
    addressing = plan.addressing
    place = (1 << min(addressing.switch_shift, 16)) - 2
    hosts = plan.hosts_at[switch]
    if any(addressing.places[host.endpoint] == place for host in hosts):
        raise InputError(
            f"{addressing.prefix(layer, switch)} has {len(hosts)} hosts and no address left for their gateway; legal: "
            "Addressing.of with gateways=True"
        )
    return f"{addressing.host(layer, switch, place)}/{addressing.switch_length}"


def gateways(plan: EthernetPlan, host: Host) -> Gateways:
    """Return the gateway of every layer; hosts ask for its MAC address, which is that of the switch's hardware."""
    layers = range(plan.num_layers)
    return Gateways(tuple(gateway(plan, layer, host.switch).partition("/")[0] for layer in layers), None)


def hosts_csv(plan: EthernetPlan, *, vlans: bool) -> str:
    """Write ``hosts.csv``: a row per host and layer. With `vlans`, hosts tag packets with the VLAN of the layer."""
    names = ("host", "switch", "port", "interface", "layer", "vlan", "address", "layer_prefix", "gateway")
    rows = [csv_row(names)]
    for host in plan.hosts:
        port = plan.by_number[host.switch][host.port].name
        head = host.name, plan.names[host.switch], port, host.interface
        for layer, (address, way) in enumerate(zip(host.addresses, gateways(plan, host).addresses, strict=True)):
            vlan = HOSTS_VLAN + 1 + layer if vlans else ""
            rows.append(csv_row((*head, layer, vlan, address, plan.addressing.layer_prefix(layer), way)))
    return "".join(f"{row}\n" for row in rows)
