"""The files of a SONiC bundle: the configuration of every switch, what hosts mark packets with, what to do with it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from tulle.deploy.ethernet import pfc_sonic, sonic
from tulle.deploy.ethernet.pfc import MOST_LOSSLESS, Headroom, priorities
from tulle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tulle.deploy.ethernet.numbering import Numbering
    from tulle.deploy.ethernet.pfc import Priorities
    from tulle.deploy.ethernet.plan import EthernetPlan
    from tulle.deploy.ethernet.sonic import HardwarePort, Table

__all__ = ["PFC", "files", "marks_text", "pfc_text", "readme"]

PFC = "pfc.json"
"""How virtual channels, priorities and DSCPs are of each other, and the headroom of every switch."""


def files(
    plan: EthernetPlan,
    numbering: Numbering,
    *,
    vlans: bool = False,
    hardware: tuple[HardwarePort, ...] | None = None,
    lossless: int | None = None,
    memory: int | None = None,
    sizes: Headroom | None = None,
) -> Iterator[tuple[str, str]]:
    """The files of all switches and, of a plan with virtual channels, priority flow control.

    Raises
    ------
    tulle.InputError
        For a plan that the switches cannot hold.
    """
    if plan.vcs is None:
        if lossless is not None or memory is not None or sizes is not None:
            raise InputError(
                "--lossless, --buffer and --headroom are of lossless networks; legal: with --deadlock SCHEME"
            )
        yield from sonic.files(plan, numbering, vlans=vlans, hardware=hardware)
        return
    found = priorities(plan.vcs, MOST_LOSSLESS if lossless is None else lossless)
    sizes = sizes or Headroom()

    def more(switch: int) -> dict[str, Table]:
        names = {port.number: sonic.hardware_port(plan, switch, port, hardware).name for port in plan.ports[switch]}
        tables = pfc_sonic.tables(plan, switch, names, found, sizes, memory)
        model = "dynamic" if memory is None else "traditional"
        return {**tables, "DEVICE_METADATA": {"localhost": {"buffer_model": model}}}

    yield from sonic.files(plan, numbering, vlans=vlans, hardware=hardware, more=more)
    yield PFC, pfc_text(plan, found, sizes)
    if len(set(found.of_sl)) > 1:
        for host in plan.hosts:
            yield f"hosts/{host.name}/dscp.csv", _marks(plan, host.switch, found)


def pfc_text(plan: EthernetPlan, found: Priorities, sizes: Headroom) -> str:
    """``pfc.json``."""
    vcs = plan.vcs
    assert vcs is not None
    headrooms = {
        name: pfc_sonic.headroom_of_switch(plan, switch, found, sizes)[0] for switch, name in enumerate(plan.names)
    }
    told: dict[str, Any] = {
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
    return json.dumps(told, indent=1) + "\n"


def _marks(plan: EthernetPlan, switch: int, found: Priorities) -> str:
    """Of the hosts of a switch: the DSCP toward every prefix, and the traffic class that RDMA verbs take it as."""
    vcs = plan.vcs
    assert vcs is not None
    rows = []
    for layer in range(plan.num_layers):
        levels = np.asarray(vcs.sl[layer, switch]).tolist()
        for destination, prefix in zip(plan.destinations, plan.prefixes[layer], strict=True):
            rows.append((prefix, found.of_sl[0 if destination == switch else levels[destination]]))
    return marks_text(rows)


def marks_text(rows: Iterable[tuple[str, int]]) -> str:
    """``dscp.csv`` of prefixes and their DSCPs."""
    return "prefix,dscp,traffic_class\n" + "".join(f"{prefix},{dscp},{dscp << 2}\n" for prefix, dscp in rows)


def readme(plan: EthernetPlan, numbering: Numbering, *, vlans: bool) -> str:
    """The text of ``README.md``."""
    fabric, addressing = plan.fabric, plan.addressing
    port = "eth0.VLAN" if vlans else "eth0"
    layers = (
        f"Layer *l* is VRF `VrfLayer`*l*: VLAN {sonic.FIRST_VLAN} + *l* on cables, {sonic.HOSTS_VLAN + 1} + *l* toward "
        f"hosts."
        if vlans
        else f"Layer *l* of a host is an address of its own, in `{addressing.layer_prefix(0)}` for layer 0; hosts are "
        f"in "
        f"`Vlan{sonic.HOSTS_VLAN}` of their switch."
    )
    return f"""# {fabric.spec}: {plan.routing.spec} on SONiC

