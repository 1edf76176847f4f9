"""``tulle deploy srv6``: paths as lists of micro segments, as a bundle."""

from __future__ import annotations

from time import perf_counter
from typing import Annotated

import typer

from tulle.cli.deploy.frr import LinkPrefix  # noqa: TC001 - typer reads it
from tulle.cli.deploy.linux import Deadlock, Out, Prefix, say_port_names
from tulle.cli.deploy.sonic import Buffer, HeadroomSizes, Lossless  # noqa: TC001 - likewise
from tulle.cli.network.fabric import Fail, Link, Spec, build, routing_of, say_warnings
from tulle.cli.options.replace import Force, check_replaced, ethernet
from tulle.cli.routing.route import Scheme  # noqa: TC001 - likewise
from tulle.cli.terminal.output import Json, Seed, print_fields, print_json

BlockPrefix = Annotated[str, typer.Option("--block", metavar="PREFIX", help="The /32 that micro segments are in.")]


def srv6(
    spec: Spec,
    routing: Scheme,
    out: Out,
    block: BlockPrefix = "fcbb:bb00::/32",
    prefix: Prefix = None,
    link_prefix: LinkPrefix = None,
    deadlock: Deadlock = None,
    lossless: Lossless = None,
    buffer: Buffer = None,
    headroom: HeadroomSizes = None,
    force: Force = False,
    seed: Seed = 0,
    link: Link = None,
    fail: Fail = None,
    json: Json = False,
) -> None:
    """Writes source routes of tables or explicit paths (redksp, virtual-updown): lists of micro segments of SRv6.

    The fabric is a spec, a file (file:edges=fabric.json, as tulle import writes it), or a folder of tulle cabling plan.
    """
    from tulle.deploy.ethernet.pfc import read_headroom
    from tulle.deploy.ethernet.source_routes import source_routes
    from tulle.deploy.planned import planned
    from tulle.deploy.targets.sonic import read_buffer
    from tulle.deploy.targets.srv6 import write_routes

    started = perf_counter()
    fabric = planned(spec) or build(spec, seed, fail, link)
    check_replaced(out, ethernet("srv6"), fabric, force=force, lossless=deadlock is not None)
    say_warnings(fabric)
    routed = routing_of(fabric, routing, seed)
    what = routed if deadlock is None else routed.assign_vcs(deadlock)
    made = source_routes(what, prefix=prefix, block=block, link_prefix=link_prefix)
    memory = None if buffer is None else read_buffer(buffer)
    sizes = None if headroom is None else read_headroom(headroom)
    written = write_routes(made, out, lossless=lossless, memory=memory, sizes=sizes)
    plan = made.plan
    say_port_names(fabric, plan)
    fields = {
        "fabric": plan.fabric.spec,
        "routing": plan.routing.spec,
        "deadlock": None if plan.vcs is None else plan.vcs.spec,
        "switches": plan.fabric.num_switches,
        "endpoints": plan.fabric.num_endpoints,
        "paths_per_pair": plan.num_layers,
        "source_routes": sum(map(len, made.routes)),
        "most_segments": made.most_segments,
        "most_addresses": max((len(route.addresses) for routes in made.routes for route in routes), default=0),
        "block": str(made.block.base),
        "seconds": round(perf_counter() - started, 3),
    }
    if json:
        print_json({**fields, "written": [str(path) for path in written]})
    else:
        print_fields({name: value for name, value in fields.items() if value is not None} | {"written": str(out)})
