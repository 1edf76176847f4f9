"""``tulle deploy frr``: what switches that run FRR are loaded with, as a bundle."""

from __future__ import annotations

from time import perf_counter
from typing import Annotated

import typer

from tulle.cli.deploy.linux import (
    Deadlock,
    Gap,
    Hosts,
    Ipv6,
    Out,
    Prefix,
    TableSize,
    planned_ethernet,
    print_deployed,
)
from tulle.cli.network.fabric import Fail, Link, Spec  # noqa: TC001 - typer reads it
from tulle.cli.options.replace import Force  # noqa: TC001 - typer reads it
from tulle.cli.routing.route import Scheme  # noqa: TC001 - likewise
from tulle.cli.terminal.output import Json, Seed  # noqa: TC001 - likewise

LinkPrefix = Annotated[
    str | None,
    typer.Option("--link-prefix", metavar="PREFIX", help="The addresses of links are in it, as 172.16.0.0/16."),
]


def frr(
    spec: Spec,
    routing: Scheme,
    out: Out,
    link_prefix: LinkPrefix = None,
    hosts: Hosts = "mptcp",
    flowlet_gap: Gap = "50ms",
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
    """Writes frr.conf of every switch: numbered links, static routes with a tag per layer, every path walked first.

    The fabric is a spec, a file (file:edges=fabric.json, as tulle import writes it), or a folder of tulle cabling plan.
    """
    from tulle.deploy.ethernet.hosts import host_mode, milliseconds
    from tulle.deploy.targets.frr import write_plan

    started = perf_counter()
    mode, gap_ms = host_mode(hosts), milliseconds(flowlet_gap)
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
        target="frr",
        force=force,
    )
    written = write_plan(plan, out, link_prefix=link_prefix, hosts=mode, gap_ms=gap_ms)
    print_deployed(plan, written, out, started, json)
