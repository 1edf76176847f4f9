"""SONiC: ``config_db.json`` per switch.

SONiC's static routes do not support ``onlink``, so links have addresses; with BGP they have none. The hosts of a switch
are in one VLAN, whose interface has a gateway address per layer. In the VLAN variant, every layer is a VRF: a cable has
a sub-interface per layer, with equal addresses in all layers, and hosts have a VLAN per layer.
"""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING, Any

from tulle.deploy.ethernet import bgp
from tulle.deploy.ethernet.port_names import LINUX
from tulle.deploy.ethernet.sonic_hosts import vlan_tables
from tulle.deploy.ethernet.sonic_ports import fec_of, hardware_at, sonic_names, speed_of
from tulle.deploy.ethernet.sonic_roles import device_types
from tulle.deploy.ethernet.static import check_unweighted
from tulle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from tulle.deploy.ethernet.numbering import Numbering
    from tulle.deploy.ethernet.plan import EthernetPlan, Port
    from tulle.deploy.ethernet.repair import Change, Repair
    from tulle.deploy.ethernet.sonic_ports import Hardware

__all__ = ["change_line", "config_db", "files", "row_lines"]

Table = dict[str, dict[str, Any]]

MTU = 9100
"""The MTU of ports: SONiC's default."""
FIRST_VLAN = 100
"""In the VLAN variant, the VLAN of layer 0 on cables; layer l has FIRST_VLAN + l."""


def files(
    plan: EthernetPlan,
    numbering: Numbering | None,
    *,
    vlans: bool = False,
    hardware: Hardware = None,
    fec: str | None = None,
    bfd: bool = False,
    more: Callable[[int], Mapping[str, Table]] | None = None,
) -> Iterator[tuple[str, str]]:
    """Write ``config_db.json`` of every switch; `more` returns additional tables of a switch.

    Without `numbering`, links have no addresses, and BGP in ``frr.conf`` replaces the static routes. With `bfd`, BFD
    monitors the next hops of static routes.

    Raises
    ------
    tulle.InputError
        For weighted next hops, links without a rate, or ports that the hardware does not have.
    """
    check_unweighted(plan, "SONiC")
    plan = sonic_names(plan, hardware)
    types = device_types(plan)
    for switch, name in enumerate(plan.names):
        tables = config_db(plan, numbering, switch, vlans=vlans, hardware=hardware, fec=fec, bfd=bfd, types=types)
        for table, rows in (more(switch) if more else {}).items():
            merged = tables.setdefault(table, {})
            for key, row in rows.items():
                merged[key] = {**merged.get(key, {}), **row}
        yield f"switches/{name}/config_db.json", json.dumps(tables, indent=1) + "\n"
        if numbering is None:
            yield f"switches/{name}/frr.conf", bgp.frr_conf(plan, switch, sonic=True)


def config_db(
    plan: EthernetPlan,
    numbering: Numbering | None,
    switch: int,
    *,
    vlans: bool = False,
    hardware: Hardware = None,
    fec: str | None = None,
    bfd: bool = False,
    types: Sequence[str] | None = None,
) -> dict[str, Table]:
    """Make the tables of a switch.

    Raises
    ------
    tulle.InputError
        For a link of unknown rate, or a port that the hardware does not have.
    """
    plan = sonic_names(plan, hardware)
    types = types or device_types(plan)
    names = {port.number: port.name for port in plan.ports[switch]}
    tables: dict[str, Table] = {
        "DEVICE_METADATA": {"localhost": {"hostname": plan.names[switch], "type": types[switch]}},
        "PORT": {},
        "DEVICE_NEIGHBOR": {},
        "DEVICE_NEIGHBOR_METADATA": {},
        "LOOPBACK_INTERFACE": {
            "Loopback0": {},
            f"Loopback0|{plan.addressing.router(switch)}/{plan.addressing.host_length}": {},
        },
    }
    for port in plan.ports[switch]:
        own = hardware_at(plan, switch, port, hardware)
        tables["PORT"][own.name] = _port(plan, switch, port, hardware, fec)
        if own.mode:
            tables.setdefault("BREAKOUT_CFG", {})[own.parent] = {"brkout_mode": own.mode}
        if port.channel is not None:
            other, far = plan.peer(port)
            tables["DEVICE_NEIGHBOR"][own.name] = {
                "name": plan.names[other],
                "port": far.name,
            }
            tables["DEVICE_NEIGHBOR_METADATA"][plan.names[other]] = {
                "lo_addr" if plan.addressing.version == 4 else "lo_addr_v6": plan.addressing.router(other),
                "type": types[other],
            }
    tables |= (
        _unnumbered(plan, switch, tables)
        if numbering is None
        else _static(plan, numbering, switch, vlans=vlans, bfd=bfd)
    )
    vrfs = [*tables.get("VRF", ())]
    return tables | vlan_tables(plan, switch, names, vrfs)


