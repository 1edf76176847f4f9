"""Open vSwitch: each layer is a VLAN, and a switch forwards by VLAN and destination MAC address.

The MAC address of a host contains the number of its switch, so that one masked flow per layer and switch suffices, like
one prefix entry in IP (FatPaths §V-E). Packets without a matching flow are dropped, broadcasts too: hosts have static
neighbours, and nothing is flooded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle._internal.text import csv_row
from tulle.deploy.ethernet.names import host_mac
from tulle.deploy.ethernet.readme_parts import FAILURES, WHERE, repair_steps
from tulle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tulle.deploy.ethernet.plan import EthernetPlan, Hops, Port
    from tulle.deploy.ethernet.repair import Change, Repair

__all__ = ["FIRST_VLAN", "LOAD", "change_lines", "files", "port_script", "readme"]

FIRST_VLAN = 100
"""The default VLAN of layer 0; the other layers have the VLANs after it."""
LAST_VLAN = 4094
_OWN_GROUPS = 1 << 24
"""Groups with this number or a higher one belong to single entries that a repair changed."""
_SWITCH_BITS = 20
_BRIDGE = '"${BRIDGE:-fabric}"'
"""The name of the bridge in commands of ``README.md``, as the script ``up`` chooses it."""
LOAD = f"ovs-ofctl -O OpenFlow15 bundle {_BRIDGE} FILE"
"""The command that loads the changes in ``FILE``."""
_MOST_BUCKETS = 1000
"""Maximum number of buckets of a group. More than 1,365 buckets of 48 bytes exceed an OpenFlow message (65,535
bytes)."""
SWITCH_MASK = "ff:ff:ff:ff:00:00"
"""The bits of a host's MAC address that contain the number of its switch."""
# The header fields in the flow hash. Open vSwitch skips fields that a packet does not have.
_HASHED = "eth_src,eth_dst,ip_src,ip_dst,ipv6_src,ipv6_dst,tcp_src,tcp_dst,udp_src,udp_dst"


def files(plan: EthernetPlan, first_vlan: int = FIRST_VLAN) -> Iterator[tuple[str, str]]:
    """The files of all switches.

    Raises
    ------
    tulle.InputError
        If `first_vlan` is not from 1 to 4094, or if there are more layers than VLANs from `first_vlan` to 4094.
    """
    last = first_vlan + plan.num_layers - 1
    if not 1 <= first_vlan <= LAST_VLAN or last > LAST_VLAN:
        raise InputError(
            f"VLANs {first_vlan} to {last} of {plan.num_layers} layers are out of range; legal: 1 to {LAST_VLAN}, so "
            f"the first VLAN is at most {LAST_VLAN + 1 - plan.num_layers}"
        )
    for switch, name in enumerate(plan.names):
        place = f"switches/{name}"
        yield f"{place}/groups", "".join(_groups(plan, switch))
        yield f"{place}/flows", "".join(_flows(plan, switch, first_vlan))
        yield f"{place}/up", _up(plan, switch)
        yield f"{place}/undo", _undo(plan, switch)
    yield "hosts.csv", _hosts(plan, first_vlan)


def _numbers(plan: EthernetPlan, switch: int) -> dict[int, int]:
    """The OpenFlow number of every group with several ports."""
    several = [place for place, hops in enumerate(plan.groups(switch)) if len(hops) > 1]
    return {place: number for number, place in enumerate(several, 1)}


def _groups(plan: EthernetPlan, switch: int) -> Iterator[str]:
    groups = plan.groups(switch)
    for place, number in _numbers(plan, switch).items():
        yield f"{_group(plan, switch, number, groups[place])}\n"


def _group(plan: EthernetPlan, switch: int, number: int, hops: Hops) -> str:
    """A group that picks one of the ports by a hash of the flow.

    A port with weight w has w equal buckets. Open vSwitch multiplies the hash of each bucket by its weight and picks
    the largest product, so buckets of weights 1 and 3 would get 1/6 and 5/6 of the flows. Every switch has its own
    seed. With a common seed, the choices of successive switches would be correlated.

    Raises
    ------
    tulle.InputError
        For more buckets than the message that creates a group can have.
    """
    total = sum(weight for _, weight in hops)
    if total > _MOST_BUCKETS:
        ports = ", ".join(f"{port} with weight {weight}" for port, weight in hops)
        raise InputError(
            f"{plan.names[switch]}: a group of ports {ports} needs {total} buckets, the sum of the weights; "
            f"legal: at most {_MOST_BUCKETS}, from a routing with smaller weights"
        )
    buckets = ",".join(f"bucket=actions=output:{port}" for port, weight in hops for _ in range(weight))
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


