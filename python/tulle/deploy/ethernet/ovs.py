"""Open vSwitch: the VLAN variant. A layer is a VLAN, and a switch forwards by that and the destination's MAC address.

Hosts' MAC addresses tell their switch, so that one masked flow per layer and switch suffices, as one prefix entry does
in IP (FatPaths §V-E). What no flow matches is dropped, broadcasts too: neighbours are set on hosts, and nothing floods.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle._internal.text import csv_row
from tulle.deploy.ethernet.names import host_mac
from tulle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tulle.deploy.ethernet.plan import EthernetPlan, Hops
    from tulle.deploy.ethernet.repair import Change

__all__ = ["FIRST_VLAN", "change_lines", "files", "readme"]

FIRST_VLAN = 100
"""The VLAN of layer 0, where nothing else is asked for; the others follow."""
LAST_VLAN = 4094
_OWN_GROUPS = 1 << 24
"""Groups from here on are of single entries that changed."""
_SWITCH_BITS = 20
SWITCH_MASK = "ff:ff:ff:ff:00:00"
"""The bits of a host's MAC address that tell its switch."""
# What a flow is told by: fields that a packet does not have are left out by Open vSwitch.
_HASHED = "eth_src,eth_dst,ip_src,ip_dst,ipv6_src,ipv6_dst,tcp_src,tcp_dst,udp_src,udp_dst"


def files(plan: EthernetPlan, first_vlan: int = FIRST_VLAN) -> Iterator[tuple[str, str]]:
    """The files of all switches.

    Raises
    ------
    tulle.InputError
        For more layers than there are VLANs from the first one on.
    """
    last = first_vlan + plan.num_layers - 1
    if not 1 <= first_vlan <= LAST_VLAN or last > LAST_VLAN:
        raise InputError(
            f"VLANs {first_vlan} to {last} of {plan.num_layers} layers are out of range; legal: 1 to {LAST_VLAN}"
        )
    for switch, name in enumerate(plan.names):
        place = f"switches/{name}"
        yield f"{place}/groups", "".join(_groups(plan, switch))
        yield f"{place}/flows", "".join(_flows(plan, switch, first_vlan))
        yield f"{place}/up", _up(plan, switch)
        yield f"{place}/undo", _undo(plan, switch)
    yield "hosts.csv", _hosts(plan, first_vlan)


def _numbers(plan: EthernetPlan, switch: int) -> dict[int, int]:
    """The number of every group that has several ports."""
    several = [place for place, hops in enumerate(plan.groups(switch)) if len(hops) > 1]
    return {place: number for number, place in enumerate(several, 1)}


def _groups(plan: EthernetPlan, switch: int) -> Iterator[str]:
    groups = plan.groups(switch)
    for place, number in _numbers(plan, switch).items():
        yield f"{_group(plan, switch, number, groups[place])}\n"


def _group(plan: EthernetPlan, switch: int, number: int, hops: Hops) -> str:
    """Of equal-cost ports a flow takes one by its hash; each switch has its own seed, or choices would repeat."""
    buckets = ",".join(f"bucket=weight:{weight},actions=output:{port}" for port, weight in hops)
    seed = plan.addressing.numbers[switch] + 1
    how = f"selection_method=hash,selection_method_param={seed},fields({_HASHED})"
    return f"group_id={number},type=select,{how},{buckets}"


def _flows(plan: EthernetPlan, switch: int, first_vlan: int) -> Iterator[str]:
    numbers, groups = _numbers(plan, switch), plan.groups(switch)
    actions = [
        f"group:{numbers[place]}" if place in numbers else f"output:{_only(hops)}" for place, hops in enumerate(groups)
    ]
    yield "priority=0,actions=drop\n"
    for layer, row in enumerate(plan.group_of(switch).tolist()):
        vlan = first_vlan + layer
        for host in plan.hosts_at[switch]:
            yield f"priority=200,dl_vlan={vlan},dl_dst={host.mac},actions=output:{host.port}\n"
        for destination, group in zip(plan.destinations, row, strict=True):
            if group >= 0:
                yield f"{_match(plan, vlan, destination)},actions={actions[group]}\n"


def _match(plan: EthernetPlan, vlan: int, destination: int) -> str:
    mac = host_mac(plan.addressing.numbers[destination], 0)
    return f"priority=100,dl_vlan={vlan},dl_dst={mac}/{SWITCH_MASK}"


def change_lines(plan: EthernetPlan, change: Change, first_vlan: int) -> str:
    """What changes an entry of a plan, for ``ovs-ofctl bundle``: all lines of a file come into force at once.

    A group of several ports is one of the entry's own, with a number that no other has.
    """
    match = _match(plan, first_vlan + change.layer, change.destination)
    if not change.now:
        return f"flow delete_strict {match}\n"
    if len(change.now) == 1:
        return f"flow add {match},actions=output:{_only(change.now)}\n"
    # By what stays when switches are gone: groups of repairs before are still in use.
    number = _OWN_GROUPS + (change.layer << _SWITCH_BITS) + plan.addressing.numbers[change.destination]
    group = _group(plan, change.switch, number, change.now)
    return f"group add_or_mod {group}\nflow add {match},actions=group:{number}\n"


