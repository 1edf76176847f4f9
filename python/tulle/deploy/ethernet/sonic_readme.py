"""``README.md`` of a SONiC bundle."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from tulle.deploy.ethernet import sonic
from tulle.deploy.ethernet.bgp import WHEN_CABLES_FAIL
from tulle.deploy.ethernet.readme_parts import FAILURES, WHERE, backup, repair_steps
from tulle.deploy.ethernet.sonic_files import PFC
from tulle.deploy.ethernet.sonic_hosts import HOSTS, HOSTS_VLAN
from tulle.deploy.ethernet.sonic_ports import hardware_at

if TYPE_CHECKING:
    from tulle.deploy.ethernet.numbering import Numbering
    from tulle.deploy.ethernet.plan import EthernetPlan
    from tulle.deploy.ethernet.sonic_ports import Hardware

__all__ = ["BACKUP", "FRR_BACKUP", "FRR_RESTORE", "RESTORE", "readme"]


def readme(
    plan: EthernetPlan,
    numbering: Numbering | None,
    *,
    vlans: bool,
    bfd: bool = False,
    trim: int | None = None,
    hardware: Hardware = None,
) -> str:
    """Write ``README.md``. The parameters are those of the bundle."""
    fabric, addressing = plan.fabric, plan.addressing
    port = "eth0.VLAN" if vlans else "eth0"
    layers = (
        f"Layer *l* is VRF `VrfLayer`*l*: VLAN {sonic.FIRST_VLAN} + *l* on cables, {HOSTS_VLAN + 1} + *l* toward hosts."
        if vlans
        else f"Every host has an address per layer, in `{addressing.layer_prefix(0)}` for layer 0; hosts are in "
        f"`Vlan{HOSTS_VLAN}` of their switch."
    )
    links = f"Links are /{numbering.length} of `{numbering.base}`." if numbering else "Links have no addresses."
    routes = "static routes" if numbering else "prefixes that BGP learns"
    return f"""# {fabric.spec}: {plan.spec} on SONiC

{plan.sizes}. {layers}
{links} `{HOSTS}` has the addresses and gateways of hosts; the gateways are in the table
`VLAN_INTERFACE` of their switch's `config_db.json`.
{plan.num_entries} {routes}, at most {int(plan.entries_per_switch.max())} on a switch. Before these files
were written, all {plan.walked.paths} paths (layer, switch, destination) were followed through them: each leads to its
destination in at most {plan.walked.most_hops} hops, and none loops.

| file | what it is |
|---|---|
| `switches/NAME/config_db.json` | ports, links, loopback, neighbours, VLANs{_tables(plan, numbering)} |
| `{HOSTS}` | switch, port, interface of each host; address, layer prefix and gateway in each layer |
{_rows(plan)}| `ports.csv` | SONiC's name of every port, its name in the fabric, and what is connected to it |
| `plan.json`, `plan.schema.json` | the whole plan for other programs, and its JSON schema |
| `fabric.json`, `routing.tulle` | the planned fabric and routing, for `tulle deploy verify` |
| `bundle.json` | sizes and SHA-256 of all other files; without it the bundle is incomplete |

## Load it

1. {_PORTS if hardware is None else _PLATFORM}{_breakout(plan, hardware)}
2. Copy `switches/NAME` to each switch. Run these commands in the copied folder. They save the current configuration and
   load the file over it: rows of the file replace rows with the same keys, and all other rows stay, for example SONiC's
   settings for its own hardware (`hwsku`, `platform`, `mac`). Remove rows of your own that contradict the plan, for
   example other addresses of the same ports.

       {BACKUP}
       sudo config load config_db.json -y
       sudo config save -y
{"" if numbering else _BGP_STEP}
3. On every host add for each layer an address, and a route from it through the gateway of the layer. `{HOSTS}` has a
   row per host and layer. The words in capital letters are its columns, and `eth0` stands for its column `interface`:

{_host_steps(vlans=vlans)}       ip address replace ADDRESS/{addressing.switch_length} dev {port}
       ip route replace LAYER_PREFIX via GATEWAY dev {port} src ADDRESS