def change_lines(repaired: Repair, change: Change, first_vlan: int) -> str:
    """The lines that change an entry, for ``ovs-ofctl bundle``, which applies all lines of a file atomically.

    If the entry has several ports, it gets its own group with a unique number.
    """
    plan, destination = repaired.bundle.plan, change.destination
    if destination >= len(plan.names):
        plan, destination = repaired.plan, repaired.now[destination]
    match = _match(plan, first_vlan + change.layer, destination)
    if not change.now:
        return f"flow delete_strict {match}\n"
    if len(change.now) == 1:
        return f"flow add {match},actions=output:{_only(change.now)}\n"
    # The number must stay the same after later failures, because groups of earlier repairs are still in use.
    number = _OWN_GROUPS + (change.layer << _SWITCH_BITS) + plan.addressing.numbers[destination]
    group = _group(repaired.bundle.plan, change.switch, number, change.now)
    return f"group add_or_mod {group}\nflow add {match},actions=group:{number}\n"


def _only(hops: Hops) -> int:
    ((port, _),) = hops
    return port


def _up(plan: EthernetPlan, switch: int) -> str:
    name = plan.names[switch]
    ports = _add_ports(plan.ports[switch])
    return f"""#!/bin/sh
# Creates an Open vSwitch bridge with the groups and flows of the switch {name}, and sets its ports up. Run this script
# as root on the switch. Environment variables: BRIDGE is the name of the bridge (default: fabric), and DATAPATH is its
# datapath (default: netdev, in user space). A second run replaces all groups and flows in one transaction.
set -eu
cd "$(dirname "$0")"
bridge=${{BRIDGE:-fabric}}
if ovs-vsctl br-exists "$bridge" && {_FOREIGN}; then
    echo "$0: the bridge $bridge exists already, and this script did not create it; legal: BRIDGE=NAME" >&2
    exit 2
fi
ovs-vsctl --may-exist add-br "$bridge" \\
    -- set bridge "$bridge" datapath_type="${{DATAPATH:-netdev}}" fail_mode=secure protocols=OpenFlow13,OpenFlow15 \\
    -- set bridge "$bridge" external_ids:tulle={name} \\
{ports}    -- set bridge "$bridge" other_config:hwaddr={plan.ports[switch][0].mac}
{{
    echo flow delete
    echo group delete
    sed 's/^/group add /' groups
    sed 's/^/flow add /' flows
}} | ovs-ofctl -O OpenFlow15 bundle "$bridge" -
{_ports_up(plan.ports[switch])}"""


def _ports_up(ports: Iterable[Port]) -> str:
    # Open vSwitch does not bring the interfaces of its ports up. An interface that is missing must not keep the others
    # down, so the script fails only after the last one.
    names = " ".join(port.name for port in ports)
    return f"""\
down=
for port in {names}; do ip link set dev "$port" up || down="$down $port"; done
test -z "$down" || {{ echo "$0: these ports cannot be set up:$down" >&2; exit 1; }}
"""


def _add_ports(ports: Iterable[Port]) -> str:
    return "".join(
        f'    -- --may-exist add-port "$bridge" {port.name} '
        f"-- set interface {port.name} ofport_request={port.number}{_GOES_ON}"
        for port in ports
    )


_GOES_ON = " \\\n"


def port_script(ports: Sequence[Port]) -> str:
    """The script that adds ports to the bridge; it keeps ports that the bridge has already."""
    return f"""#!/bin/sh
# Adds ports to the bridge. BRIDGE sets its name (default: fabric). Run as root; running it again is harmless.
set -eu
bridge=${{BRIDGE:-fabric}}
ovs-vsctl br-exists "$bridge" || {{ echo "$0: no bridge $bridge; legal: first run the script up" >&2; exit 2; }}
ovs-vsctl \\
{_add_ports(ports).removesuffix(_GOES_ON)}
{_ports_up(ports)}"""


