"""Switches that run Linux: batch files for iproute2. Links have no addresses.

Neighbour entries are static; ARP and neighbour discovery are not used. Routes are static too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle.deploy.ethernet import saved_state
from tulle.deploy.ethernet.readme_parts import FAILURES, WHERE, ports_of_servers, repair_steps
from tulle.deploy.ethernet.saved_state import PROTOCOL

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tulle.deploy.ethernet.plan import EthernetPlan, Hops, Port
    from tulle.deploy.ethernet.repair import Change, Repair

__all__ = ["PROTOCOL", "change_line", "files", "port_lines", "readme", "route_line", "switch_files"]

SWITCHES = "switches"
"""The folder with the files of switches."""


def files(plan: EthernetPlan) -> Iterator[tuple[str, str]]:
    """The files of all switches."""
    for switch, name in enumerate(plan.names):
        for file, text in switch_files(plan, switch):
            yield f"{SWITCHES}/{name}/{file}", text


def switch_files(plan: EthernetPlan, switch: int, routes: str | None = None) -> Iterator[tuple[str, str]]:
    """The files of one switch, as names and texts.

    If `routes` is given, it is written to ``routes.batch`` instead of the routes of the plan's entries.
    """
    name, addressing = plan.names[switch], plan.addressing
    own = f"{addressing.router(switch)}/{addressing.host_length}"
    yield "links", "".join(f"{port.name} {port.mac}\n" for port in plan.ports[switch])
    yield "addresses.batch", f"address replace {own} dev lo\n"
    yield "neighbours.batch", "".join(_neighbour(*row) for row in _neighbours(plan, switch))
    yield "routes.batch", "".join(_routes(plan, switch)) if routes is None else routes
    yield "sysctl.conf", _sysctl(plan)
    yield "up", _up(plan, name)
    yield "undo", _undo(plan, name)


def route_line(plan: EthernetPlan, switch: int, prefix: str, hops: Hops) -> str:
    """The batch line that adds a prefix entry, or replaces it if it exists."""
    return f"route replace {prefix} {_ways(plan, switch, hops)}\n"


def change_line(repaired: Repair, change: Change) -> str:
    """The batch line that changes an entry."""
    prefix = repaired.prefix(change)
    if not change.now:
        return f"route delete {prefix}\n"
    return route_line(repaired.plan, repaired.now[change.switch], prefix, change.now)


def port_lines(plan: EthernetPlan, switch: int, ports: Sequence[Port]) -> str:
    """The batch that sets up ports: their MAC addresses, and their neighbours."""
    names = {port.name for port in ports}
    links = [f"link set dev {port.name} address {port.mac}\nlink set dev {port.name} up\n" for port in ports]
    return "".join([*links, *(_neighbour(*row) for row in _neighbours(plan, switch) if row[2] in names)])


def _ways(plan: EthernetPlan, switch: int, hops: Hops) -> str:
    """The next hops of a route. Links have no addresses, so a next hop is the next switch's own address."""
    ways = []
    for number, weight in hops:
        port = plan.by_number[switch][number]
        other, _ = plan.peer(port)
        ways.append((f"via {plan.addressing.router(other)} dev {port.name}", weight))
    if len(ways) == 1:
        return f"proto {PROTOCOL} {ways[0][0]} onlink"
    return f"proto {PROTOCOL} " + " ".join(f"nexthop {way} weight {weight} onlink" for way, weight in ways)


def _routes(plan: EthernetPlan, switch: int) -> Iterator[str]:
    length = plan.addressing.host_length
    for host in plan.hosts_at[switch]:
        for address in host.addresses:
            port = plan.by_number[switch][host.port].name
            yield f"route replace {address}/{length} dev {port} proto {PROTOCOL}\n"
    texts = [_ways(plan, switch, hops) for hops in plan.groups(switch)]
    for row, prefixes in zip(plan.group_of(switch).tolist(), plan.prefixes, strict=True):
        for group, prefix in zip(row, prefixes, strict=True):
            if group >= 0:
                yield f"route replace {prefix} {texts[group]}\n"


def _neighbour(address: str, mac: str, port: str) -> str:
    return f"neighbour replace {address} lladdr {mac} dev {port} nud permanent\n"


def _neighbours(plan: EthernetPlan, switch: int) -> Iterator[tuple[str, str, str]]:
    for port in plan.ports[switch]:
        if port.endpoint is None:
            other, there = plan.peer(port)
            yield plan.addressing.router(other), there.mac, port.name
        else:
            host = plan.hosts[port.endpoint]
            for address in host.addresses:
                yield address, host.mac, port.name