4. {_verify(plan, vlans=vlans)}

`{_CONFIG[1]}` keeps the site's configuration, even if you repeat step 2. To go back on a switch:

{"" if numbering else _BGP_BACK}    {RESTORE}
    sudo config reload -y

{_failures(plan, bfd=bfd) if numbering else WHEN_CABLES_FAIL}{_trimming(trim)}{_lossless(plan)}"""


_PORTS = """\
`ports.csv` has SONiC's name of every port. tulle did not know the platform: every port has four lanes, a made-up alias
   such as `Eth1`, and no breakout mode. **Do not load this on switches with other lanes or aliases**: write the bundle
   again with `--port-config` and the platform's `port_config.ini` or `platform.json`. Device types, speeds and forward
   error correction (`fec`) are in `config_db.json`.
"""
_PLATFORM = """\
`ports.csv` has SONiC's name of every port. Names and lanes are those of the platform file that `--port-config` named.
   Device types, speeds and forward error correction (`fec`) are in `config_db.json`.
"""


def _breakout(plan: EthernetPlan, hardware: Hardware) -> str:
    """Return the step that breaks out ports; empty if no port in use has a breakout mode."""
    ports = ((switch, port) for switch, ports in enumerate(plan.ports) for port in ports)
    modes = {own.parent: own.mode for switch, port in ports if (own := hardware_at(plan, switch, port, hardware)).mode}
    if not modes:
        return ""
    first = min(modes)
    return f"""\
   The table `BREAKOUT_CFG` of this file has ports with their breakout modes. First break out each of these ports, for
   example:

       sudo config interface breakout {first} {shlex.quote(modes[first])} -y -f
"""


def _failures(plan: EthernetPlan, *, bfd: bool) -> str:
    return f"{FAILURES}\n{_BFD if bfd else ''}{repair_steps(plan)}"


def _host_steps(*, vlans: bool) -> str:
    if not vlans:
        return ""
    return """\
       ip link add link eth0 name eth0.VLAN type vlan id VLAN
       ip link set eth0.VLAN up
"""


def _verify(plan: EthernetPlan, *, vlans: bool) -> str:
    show = "show ip route" if plan.addressing.version == 4 else "show ipv6 route"
    if vlans:
        return f"Check: `vtysh -c '{show} vrf all'` shows the routes of every layer."
    return (
        f"Verify: on every switch NAME `vtysh -c '{show} json' > NAME.json`. Then run\n"
        f"   `tulle deploy verify BUNDLE --frr FOLDER`, {WHERE}."
    )


_CONFIG = "/etc/sonic/config_db.json", "/etc/sonic/config_db.before.json"
_FRR = "/etc/sonic/frr/frr.conf", "/etc/sonic/frr/frr.conf.before"

BACKUP = backup(*_CONFIG, "sudo")
"""The command that saves the site's configuration."""
RESTORE = f"sudo mv {_CONFIG[1]} {_CONFIG[0]}"
"""The command that restores it. The copy is moved, so that the next deployment makes a new one."""
FRR_BACKUP = f"{backup(*_FRR, 'sudo')} || sudo touch {_FRR[1]}"
"""The command that saves the configuration of the FRR container.

The container uses the file if DEVICE_METADATA has docker_routing_config_mode split-unified. In other modes the file may
be missing. The copy is then empty, so that a second run of the step does not save the bundle's file.
"""
FRR_RESTORE = f"sudo mv {_FRR[1]} {_FRR[0]}"
"""The command that restores the configuration of the FRR container."""

_BGP_STEP = f"""
   The file `frr.conf` replaces the whole configuration of SONiC's FRR container:

       {FRR_BACKUP}
       sudo install -m 640 -o 300 -g 300 frr.conf {_FRR[0]}
       sudo config feature state bgp enabled && sudo systemctl restart bgp
"""
_BGP_BACK = f"    {FRR_RESTORE}\n"


# The intervals are those of SONiC's program staticroutebfd.
_BFD = """\
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