# Whether the bridge lacks the mark that `up` gives to its bridge.
_FOREIGN = '[ -z "$(ovs-vsctl --if-exists get bridge "$bridge" external_ids:tulle)" ]'


def _undo(plan: EthernetPlan, switch: int) -> str:
    return f"""#!/bin/sh
# Removes the bridge of the switch {plan.names[switch]} with its flows, and releases its ports. Run it as root on the
# switch. The environment variable BRIDGE sets the name of the bridge (default: fabric).
set -eu
bridge=${{BRIDGE:-fabric}}
ovs-vsctl br-exists "$bridge" || exit 0
if {_FOREIGN}; then
    echo "$0: the script up did not create the bridge $bridge, so it stays" >&2
    exit 2
fi
ovs-vsctl del-br "$bridge"
"""


def _hosts(plan: EthernetPlan, first_vlan: int) -> str:
    """Write ``hosts.csv``: the MAC address, VLAN and IP address of each host in each layer."""
    rows = [
        csv_row((host.name, plan.names[host.switch], host.port, host.mac, layer, first_vlan + layer, address))
        for host in plan.hosts
        for layer, address in enumerate(host.addresses)
    ]
    return "".join(f"{row}\n" for row in ("host,switch,port,mac,layer,vlan,address", *rows))


def readme(plan: EthernetPlan, first_vlan: int) -> str:
    """Write ``README.md``."""
    fabric = plan.fabric
    last = first_vlan + plan.num_layers - 1
    return f"""# {fabric.spec}: {plan.routing.spec} on Open vSwitch

{plan.sizes}. Each layer is a VLAN: {first_vlan} to
{last}. A switch forwards by VLAN and by the bits of the destination's MAC address that contain its switch:
{plan.num_entries} such flows, at most {int(plan.entries_per_switch.max())} on a switch, plus one per VLAN for each of
its own hosts. Frames keep their VLAN tag up to the host. Before these files were written, all {plan.walked.paths} paths
(layer, switch, destination) were followed through the flows: each leads to its destination in at most \
{plan.walked.most_hops} hops, and none loops.

| file | what it is |
|---|---|
| `switches/NAME/groups`, `flows` | groups and flows for `ovs-ofctl` |
| `switches/NAME/up`, `undo` | creates the bridge with groups and flows (`ports.csv`: OpenFlow numbers and \
interfaces of ports), and removes it |
| `hosts.csv` | MAC address, VLAN and IP address of each host in each layer |
| `ports.csv` | the interface of every port, its name in the fabric, and what is connected to it |
| `plan.json`, `plan.schema.json` | the whole plan for other programs, and its JSON schema |
| `fabric.json`, `routing.tulle` | the planned fabric and routing, for `tulle deploy verify` and `repair` |
| `bundle.json` | sizes and SHA-256 of all other files; without it the bundle is incomplete |

## Load it

The bridge is called `fabric`. For another name, for example `br0`, run `export BRIDGE=br0` on the switch before the
commands of this file and of `changes/README.md`: all of them use this variable.

1. Copy `switches/NAME` to each switch and run `up` as root there. The bridge uses the datapath in user space
   (`DATAPATH=system`: the kernel's). It drops packets without a matching flow: ARP and other broadcasts are not
   flooded, because the fabric has cycles.
2. On every host set the MAC address, and add a VLAN interface with an address for each layer. MAC, VLAN and ADDRESS are
   columns of `hosts.csv`, and `eth0` stands for the host's interface, `to_port` in `ports.csv`:

       ip link set eth0 address MAC
       ip link set eth0 up
       ip link add link eth0 name eth0.VLAN type vlan id VLAN
       ip link set eth0.VLAN up
       ip address replace ADDRESS/{plan.addressing.layer_length} dev eth0.VLAN

   Add a permanent neighbour for each destination host: `ip neighbour replace ADDRESS lladdr MAC dev eth0.VLAN nud
   permanent`.
3. Verify: run these commands on every switch NAME:

       ovs-ofctl -O OpenFlow15 dump-groups {_BRIDGE} > NAME
       ovs-ofctl -O OpenFlow15 --no-stats dump-flows {_BRIDGE} >> NAME

   Then run `tulle deploy verify BUNDLE --ovs FOLDER`, {WHERE}.

`undo` removes the bridge.

{FAILURES}
{repair_steps(plan)}"""
