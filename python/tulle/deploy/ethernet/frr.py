"""Switches that run FRR: one ``frr.conf`` per switch, for the daemons zebra and staticd.

Links have addresses, so that switches find next hops by ARP or neighbour discovery. Routes are static: each layer is a
set of prefixes, and no routing protocol runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle.deploy.ethernet import bfd as sessions
from tulle.deploy.ethernet.readme_parts import FAILURES, WHERE, backup, ports_of_servers, repair_steps
from tulle.deploy.ethernet.static import check_unweighted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tulle.deploy.ethernet.numbering import Numbering
    from tulle.deploy.ethernet.plan import EthernetPlan, Port
    from tulle.deploy.ethernet.repair import Change, Repair

__all__ = [
    "DAEMONS",
    "SYSCTL",
    "TAG",
    "VTYSH",
    "change_lines",
    "described",
    "files",
    "frr_conf",
    "hosts",
    "port_lines",
    "readme",
    "steps",
]

TAG = 100
"""Routes of layer l have the tag 100 + l."""

DAEMONS = """\
# Daemons of FRR. zebra and mgmtd always run; routes are static.
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
VTYSH = "service integrated-vtysh-config\n"
SYSCTL = """\
# A switch of the fabric forwards packets, and hashes flows over equal-cost next hops by TCP and UDP ports too.
net.ipv4.ip_forward = 1
net.ipv6.conf.all.forwarding = 1
net.ipv4.fib_multipath_hash_policy = 1
net.ipv6.fib_multipath_hash_policy = 1
net.ipv4.conf.all.rp_filter = 0
net.ipv4.conf.default.rp_filter = 0
"""


def files(plan: EthernetPlan, numbering: Numbering, *, bfd: bool = False) -> Iterator[tuple[str, str]]:
    """The files for ``/etc/frr`` of every switch, and its kernel settings; with `bfd`, BFD monitors next hops.

    Raises
    ------
    tulle.InputError
        For weighted next hops, which static routes do not support.
    """
    check_unweighted(plan, "FRR")
    for switch, name in enumerate(plan.names):
        place = f"switches/{name}"
        yield f"{place}/links", "".join(f"{port.name} {port.mac}\n" for port in plan.ports[switch])
        yield f"{place}/frr.conf", frr_conf(plan, numbering, switch, bfd=bfd)
        yield f"{place}/daemons", DAEMONS.replace("bfdd=no", "bfdd=yes") if bfd else DAEMONS
        yield f"{place}/vtysh.conf", VTYSH
        yield f"{place}/sysctl.conf", SYSCTL


