"""``tulle deploy sonic``: what switches that run SONiC are loaded with, as a bundle."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import Annotated

import typer

from tulle.cli.deploy.frr import LinkPrefix  # noqa: TC001 - likewise
from tulle.cli.deploy.linux import Deadlock, Ipv6, Out, Prefix, TableSize, planned_ethernet, print_deployed
from tulle.cli.network.fabric import Fail, Link, Spec  # noqa: TC001 - typer reads it
from tulle.cli.options.replace import Force  # noqa: TC001 - typer reads it
from tulle.cli.routing.route import Scheme  # noqa: TC001 - likewise
from tulle.cli.terminal.output import Json, Seed  # noqa: TC001 - likewise

Vlans = Annotated[bool, typer.Option("--vlans", help="A layer is a VLAN on every cable and a VRF on every switch.")]
PortConfig = Annotated[
    Path | None,
    typer.Option("--port-config", metavar="FILE", help="The platform's port_config.ini: names and lanes of its ports."),
]
Lossless = Annotated[
    int | None, typer.Option("--lossless", metavar="N", help="Lossless priorities that switches have, 1 to 7.")
]
HeadroomSizes = Annotated[
    str | None,
    typer.Option("--headroom", metavar="KEY=BYTES,…", help="Sizes of your ASIC, as cell=96,mac_phy=819,mtu=9216."),
]
Buffer = Annotated[
    str | None,
    typer.Option("--buffer", metavar="SIZE", help="Packet buffer of a switch, as 32MiB; else SONiC sizes its pools."),
]


def sonic(
    spec: Spec,
    routing: Scheme,
    out: Out,
    vlans: Vlans = False,
    link_prefix: LinkPrefix = None,
    port_config: PortConfig = None,
    lossless: Lossless = None,
    buffer: Buffer = None,
    headroom: HeadroomSizes = None,
    ipv6: Ipv6 = False,
    prefix: Prefix = None,
    table_size: TableSize = None,
    deadlock: Deadlock = None,
    force: Force = False,
    seed: Seed = 0,
    link: Link = None,
    fail: Fail = None,
    json: Json = False,
) -> None:
    """Writes config_db.json of every switch; with --deadlock priority flow control for a plan that is proved.

    The fabric is a spec, a file (file:edges=fabric.json, as tulle import writes it), or a folder of tulle cabling plan.
    """
    from tulle.deploy.ethernet.pfc import read_headroom
    from tulle.deploy.ethernet.sonic import hardware_ports
    from tulle.deploy.targets.sonic import read_buffer, write_plan

    started = perf_counter()
    plan = planned_ethernet(
        spec,
        routing,
        seed,
        link,
        fail,
        ipv6=ipv6,
        prefix=prefix,
        table_size=table_size,
        deadlock=deadlock,
        out=out,
        target="sonic",
        force=force,
        gateways=True,
    )
    written = write_plan(
        plan,
        out,
        vlans=vlans,
        link_prefix=link_prefix,
        hardware=None if port_config is None else hardware_ports(port_config),
        lossless=lossless,
        buffer=None if buffer is None else read_buffer(buffer),
        sizes=None if headroom is None else read_headroom(headroom),
    )
    print_deployed(plan, written, out, started, json)
