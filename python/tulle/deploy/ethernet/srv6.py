"""SRv6 on Linux and FRR: the files with which switches forward packets along source routes.

A switch has segments for itself (uN), its ports to parallel cables (uA) and the ends of paths (uDT6). It has routes to
adjacent switches only. So a list of segments that is not a path of the fabric leads nowhere.
"""

from __future__ import annotations

import json
import textwrap
from typing import TYPE_CHECKING, Any

from tulle._internal.text import counted
from tulle.deploy.ethernet import linux, sonic_readme
from tulle.deploy.ethernet.hosts import files as host_files
from tulle.deploy.ethernet.linux import PROTOCOL, SWITCHES
from tulle.deploy.ethernet.readme_parts import FAILURES, ports_of_servers
from tulle.deploy.ethernet.usid import BITS, BLOCK_BITS, DECAPSULATE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tulle.deploy.ethernet.source_routes import SourceRoutes

__all__ = ["PATHS", "files", "readme"]

PATHS = "srv6.json"
"""The file with every path and its segments, for other programs."""
LOCATOR = "fabric"
"""The name of a switch's locator in FRR."""
_NEXT = f"flavors next-csid lblen {BLOCK_BITS} nflen {BITS}"


def files(made: SourceRoutes) -> Iterator[tuple[str, str]]:
    """Write the files of switches and hosts, and the list of all paths."""
    plan = made.plan
    for switch, name in enumerate(plan.names):
        place = f"{SWITCHES}/{name}"
        cables = [port for port in plan.ports[switch] if port.channel is not None]
        for file, text in linux.switch_files(plan, switch, "".join(_routes(made, switch))):
            if file == "addresses.batch":
                text += "".join(f"address replace {made.address(port)} dev {port.name} nodad\n" for port in cables)
            elif file == "neighbours.batch":
                text += "".join(
                    f"neighbour replace {made.gateway(port)} lladdr {plan.peer(port)[1].mac} dev {port.name} "
                    "nud permanent\n"
                    for port in cables
                )
            elif file == "sysctl.conf":
                text += "# Accept packets with a segment routing header.\nnet.ipv6.conf.all.seg6_enabled = 1\n"
                text += "".join(f"net/ipv6/conf/{port.name}/seg6_enabled = 1\n" for port in plan.ports[switch])
            elif file == "up":
                text += f"ip sr tunsrc set {plan.addressing.router(switch)}\n"
            yield f"{place}/{file}", text
        yield f"{place}/frr.conf", _frr(made, switch)
        yield f"{place}/frr-10.3.conf", _frr_with_segments(made, switch)
    yield from host_files(plan)
    yield PATHS, paths_text(made)


def _routes(made: SourceRoutes, switch: int) -> Iterator[str]:
    plan, block = made.plan, made.block
    length, end = plan.addressing.host_length, f"proto {PROTOCOL}"
    # The route of a local segment must name a network interface that is up, although packets do not leave through it.
    some = plan.ports[switch][0].name
    own = block.prefix(block.node(plan.addressing.numbers[switch]))
    yield f"route replace {own} encap seg6local action End {_NEXT} dev {some} {end}\n"
    yield f"route replace {block.prefix(DECAPSULATE)} encap seg6local action End.DT6 table main dev {some} {end}\n"
    for port in plan.ports[switch]:
        if port.channel in made.parallel:
            action = f"encap seg6local action End.X nh6 {made.gateway(port)} {_NEXT}"
            yield f"route replace {block.prefix(block.port(port.number))} {action} dev {port.name} {end}\n"
    for prefix, port in made.next_switches(switch):
        yield f"route replace {prefix} via {made.gateway(port)} dev {port.name} {end}\n"
    for host in plan.hosts_at[switch]:
        for address in host.addresses:
            yield f"route replace {address}/{length} dev {plan.by_number[switch][host.port].name} {end}\n"
    for route in made.routes[switch]:
        first = plan.channel_ports[route.channels[0]].name
        listed = ",".join(route.addresses)
        yield f"route replace {route.prefix} encap seg6 mode encap.red segs {listed} dev {first} {end}\n"