def frr_conf(plan: EthernetPlan, numbering: Numbering, switch: int, *, bfd: bool = False) -> str:
    """Write ``frr.conf`` of a switch; with `bfd`, BFD monitors next hops."""
    addressing = plan.addressing
    ip, whole = ("ip", 32) if addressing.version == 4 else ("ipv6", 128)
    lines = [
        "! FRR 8.5 or later: zebra, staticd and bfdd." if bfd else "! FRR 8.4 or later: zebra and staticd.",
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
    lines += _interfaces(plan, numbering, plan.ports[switch])
    lines += hosts(plan, switch, ip, whole)
    gateways = {port.number: _gateway(plan, numbering, port) for port in plan.ports[switch] if port.channel is not None}
    routes = {hops: [f"{gateways[port][0]} {gateways[port][1]}" for port, _ in hops] for hops in plan.groups(switch)}
    if bfd:
        lines += sessions.frr_lines(gateways.values())
    for layer, _, prefix, hops in plan.entries[switch]:
        end = _route_end(layer, bfd=bfd)
        lines += [f"{ip} route {prefix} {hop}{end}" for hop in routes[hops]]
    return "\n".join([*lines, "!", ""])


def _interfaces(plan: EthernetPlan, numbering: Numbering, ports: Iterable[Port]) -> list[str]:
    """The sections of interfaces, with the addresses of links."""
    lines = []
    for port in ports:
        lines += [f"interface {port.name}", f" description {described(plan, port)}"]
        if port.channel is not None:
            lines.append(f" {_ip(plan)} address {numbering.address(port.channel)}/{numbering.length}")
        lines += ["exit", "!"]
    return lines


def _gateway(plan: EthernetPlan, numbering: Numbering, port: Port) -> tuple[str, str]:
    """The address at the other end of a port's cable, and the name of the port."""
    return numbering.address(plan.peer(port)[1].channel or 0), port.name


def port_lines(plan: EthernetPlan, numbering: Numbering, ports: Sequence[Port], *, bfd: bool = False) -> str:
    """The configuration that sets up ports toward other switches."""
    lines = _interfaces(plan, numbering, ports)
    if bfd:
        lines += sessions.frr_lines(_gateway(plan, numbering, port) for port in ports)
    return "\n".join([*lines, ""])


def _route_end(layer: int, *, bfd: bool) -> str:
    """The end of a route's line: its tag, and whether BFD monitors the next hop."""
    return f" tag {TAG + layer}" + (f" bfd profile {sessions.PROFILE}" if bfd else "")


def change_lines(repaired: Repair, links: tuple[Numbering, Numbering], change: Change, *, bfd: bool = False) -> str:
    """The commands that change an entry. They add new next hops before they remove old ones.

    Meanwhile, the switch has both old and new next hops. This cannot cause a loop, because the switches on its new
    paths have their new entries already. `links` has the addresses of links before and after.
    """
    prefix, ip = repaired.prefix(change), _ip(repaired.plan)

    def line(number: int) -> str:
        plan, port = repaired.port(change.switch, number)
        gateway, name = _gateway(plan, links[plan is repaired.plan], port)
        return f"{ip} route {prefix} {gateway} {name}{_route_end(change.layer, bfd=bfd)}\n"

    before, now = ([port for port, _ in hops] for hops in (change.before, change.now))
    added = "".join(line(port) for port in now if port not in before)
    return added + "".join(f"no {line(port)}" for port in before if port not in now)


def _ip(plan: EthernetPlan) -> str:
    return "ip" if plan.addressing.version == 4 else "ipv6"


def hosts(plan: EthernetPlan, switch: int, ip: str, whole: int) -> list[str]:
    """The routes to the switch's own hosts: one per host and layer, directly out of the host's port."""
    return [
        f"{ip} route {address}/{whole} {plan.by_number[switch][host.port].name} tag {TAG + layer}"
        for host in plan.hosts_at[switch]
        for layer, address in enumerate(host.addresses)
    ]


def described(plan: EthernetPlan, port: Port) -> str:
    """The description of an interface: what is at the other end of its cable."""
    if port.channel is None:
        return f"host {plan.hosts[port.endpoint or 0].name}"
    switch, other = plan.peer(port)
    return f"{plan.names[switch]} {other.name}"


def readme(plan: EthernetPlan, numbering: Numbering, *, bfd: bool = False) -> str:
    """Write ``README.md``."""
    fabric, addressing = plan.fabric, plan.addressing
    return f"""# {fabric.spec}: {plan.routing.spec} on FRR

{plan.sizes}. Every host has an address per layer,
in `{addressing.layer_prefix(0)}` for layer 0. Routes of layer *l* have the tag {TAG} + *l*. Links are
/{numbering.length} of `{numbering.base}`.
{plan.num_entries} prefix entries, at most {int(plan.entries_per_switch.max())} on a switch, plus one per address of its
own hosts. Before these files were written, all {plan.walked.paths} paths (layer, switch, destination) were followed
through the entries: each leads to its destination in at most {plan.walked.most_hops} hops, and none loops.

| file | what it is |
|---|---|
| `switches/NAME/frr.conf`, `daemons`, `vtysh.conf` | files for `/etc/frr` of a switch, for static routes \
without a routing protocol |
{steps(plan, "8.5" if bfd else "8.4")}
{FAILURES}
{_BFD if bfd else ""}{repair_steps(plan)}"""


_BFD = f"""\
BFD reports a failed cable within {sessions.DETECTION_MS} ms. FRR (8.5 or later) then removes the next hops of this
cable, and adds them again when the cable works. An entry with other next hops continues with these. An entry without
other next hops has no path in its layer: hosts with MPTCP or flowlets use the other layers until `tulle deploy repair`
gives the entry another path.

"""


def steps(plan: EthernetPlan, version: str) -> str:
    """The common part of ``README.md`` with static routes and with BGP: further files, and how to load them.

    The parameter `version` is the lowest version of FRR that reads the files.
    """
    show = "show ip route json" if plan.addressing.version == 4 else "show ipv6 route json"
    return f"""\
| `switches/NAME/sysctl.conf` | kernel settings: forwarding, and hashing of flows by their ports |
| `switches/NAME/links` | ports and their MAC addresses, which hosts use |
| `hosts/NAME/` | the setup of one host |
| `ports.csv` | the interface of every port, its name in the fabric, and what is connected to it |
| `plan.json`, `plan.schema.json` | the whole plan for other programs, and its JSON schema |
| `fabric.json`, `routing.tulle` | the planned fabric and routing, for `tulle deploy verify` |
| `bundle.json` | sizes and SHA-256 of all other files; without it the bundle is incomplete |

## Load it

1. Interfaces have the names of the fabric's ports (`ports.csv`). Ports without a name in the fabric are called
   `eth`*n*, by their numbers: give the interfaces these names (systemd's `.link` files).
2. Copy `switches/NAME` to each switch, which needs FRR {version} or later. Run these commands as root in the copied
   folder. They replace the site's `frr.conf`, `daemons` and `vtysh.conf`. If the site's `frr.conf` has lines that the
   switch still needs, for example routes of its management network, add them to the new `frr.conf` first.

       {backup("/etc/frr", _BEFORE)}
       install -o frr -g frr -m 640 frr.conf daemons vtysh.conf /etc/frr/
       install -m 644 sysctl.conf /etc/sysctl.d/90-tulle.conf && sysctl --system
       systemctl restart frr

3. Hosts use the MAC addresses of their switch's ports: set those in `links` on every switch (permanently with systemd's
   `.link` files). Then copy `hosts/NAME` to each host and run `up` there as root.{ports_of_servers(plan)}

       while read -r port mac; do ip link set dev "$port" address "$mac"; done < links

4. Verify: on every switch NAME `vtysh -c '{show}' > NAME.json`. Then run
   `tulle deploy verify BUNDLE --frr FOLDER`, {WHERE}.

`{_BEFORE}` keeps the site's configuration, even if you repeat step 2. To go back, run `undo` on every host, and
these commands as root on every switch. The earlier kernel settings and MAC addresses return when the switch restarts.

    test -e {_BEFORE} && rm -rf /etc/frr && mv {_BEFORE} /etc/frr
    rm -f /etc/sysctl.d/90-tulle.conf && systemctl restart frr
"""


_BEFORE = "/etc/frr.before"