def _sysctl(plan: EthernetPlan) -> str:
    if plan.addressing.version == 6:
        return (
            "net.ipv6.conf.all.forwarding = 1\n"
            "# Choose the next hop of a flow by a hash of IP addresses and TCP or UDP ports, not of addresses alone.\n"
            "net.ipv6.fib_multipath_hash_policy = 1\n"
        )
    return (
        "net.ipv4.ip_forward = 1\n"
        "# Accept packets on interfaces that the route to their source does not use: replies may take other paths.\n"
        "net.ipv4.conf.all.rp_filter = 0\n"
        "net.ipv4.conf.default.rp_filter = 0\n"
        "# Choose the next hop of a flow by a hash of IP addresses and TCP or UDP ports, not of addresses alone.\n"
        "net.ipv4.fib_multipath_hash_policy = 1\n"
    )


def _up(plan: EthernetPlan, name: str) -> str:
    addressing = plan.addressing
    save = saved_state.save(
        "links addresses.batch neighbours.batch routes.batch sysctl.conf",
        addressing.version,
        addressing.host_length,
        # Also save the source address of SRv6 tunnels. The network namespace has only one.
        '    ip sr tunsrc show > "$new/tunsrc" 2> /dev/null || :',
    )
    return f"""#!/bin/sh
# Sets up the switch {name}: links, addresses, neighbours, routes, settings. Run it as root on the switch; running it
# again is harmless. `undo` restores the state before `up`.
set -eu
cd "$(dirname "$0")"
{_state(name)}
ports="lo $(cut -d ' ' -f 1 links | tr '\\n' ' ')"
batch() {{ cat "$1.batch"; }}
{save}
save
while read -r port mac; do
    set_mac "$port" "$mac"
    ip link set dev "$port" up
done < links
ip link set dev lo up
sysctl -q -p sysctl.conf
ip -batch addresses.batch
ip -batch neighbours.batch
ip -batch routes.batch
"""


def _undo(plan: EthernetPlan, name: str) -> str:
    restore = saved_state.undo(
        plan.addressing.version,
        f"ip -{plan.addressing.version} route flush proto {PROTOCOL}",
        '    [ ! -s "$saved/tunsrc" ] || try ip sr tunsrc set "$(cut -d " " -f 3 "$saved/tunsrc")"',
    )
    return f"""#!/bin/sh
# Restores the state of the switch {name} before `up`: links, addresses, neighbours, routes, settings. Run it as root
# on the switch.
set -u
{_state(name)}
{restore}"""


def _state(name: str) -> str:
    return f"state=${{TULLE_STATE:-/run/tulle}}/{name}"


def readme(plan: EthernetPlan) -> str:
    """Write ``README.md``."""
    fabric, addressing = plan.fabric, plan.addressing
    return f"""# {fabric.spec}: {plan.routing.spec} on Linux

{plan.sizes}. Every host has an address \
per layer, in `{addressing.layer_prefix(0)}` for layer 0.
{plan.num_entries} prefix entries, at most {int(plan.entries_per_switch.max())} on a switch, plus one per address of \
its own hosts.
Before these files were written, all {plan.walked.paths} paths (layer, switch, destination) were followed through the
entries: each leads to its destination in at most {plan.walked.most_hops} hops, and none loops.

| file | what it is |
|---|---|
| `switches/NAME/` | the files of one switch, with the scripts `up` and `undo` |
| `hosts/NAME/` | the setup of one host |
| `ports.csv` | the interface of every port, its name in the fabric, and what is connected to it |
| `plan.json`, `plan.schema.json` | the whole plan for other programs, and its JSON schema |
| `fabric.json`, `routing.tulle` | the planned fabric and routing, for `tulle deploy verify` and `repair` |
| `bundle.json` | sizes and SHA-256 of all other files; without it the bundle is incomplete |

## Load it

1. `ports.csv` has the interface of every port. Interfaces have the names of the fabric's ports. Ports without a name in
   the fabric are called `eth`*n*, by their numbers: give the interfaces these names (`ip link set dev swp1 name eth1`,
   or systemd's `.link` files). Then compare the cabling: `lldpctl -f json0 > NAME.json` on each switch NAME, and
   `tulle cabling verify BUNDLE --switches-only --live *.json`, where BUNDLE is the folder of this file.
2. Copy `switches/NAME` to each switch and run `up` as root there. It sets MAC addresses to those in `links`;
   neighbour entries are permanent, so ARP and neighbour discovery are not used.
3. Copy `hosts/NAME` to each host and run `up` there.{ports_of_servers(plan)}
4. Verify: on every switch NAME `ip -json route show table all > NAME.json`. Then run
   `tulle deploy verify BUNDLE --fib FOLDER`, {WHERE}.

`undo` restores the state before `up`: it removes tulle's routes (protocol {PROTOCOL}), neighbours and addresses, and
restores link states, MAC addresses, settings, and the site's own routes and neighbours for the same addresses.

{FAILURES}
{repair_steps(plan)}"""