def _frr_head(made: SourceRoutes, switch: int, locator: list[str]) -> list[str]:
    plan, block = made.plan, made.block
    own = block.prefix(block.node(plan.addressing.numbers[switch]))
    lines = [
        "frr defaults datacenter",
        f"hostname {plan.names[switch]}",
        "service integrated-vtysh-config",
        "ipv6 forwarding",
        "!",
        "interface lo",
        f" ipv6 address {plan.addressing.router(switch)}/{plan.addressing.host_length}",
        "exit",
        "!",
    ]
    for port in plan.ports[switch]:
        if port.channel is not None:
            lines += [f"interface {port.name}", f" ipv6 address {made.address(port)}", "exit", "!"]
    lines += ["segment-routing", " srv6", "  locators", f"   locator {LOCATOR}", f"    prefix {own}{locator[0]}"]
    lines += [f"    {line}" for line in locator[1:]]
    return [*lines, "   exit", "  exit"]


def _frr_tail(made: SourceRoutes, switch: int) -> list[str]:
    plan = made.plan
    lines = [" exit", "exit", "!"]
    lines += [f"ipv6 route {prefix} {made.gateway(port)} {port.name}" for prefix, port in made.next_switches(switch)]
    for host in plan.hosts_at[switch]:
        name = plan.by_number[switch][host.port].name
        lines += [f"ipv6 route {address}/{plan.addressing.host_length} {name}" for address in host.addresses]
    return lines


def _frr(made: SourceRoutes, switch: int) -> str:
    """Return the configuration for FRR 8.4, which supports locators, but neither local segments nor segment lists.

    iproute2 loads the local segments and segment lists.
    """
    lines = ["! FRR 8.4 or later. Load local segments and source routes from routes.batch."]
    lines += [*_frr_head(made, switch, [f" func-bits {BITS}"]), *_frr_tail(made, switch)]
    return "\n".join([*lines, "!", ""])


def _frr_with_segments(made: SourceRoutes, switch: int) -> str:
    """Return the configuration for FRR 10.3, which supports static segments and routes with segment lists.

    FRR's test static_srv6_sids shows the syntax.
    """
    plan, block = made.plan, made.block
    own = block.node(plan.addressing.numbers[switch])
    head = [f" block-len {BLOCK_BITS} node-len {BITS} func-bits {BITS}", "behavior usid"]
    sids = [f"   sid {block.prefix(own)} locator {LOCATOR} behavior uN"]
    for port in plan.ports[switch]:
        if port.channel in made.parallel:
            segment = block.prefix(own, block.port(port.number))
            way = f"interface {port.name} nexthop {made.gateway(port)}"
            sids.append(f"   sid {segment} locator {LOCATOR} behavior uA {way}")
    sids.append(f"   sid {block.prefix(own, DECAPSULATE)} locator {LOCATOR} behavior uDT6 vrf default")
    lines = ["! FRR 10.3 or later, with local segments and source routes."]
    lines += [*_frr_head(made, switch, head), "  static-sids", *sids, "  exit", *_frr_tail(made, switch)]
    for route in made.routes[switch]:
        first = plan.channel_ports[route.channels[0]].name
        lines.append(f"ipv6 route {route.prefix} {first} segments {'/'.join(route.addresses)}")
    return "\n".join([*lines, "!", ""])


def paths_text(made: SourceRoutes) -> str:
    """Write ``srv6.json``, with a line per path."""
    plan = made.plan
    head: dict[str, Any] = {
        "format": "tulle-srv6-1",
        "fabric": plan.fabric.spec,
        "routing": plan.routing.spec,
        "block": str(made.block.base),
        "decapsulate": f"{DECAPSULATE:x}",
        "nodes": {
            name: f"{made.block.node(number):x}"
            for name, number in zip(plan.names, plan.addressing.numbers, strict=True)
        },
    }
    rows = []
    for switch, routes in enumerate(made.routes):
        for route in routes:
            row = {
                "source": plan.names[switch],
                "destination": plan.names[route.destination],
                "path": route.path,
                "prefix": route.prefix,
                "ports": [plan.channel_ports[channel].number for channel in route.channels],
                "segments": [f"{segment:x}" for segment in route.segments],
                "addresses": route.addresses,
            }
            rows.append(f"    {json.dumps(row)}")
    lines = [f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in head.items()]
    inside = ",\n".join(rows)
    return "{\n" + ",\n".join([*lines, f'  "paths": [\n{inside}\n  ]']) + "\n}\n"


