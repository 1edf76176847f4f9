"""The files of a SONiC bundle: the configuration of switches, the DSCPs for hosts, and the README."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from tulle.deploy.ethernet import pfc_sonic, sonic, sonic_trim
from tulle.deploy.ethernet.pfc import MOST_LOSSLESS, Headroom, priorities
from tulle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tulle.deploy.ethernet.numbering import Numbering
    from tulle.deploy.ethernet.pfc import Priorities
    from tulle.deploy.ethernet.plan import EthernetPlan
    from tulle.deploy.ethernet.sonic import Table
    from tulle.deploy.ethernet.sonic_ports import Hardware

__all__ = ["PFC", "files", "marks_text", "pfc_text", "readme"]

PFC = "pfc.json"
"""The file with the mapping of virtual channels to priorities and DSCPs, and the headroom of every switch."""


def files(
    plan: EthernetPlan,
    numbering: Numbering | None,
    *,
    vlans: bool = False,
    hardware: Hardware = None,
    fec: str | None = None,
    lossless: int | None = None,
    memory: int | None = None,
    sizes: Headroom | None = None,
    bfd: bool = False,
    trim: int | None = None,
) -> Iterator[tuple[str, str]]:
    """Write the files of all switches; if the plan has virtual channels, with priority flow control.

    With `bfd`, BFD monitors the next hops of static routes. `trim` is the size in bytes to which switches trim packets.

    Raises
    ------
    tulle.InputError
        For a plan that exceeds the switches' resources.
    """
    if plan.vcs is None:
        if lossless is not None or memory is not None or sizes is not None:
            raise InputError(
                "--lossless, --buffer and --headroom need a lossless network; legal: with --deadlock SCHEME"
            )

        def trimming(switch: int) -> dict[str, Table]:
            return {} if trim is None else sonic_trim.tables((port.name for port in plan.ports[switch]), trim)

        yield from sonic.files(plan, numbering, vlans=vlans, hardware=hardware, fec=fec, bfd=bfd, more=trimming)
        return
    if trim is not None:
        raise InputError(f"--trim {trim} with --deadlock: lossless queues drop no packets; legal: one of them")
    found = priorities(plan.vcs, MOST_LOSSLESS if lossless is None else lossless)
    sizes = sizes or Headroom()

    def more(switch: int) -> dict[str, Table]:
        names = {port.number: port.name for port in plan.ports[switch]}
        tables = pfc_sonic.tables(plan, switch, names, found, sizes, memory)
        model = "dynamic" if memory is None else "traditional"
        return {**tables, "DEVICE_METADATA": {"localhost": {"buffer_model": model}}}

    yield from sonic.files(plan, numbering, vlans=vlans, hardware=hardware, fec=fec, bfd=bfd, more=more)
    yield PFC, pfc_text(plan, found, sizes)
    if len(set(found.of_sl)) > 1:
        for host in plan.hosts:
            yield f"hosts/{host.name}/dscp.csv", _marks(plan, host.switch, found)


def pfc_text(plan: EthernetPlan, found: Priorities, sizes: Headroom) -> str:
    """Write ``pfc.json``."""
    vcs = plan.vcs
    assert vcs is not None
    headrooms = {
        name: pfc_sonic.headroom_of_switch(plan, switch, found, sizes)[0] for switch, name in enumerate(plan.names)
    }
    document: dict[str, Any] = {
        "format": "tulle-pfc-1",
        "scheme": vcs.spec,
        "virtual_channels": [
            {"virtual_channel": vc, "priority": priority, "dscp": priority} for vc, priority in enumerate(found.of_vc)
        ],
        "rewritten_by_hop": found.by_hop,
        "dscp_of_hosts": found.of_sl[0] if len(set(found.of_sl)) == 1 else "hosts/NAME/dscp.csv",
        "headroom": {
            "mtu": sizes.mtu,
            "lossless_mtu": sizes.lossless_mtu,
            "mac_phy": sizes.mac_phy,
            "cell": sizes.cell,
            "small_packets": sizes.small_packets,
            "xon": sizes.xon,
        },
        "headroom_bytes": headrooms,
    }
    return json.dumps(document, indent=1) + "\n"


def _marks(plan: EthernetPlan, switch: int, found: Priorities) -> str:
    """Write the table for the hosts of a switch: the DSCP for every prefix, and its traffic class for RDMA verbs."""
    vcs = plan.vcs
    assert vcs is not None
    rows = []
    for layer in range(plan.num_layers):
        levels = np.asarray(vcs.sl[layer, switch]).tolist()
        for destination, prefix in zip(plan.destinations, plan.prefixes[layer], strict=True):
            rows.append((prefix, found.of_sl[0 if destination == switch else levels[destination]]))
    return marks_text(rows)


def marks_text(rows: Iterable[tuple[str, int]]) -> str:
    """Format ``dscp.csv`` from prefixes and their DSCPs."""
    return "prefix,dscp,traffic_class\n" + "".join(f"{prefix},{dscp},{dscp << 2}\n" for prefix, dscp in rows)


def readme(
    plan: EthernetPlan, numbering: Numbering | None, *, vlans: bool, bfd: bool = False, trim: int | None = None
) -> str:
    """Write ``README.md``."""
    fabric, addressing = plan.fabric, plan.addressing
    port = "eth0.VLAN" if vlans else "eth0"
    layers = (
        f"Layer *l* is VRF `VrfLayer`*l*: VLAN {sonic.FIRST_VLAN} + *l* on cables, {sonic.HOSTS_VLAN + 1} + *l* toward "
        "hosts."
        if vlans
        else f"Every host has an address per layer, in `{addressing.layer_prefix(0)}` for layer 0; hosts are in "
        f"`Vlan{sonic.HOSTS_VLAN}` of their switch."
    )
    links = f"Links are /{numbering.length} of `{numbering.base}`." if numbering else "Links have no addresses."
    routes = "static routes" if numbering else "prefixes that BGP learns"
    return f"""# {fabric.spec}: {plan.spec} on SONiC