def _unnumbered(plan: EthernetPlan, switch: int, tables: dict[str, Table]) -> dict[str, Table]:
    """The tables of links without addresses, for BGP. SONiC reads BGP's configuration from ``frr.conf``."""
    device = tables["DEVICE_METADATA"]["localhost"]
    own = {"bgp_asn": str(bgp.as_number(plan, switch)), "docker_routing_config_mode": "split-unified"}
    cables = [port.name for port in plan.ports[switch] if port.channel is not None]
    return {
        "DEVICE_METADATA": {"localhost": {**device, **own}},
        "INTERFACE": {name: {"ipv6_use_link_local_only": "enable"} for name in cables},
    }


def _static(plan: EthernetPlan, numbering: Numbering, switch: int, *, vlans: bool, bfd: bool) -> dict[str, Table]:
    """The tables of numbered links and static routes."""
    names = {port.number: port.name for port in plan.ports[switch]}
    tables: dict[str, Table] = {}
    cables = {port.number: numbering.address(port.channel) for port in plan.ports[switch] if port.channel is not None}
    gateways = {
        port.number: numbering.address(_far(plan, port)) for port in plan.ports[switch] if port.channel is not None
    }
    if vlans:
        _check_sub_interfaces(plan, switch)
    vrfs = [f"VrfLayer{layer}" for layer in range(plan.num_layers)] if vlans else []
    if vlans:
        tables["VRF"] = {vrf: {} for vrf in vrfs}
        tables["VLAN_SUB_INTERFACE"] = {}
        for number, address in cables.items():
            for layer, vrf in enumerate(vrfs):
                inside = f"{names[number]}.{FIRST_VLAN + layer}"
                row = {"admin_status": "up", "vlan": str(FIRST_VLAN + layer), "vrf_name": vrf}
                tables["VLAN_SUB_INTERFACE"][inside] = row
                tables["VLAN_SUB_INTERFACE"][f"{inside}|{address}/{numbering.length}"] = {}
    else:
        tables["INTERFACE"] = {}
        for number, address in cables.items():
            tables["INTERFACE"][names[number]] = {}
            tables["INTERFACE"][f"{names[number]}|{address}/{numbering.length}"] = {}
    routes: Table = {}
    for layer, _, prefix, hops in plan.entries[switch]:
        inside = f".{FIRST_VLAN + layer}" if vlans else ""
        routes[_route_key(layer, prefix, vlans=vlans, bfd=bfd)] = {
            "nexthop": ",".join(gateways[number] for number, _ in hops),
            "ifname": ",".join(f"{names[number]}{inside}" for number, _ in hops),
            "advertise": "false",
            **({"bfd": "true"} if bfd else {}),
        }
    tables["STATIC_ROUTE"] = routes
    return tables


def _route_key(layer: int, prefix: str, *, vlans: bool, bfd: bool) -> str:
    """The key of a static route. SONiC's model allows BFD only for keys without a VRF, which mean the default VRF."""
    if bfd:
        return prefix
    return f"VrfLayer{layer}|{prefix}" if vlans else f"default|{prefix}"