def readme(made: SourceRoutes, *, sonic: bool = False) -> str:
    """Write ``README.md``; with `sonic`, also for the files of SONiC."""
    plan = made.plan
    fabric = plan.fabric
    count = sum(map(len, made.routes))
    servers = textwrap.dedent(f"{ports_of_servers(plan)}\n") if ports_of_servers(plan) else ""
    return f"""# {fabric.spec}: {plan.routing.spec} by source routes (SRv6)

{plan.machines}, {counted(plan.num_layers, "path")} per pair of switches: {count}
source routes, at most {max(map(len, made.routes), default=0)} on a switch.
Every host has an address per path, in `{plan.addressing.layer_prefix(0)}` for path 0. The first switch encapsulates
packets to such an address. The new header has a list of at most {made.most_segments} micro segments of
`{made.block.base}` (RFC 9800, F3216), six per address. The last switch decapsulates the packets. A switch only has its
own segments and those of adjacent switches.

| file | what it is |
|---|---|
| `switches/NAME/` | the files of one switch for iproute2, with the scripts `up` and `undo` |
| `switches/NAME/frr.conf` | for FRR 8.4: addresses, the locator, routes to adjacent switches; `routes.batch` has the \
local segments and source routes |
| `switches/NAME/frr-10.3.conf` | for FRR 10.3 and later: also local segments and source routes |
{_SONIC_FILES if sonic else ""}| `hosts/NAME/` | the setup of one host |
| `{PATHS}` | every path with its ports, segments and addresses |
| `ports.csv` | the interface of every port, its name in the fabric, and what is connected to it |
| `fabric.json`, `routing.tulle` | the planned fabric and routing |
| `bundle.json` | sizes and SHA-256 of all other files; without it the bundle is incomplete |

Run `up` on every switch and host; `undo` reverts it. Linux needs CONFIG_IPV6_SEG6_LWTUNNEL, and version 6.6 for
segments of ports. The new header takes 40 bytes, {8 + 16} more for a list of two addresses, and 16 more for each
further address. Make the MTU of every link larger than the MTU of the hosts by at least this size.
{servers}{_SONIC_STEPS if sonic else ""}
{FAILURES}
`tulle deploy repair` does not support source routes. Write a new bundle without the failed parts, with the option
`--fail SWITCH/PORT` or `--fail SWITCH`, and load it like this one.
{_lossless(made)}"""


_SONIC_FILES = """\
| `switches/NAME/sonic-srv6.json` | for SONiC: locator, local segments, link addresses, routes to adjacent switches |
| `switches/NAME/sonic-frr.conf` | for SONiC: source routes for its FRR container |
"""
_SONIC_STEPS = f"""
## SONiC

SONiC's database has no table for routes with segment lists, so load these routes into its FRR container (10.3 or
later). In the database of each switch, `docker_routing_config_mode` must be `split-unified`. Copy `switches/NAME` to
each switch, and run these commands in the copied folder. They add rows and routes to the current configuration, and
replace rows with the same keys:

    {sonic_readme.BACKUP}
    {sonic_readme.FRR_BACKUP}
    sudo config load sonic-srv6.json -y && sudo config save -y
    docker exec -i bgp vtysh -f /dev/stdin < sonic-frr.conf && docker exec bgp vtysh -c 'write memory'

The backups keep the site's configuration, even if you repeat these commands. To go back:

    {sonic_readme.RESTORE}
    {sonic_readme.FRR_RESTORE}
    sudo config reload -y

The tables were checked with SONiC's YANG models. No SONiC switch has loaded them.
"""


def _lossless(made: SourceRoutes) -> str:
    vcs = made.plan.vcs
    if vcs is None:
        return ""
    return f"""
## Lossless

Scheme `{vcs.spec}`: {vcs.num_vcs} virtual channels, each a priority of priority flow control. `pfc.json` has the
mapping, and `switches/NAME/qos.json` the tables of SONiC for it. The certificate is in `vcs`. Linux copies the DSCP of
a packet (the traffic class of IPv6) to the new header, so hosts mark packets as they would without SRv6.
"""