def _only(hops: Hops) -> int:
    ((port, _),) = hops
    return port


def _up(plan: EthernetPlan, switch: int) -> str:
    name = plan.names[switch]
    ports = "".join(
        f'    -- --may-exist add-port "$bridge" {port.name} '
        f"-- set interface {port.name} ofport_request={port.number} \\\n"
        for port in plan.ports[switch]
    )
    return f"""#!/bin/sh
# The bridge of {name}, in user space (BRIDGE, DATAPATH: another), its groups and flows. As root; again is no harm.
set -eu
cd "$(dirname "$0")"
bridge=${{BRIDGE:-fabric}}
ovs-vsctl --may-exist add-br "$bridge" \\
    -- set bridge "$bridge" datapath_type="${{DATAPATH:-netdev}}" fail_mode=secure protocols=OpenFlow13,OpenFlow15 \\
{ports}    -- set bridge "$bridge" other_config:hwaddr={plan.ports[switch][0].mac}
ovs-ofctl -O OpenFlow15 del-flows "$bridge"
ovs-ofctl -O OpenFlow15 del-groups "$bridge"
ovs-ofctl -O OpenFlow15 add-groups "$bridge" groups
ovs-ofctl -O OpenFlow15 --bundle add-flows "$bridge" flows
"""


def _undo(plan: EthernetPlan, switch: int) -> str:
    return f"""#!/bin/sh
# Takes away the bridge of {plan.names[switch]} with its flows; its ports are the system's again. Run as root.
exec ovs-vsctl --if-exists del-br "${{BRIDGE:-fabric}}"
"""


def _hosts(plan: EthernetPlan, first_vlan: int) -> str:
    """A line per host and layer: its MAC address, VLAN and IP address there."""
    rows = [
        csv_row((host.name, plan.names[host.switch], host.port, host.mac, layer, first_vlan + layer, address))
        for host in plan.hosts
        for layer, address in enumerate(host.addresses)
    ]
    return "".join(f"{row}\n" for row in ("host,switch,port,mac,layer,vlan,address", *rows))


def readme(plan: EthernetPlan, first_vlan: int) -> str:
    """The text of ``README.md``."""
    fabric = plan.fabric
    last = first_vlan + plan.num_layers - 1
    return f"""# {fabric.spec}: {plan.routing.spec} on Open vSwitch

{plan.sizes}, each a VLAN: {first_vlan} to
{last}. A switch forwards by VLAN and by the bits of a destination's MAC address that tell its switch:
{plan.num_entries} such flows, at most {int(plan.entries_per_switch.max())} on a switch, and one per VLAN and host of
its own. Frames keep their VLAN tag to the host. All {plan.walked.paths} paths (layer, switch, destination) were walked
before this was written: each leads to its destination, at most {plan.walked.most_hops} hops, and none leads around.

| file | what it is |
|---|---|
| `switches/NAME/groups`, `flows` | what `ovs-ofctl` loads |
| `switches/NAME/up`, `undo` | makes the bridge `fabric` with all of it (OpenFlow port *n* is `eth`*n*, port *n* \
of the switch in `fabric.json`), and takes it away |
| `hosts.csv` | of every host and layer: MAC address, VLAN, IP address |
| `plan.json`, `plan.schema.json` | all of it for other programs, and its JSON schema |
| `fabric.json`, `routing.tulle` | what is meant, for `tulle deploy verify` |
| `bundle.json` | sizes and SHA-256 of all others; while it is missing the bundle is not whole |

## Load it

1. On every switch run `up` as root. The bridge is in user space (`DATAPATH=system` for the kernel's) and drops what no
   flow matches: ARP and other broadcasts are not flooded, as a fabric with cycles must not.
2. On every host set the MAC address of `hosts.csv`, and per layer a VLAN interface with its address:

       ip link set eth0 address MAC
       ip link add link eth0 name eth0.VLAN type vlan id VLAN
       ip address add ADDRESS/{plan.addressing.layer_length} dev eth0.VLAN

   and a permanent neighbour for each host that it talks to: `ip neighbour add ADDRESS lladdr MAC dev eth0.VLAN nud
   permanent`.
3. Verify: on every switch
   `{{ ovs-ofctl -O OpenFlow15 dump-groups fabric; ovs-ofctl -O OpenFlow15 --no-stats dump-flows fabric; }} > NAME`,
   then `tulle deploy verify BUNDLE --ovs FOLDER`.

`undo` takes the bridge away.
"""
