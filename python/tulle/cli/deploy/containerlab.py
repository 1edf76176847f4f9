"""``tulle deploy containerlab``: a fabric as a topology of containers."""

from __future__ import annotations

from time import perf_counter
from typing import Annotated, Literal

import typer

from tulle.cli.deploy.linux import Deadlock, Ipv6, Out, Prefix, TableSize, planned_ethernet, print_deployed
from tulle.cli.network.fabric import Fail, Link, Spec  # noqa: TC001 - typer reads it
from tulle.cli.options.replace import Force  # noqa: TC001 - likewise
from tulle.cli.routing.route import Scheme  # noqa: TC001 - likewise
from tulle.cli.terminal.output import Json, Seed  # noqa: TC001 - likewise

Name = Annotated[str, typer.Option("--name", metavar="NAME", help="The name of the lab.")]
Switches = Annotated[Literal["frr", "linux"], typer.Option("--switches", help="What switches run: frr or linux.")]
SwitchImage = Annotated[
    str | None, typer.Option("--switch-image", metavar="IMAGE", help="The image of switches, where it is another one.")
]
HostImage = Annotated[str | None, typer.Option("--host-image", metavar="IMAGE", help="The image of hosts.")]


def containerlab(
    spec: Spec,
    routing: Scheme,
    out: Out,
    name: Name = "tulle",
    switches: Switches = "frr",
    switch_image: SwitchImage = None,
    host_image: HostImage = None,
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
    """Writes a topology of containerlab with the files of its switches and what its hosts run, every path walked first.

    The fabric is a spec, a file (file:edges=fabric.json, as tulle import writes it), or a folder of tulle cabling plan.
    """
    from tulle.deploy.targets.containerlab import write_plan

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
        target="containerlab",
        force=force,
    )
    written = write_plan(plan, out, name=name, switches=switches, switch_image=switch_image, host_image=host_image)
    print_deployed(plan, written, out, started, json)