{plan.sizes}. {layers}
{links} The gateways of hosts are in the table `VLAN_INTERFACE` of their switch's `config_db.json`.
{plan.num_entries} {routes}, at most {int(plan.entries_per_switch.max())} on a switch. Before these files
were written, all {plan.walked.paths} paths (layer, switch, destination) were followed through them: each leads to its
destination in at most {plan.walked.most_hops} hops, and none loops.

| file | what it is |
|---|---|
| `switches/NAME/config_db.json` | ports, links, loopback, neighbours, VLANs{_tables(plan, numbering)} |
{_rows(plan)}| `ports.csv` | SONiC's name of every port, its name in the fabric, and what is connected to it |
| `plan.json`, `plan.schema.json` | the whole plan for other programs, and its JSON schema |
| `fabric.json`, `routing.tulle` | the planned fabric and routing, for `tulle deploy verify` |
| `bundle.json` | sizes and SHA-256 of all other files; without it the bundle is incomplete |

## Load it

1. `ports.csv` has SONiC's name of every port. Without `--port-config`, every port has four lanes: for the lanes of your
   platform, pass its `port_config.ini` or `platform.json`. Device types, speeds and forward error correction (`fec`)
   are in `config_db.json`. If it has a table `BREAKOUT_CFG`, first break out the ports in this table:

       sudo config interface breakout PORT MODE -y -f