def _port(plan: EthernetPlan, switch: int, port: Port, hardware: Hardware, fec: str | None) -> dict[str, str]:
    """The row of a port in the table ``PORT``."""
    own = hardware_at(plan, switch, port, hardware)
    speed = speed_of(plan, switch, port, own)
    row = {
        "alias": own.alias,
        "lanes": own.lanes,
        "index": str(own.index),
        "speed": str(speed),
        "mtu": str(MTU),
        "admin_status": "up",
        "description": _description(plan, port),
    }
    mode = fec or fec_of(own, speed)
    if fec is None and port.channel is not None:
        other, there = plan.peer(port)
        far = fec_of(hardware_at(plan, other, there, hardware), speed)
        if mode != far and mode and far:
            raise InputError(
                f"cable {plan.names[switch]}/{port.name}:{plan.names[other]}/{there.name}: forward error correction is "
                f"{mode} at one end and {far} at the other; legal: one mode for all ports, with --fec"
            )
        mode = mode or far
    return row | ({"fec": mode} if mode else {}) | ({"subport": own.subport} if own.subport else {})


def change_line(
    repaired: Repair, links: tuple[Numbering, Numbering], change: Change, *, vlans: bool, bfd: bool = False
) -> str:
    """The command that changes an entry in SONiC's database. SONiC then passes the entry to FRR.

    `links` has the addresses of links before and after.
    """
    key = f"STATIC_ROUTE|{_route_key(change.layer, repaired.prefix(change), vlans=vlans, bfd=bfd)}"
    if not change.now:
        return f"sonic-db-cli CONFIG_DB del '{key}'\n"
    inside = f".{FIRST_VLAN + change.layer}" if vlans else ""
    ways = []
    for number, _ in change.now:
        plan, port = repaired.port(change.switch, number)
        ways.append((links[plan is repaired.plan].address(_far(plan, port)), f"{port.name}{inside}"))
    gateways, names = (",".join(texts) for texts in zip(*ways, strict=True))
    monitored = " bfd true" if bfd else ""
    return f"sonic-db-cli CONFIG_DB hset '{key}' nexthop {gateways} ifname {names} advertise false{monitored}\n"


def row_lines(before: str, now: str) -> str:
    """The commands that set all rows of `now` that `before` lacks or has with other values, except static routes."""
    old: dict[str, Table] = json.loads(before)
    lines = []
    for table, rows in json.loads(now).items():
        for key, row in rows.items():
            if table == "STATIC_ROUTE" or old.get(table, {}).get(key) == row:
                continue
            fields = [
                text
                for name, value in row.items()
                for text in ((f"{name}@", ",".join(value)) if isinstance(value, list) else (name, value))
            ] or ["NULL", "NULL"]
            lines.append(f"sonic-db-cli CONFIG_DB hset {shlex.join([f'{table}|{key}', *fields])}\n")
    return "".join(lines)


def _check_sub_interfaces(plan: EthernetPlan, switch: int) -> None:
    """Check that the kernel of SONiC can name the sub-interfaces of all ports to other switches."""
    for port in plan.ports[switch]:
        name = f"{port.name}.{FIRST_VLAN + plan.num_layers - 1}"
        if port.channel is not None and LINUX.problem(name):
            raise InputError(
                f"{plan.names[switch]}: the sub-interface {name} {LINUX.problem(name)}, which the kernel does not "
                "allow; legal: without --vlans, or ports up to Ethernet999"
            )


def _far(plan: EthernetPlan, port: Port) -> int:
    channel = plan.peer(port)[1].channel
    assert channel is not None
    return channel


def _description(plan: EthernetPlan, port: Port) -> str:
    if port.endpoint is not None:
        return plan.hosts[port.endpoint].name
    switch, other = plan.peer(port)
    return f"{plan.names[switch]} {other.name}"
