"""``tulle deploy ovs``: what switches that run Open vSwitch are loaded with, as a bundle."""

from __future__ import annotations

from time import perf_counter
from typing import Annotated

import typer

from tulle.cli.deploy.linux import Deadlock, Ipv6, Out, Prefix, TableSize, planned_ethernet, print_deployed
from tulle.cli.network.fabric import Fail, Link, Spec  # noqa: TC001 - typer reads it
from tulle.cli.options.replace import Force  # noqa: TC001 - typer reads it
from tulle.cli.routing.route import Scheme  # noqa: TC001 - likewise
from tulle.cli.terminal.output import Json, Seed  # noqa: TC001 - likewise

FirstVlan = Annotated[int, typer.Option("--first-vlan", metavar="N", help="The VLAN of layer 0; the others follow.")]


def ovs(
    spec: Spec,
    routing: Scheme,
    out: Out,
    first_vlan: FirstVlan = 100,
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
    """Writes the bridge, groups and flows of every switch: a layer is a VLAN, and a MAC address tells its switch.

    The fabric is a spec, a file (file:edges=fabric.json, as tulle import writes it), or a folder of tulle cabling plan.
    """
    from tulle.deploy.targets.ovs import write_plan

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
        target="ovs",
        force=force,
    )
    written = write_plan(plan, out, first_vlan=first_vlan)
    print_deployed(plan, written, out, started, json)