{plan.sizes}. {layers}
Links are /{numbering.length} of `{numbering.base}`. The gateway of a host is the last address but one of its prefix.
{plan.num_entries} static routes, at most {int(plan.entries_per_switch.max())} on a switch. All {plan.walked.paths}
paths (layer, switch, destination) were walked by them before this was written: each leads to its destination, at most
{plan.walked.most_hops} hops, and none leads around.

| file | what it is |
|---|---|
| `switches/NAME/config_db.json` | ports, links, loopback, neighbours, VLANs, static routes{_tables(plan)} |
{_rows(plan)}| `plan.json`, `plan.schema.json` | all of it for other programs, and its JSON schema |
| `fabric.json`, `routing.tulle` | what is meant, for `tulle deploy verify` |
| `bundle.json` | sizes and SHA-256 of all others; while it is missing the bundle is not whole |

## Load it

1. Ports are named for switches of four lanes a port; `--port-config` takes the platform's `port_config.ini` instead.
2. On every switch keep what is there and load the file over it; what SONiC knows of its own hardware (`hwsku`,
   `platform`, `mac`) stays:

       sudo cp /etc/sonic/config_db.json /etc/sonic/config_db.before.json
       sudo config load config_db.json -y
       sudo config save -y

3. Hosts: per layer an address and a route from it, by way of its gateway, the last address but one of its prefix:

{_host_steps(plan, vlans=vlans)}       ip address add ADDRESS/{addressing.switch_length} dev {port}
       ip route add LAYER-PREFIX via GATEWAY dev {port} src ADDRESS

4. {_verify(plan, vlans=vlans)}

Go back: `sudo config reload /etc/sonic/config_db.before.json -y`.
{_lossless(plan)}"""


def _host_steps(plan: EthernetPlan, *, vlans: bool) -> str:
    if not vlans:
        return ""
    last = sonic.HOSTS_VLAN + plan.num_layers
    return f"       ip link add link eth0 name eth0.VLAN type vlan id VLAN   # {sonic.HOSTS_VLAN + 1} to {last}\n"


def _verify(plan: EthernetPlan, *, vlans: bool) -> str:
    show = "show ip route" if plan.addressing.version == 4 else "show ipv6 route"
    if vlans:
        return f"Look: `vtysh -c '{show} vrf all'` has the routes of every layer."
    return (
        f"Verify: on every switch `vtysh -c '{show} json' > NAME.json`, then `tulle deploy verify BUNDLE --frr FOLDER`."
    )


def _tables(plan: EthernetPlan) -> str:
    return "" if plan.vcs is None else "; buffers, QoS maps and PFC of ports"


def _rows(plan: EthernetPlan) -> str:
    if plan.vcs is None:
        return ""
    return (
        f"| `{PFC}` | virtual channels, priorities and DSCPs; headroom in bytes per switch |\n"
        "| `vcs` | the certificate: virtual channels of all paths, and a rank of every (channel, virtual channel) that "
        "rises "
        "along each |\n"
    )


def _lossless(plan: EthernetPlan) -> str:
    vcs = plan.vcs
    if vcs is None:
        return ""
    return f"""
## Lossless

Scheme `{vcs.spec}`: {vcs.num_vcs} virtual channels, each a priority of priority flow control; `{PFC}` has which. That
no packets wait for each other in a circle was proved before this was written; the certificate is `vcs`, and `tulle
deploy verify` checks it anew.

* Hosts mark what is to be lossless with the DSCP of `{PFC}`, or of `hosts/NAME/dscp.csv` by prefix (RDMA verbs: the
  traffic class in the last column), and honour PFC on these priorities. Unmarked traffic is lossy, and no part of the
  proof.
* Broadcasts and multicast must stay unmarked, and what is rerouted after failures must not be in the plan's classes
  (Flattened Clos §2.1.3); `tulle deploy repair` proves what it changes.
* Buffers: pools and headroom are for links as the fabric has them. The numbers of your switches' ASIC go before the
  defaults of the formula; `headroom_bytes` has what a switch must have beside its shared buffer.
"""
