"""The files of a SONiC bundle: the configuration of switches, and the addresses and DSCPs of hosts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from tulle.deploy.ethernet import pfc_sonic, sonic, sonic_trim
from tulle.deploy.ethernet.pfc import MOST_LOSSLESS, Headroom, priorities
from tulle.deploy.ethernet.sonic_hosts import HOSTS, hosts_csv
from tulle.deploy.ethernet.sonic_ports import sonic_names
from tulle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tulle.deploy.ethernet.numbering import Numbering
    from tulle.deploy.ethernet.pfc import Priorities
    from tulle.deploy.ethernet.plan import EthernetPlan
    from tulle.deploy.ethernet.sonic import Table
    from tulle.deploy.ethernet.sonic_ports import Hardware

__all__ = ["PFC", "files", "marks_text", "pfc_text"]

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
    yield HOSTS, hosts_csv(sonic_names(plan, hardware), vlans=vlans)
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