2. On every switch save the current configuration and load the file over it. SONiC's settings for its own hardware
   (`hwsku`, `platform`, `mac`) stay:

       sudo cp /etc/sonic/config_db.json /etc/sonic/config_db.before.json
       sudo config load config_db.json -y
       sudo config save -y
{"" if numbering else _BGP_STEP}
3. On every host add for each layer an address, and a route from it through the gateway of the layer (`eth0` stands for
   the host's interface, `to_port` in `ports.csv`):

{_host_steps(plan, vlans=vlans)}       ip address add ADDRESS/{addressing.switch_length} dev {port}
       ip route add LAYER-PREFIX via GATEWAY dev {port} src ADDRESS

4. {_verify(plan, vlans=vlans)}

To go back: {"" if numbering else _BGP_BACK}`sudo config reload /etc/sonic/config_db.before.json -y`.
{"" if numbering else _bgp_failures()}{_BFD if bfd else ""}{_trimming(trim)}{_lossless(plan)}"""


def _bgp_failures() -> str:
    from tulle.deploy.ethernet.bgp import WHEN_CABLES_FAIL

    return f"\n{WHEN_CABLES_FAIL}"


def _host_steps(plan: EthernetPlan, *, vlans: bool) -> str:
    if not vlans:
        return ""
    last = sonic.HOSTS_VLAN + plan.num_layers
    return f"       ip link add link eth0 name eth0.VLAN type vlan id VLAN   # {sonic.HOSTS_VLAN + 1} to {last}\n"


def _verify(plan: EthernetPlan, *, vlans: bool) -> str:
    show = "show ip route" if plan.addressing.version == 4 else "show ipv6 route"
    if vlans:
        return f"Check: `vtysh -c '{show} vrf all'` shows the routes of every layer."
    return (
        f"Verify: on every switch `vtysh -c '{show} json' > NAME.json`, then `tulle deploy verify BUNDLE --frr FOLDER`."
    )


# SONiC's FRR container reads this file if DEVICE_METADATA has docker_routing_config_mode split-unified.
_BGP_STEP = """
       sudo cp /etc/sonic/frr/frr.conf /etc/sonic/frr/frr.conf.before
       sudo install -m 640 -o 300 -g 300 frr.conf /etc/sonic/frr/frr.conf
       sudo config feature state bgp enabled && sudo systemctl restart bgp
"""


_BGP_BACK = "`sudo mv /etc/sonic/frr/frr.conf.before /etc/sonic/frr/frr.conf`, then "


# The intervals are those of SONiC's program staticroutebfd.
_BFD = """
## When cables fail

Static routes have `bfd`: SONiC starts a BFD session to every next hop. A session sends a packet every 50 ms, and is
down after three lost packets. The route keeps only next hops whose session is up. So a route exists only after the
sessions are up at both ends: load all switches. An entry without a next hop has no path in its layer until the cable
works or `tulle deploy repair` gives it another path; hosts with several layers use the others meanwhile.
"""


def _trimming(trim: int | None) -> str:
    if trim is None:
        return ""
    return f"""
## Trimming

Full queues trim packets to {trim} bytes instead of dropping them (`SWITCH_TRIMMING`). Trimmed packets have the DSCP
48 and the queue 6 with strict priority; all other packets have the queue 0. Transports must understand trimmed packets.
The switch's ASIC must support trimming:

    sonic-db-cli STATE_DB hget 'SWITCH_CAPABILITY|switch' SWITCH_TRIMMING_CAPABLE     # true

SONiC cannot remove these settings while it runs. To stop trimming, set `packet_discard_action` of the buffer profile
`TULLE_TRIM` to `drop`.
"""


def _tables(plan: EthernetPlan, numbering: Numbering | None) -> str:
    if numbering is None:
        return " |\n| `switches/NAME/frr.conf` | BGP with BFD, for SONiC's FRR container"
    return ", static routes" + ("" if plan.vcs is None else "; buffers, QoS maps and PFC of ports")


def _rows(plan: EthernetPlan) -> str:
    if plan.vcs is None:
        return ""
    return (
        f"| `{PFC}` | virtual channels, priorities and DSCPs; headroom in bytes per switch |\n"
        "| `vcs` | the certificate: virtual channels of all paths, and a rank of every (channel, virtual channel) that "
        "increases along every path |\n"
    )


def _lossless(plan: EthernetPlan) -> str:
    vcs = plan.vcs
    if vcs is None:
        return ""
    return f"""
## Lossless

Scheme `{vcs.spec}`: {vcs.num_vcs} virtual channels, each a priority of priority flow control; `{PFC}` has the mapping.
Before these files were written, freedom from deadlock was proved. The certificate is in `vcs`, and
`tulle deploy verify` checks it again.

* Hosts mark lossless traffic with the DSCP in `{PFC}`. If there is a file `hosts/NAME/dscp.csv`, the DSCP depends on
  the destination: the file has the DSCP of every prefix (for RDMA verbs, use the traffic class in its last column).
* Hosts obey PFC on these priorities. Unmarked traffic is lossy, and not covered by the proof.
* Broadcasts and multicast must stay unmarked. Traffic that is rerouted after failures must not use the plan's classes
  (Flattened Clos §2.1.3), unless `tulle deploy repair` has proved the new paths.
* Buffers: the headroom is computed for the rates and lengths of the fabric's links. Prefer the numbers of your
  switches' ASIC to the formula's defaults. `headroom_bytes` is what a switch needs in addition to its shared buffer.
"""
