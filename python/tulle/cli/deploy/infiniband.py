"""``tulle deploy infiniband``: what a subnet of OpenSM is loaded with, as a bundle."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

import typer

from tulle.cli.network.fabric import Fail, Link, Spec, build, routing_of, say_warnings
from tulle.cli.options import destination
from tulle.cli.options.replace import INFINIBAND, Force, check_replaced
from tulle.cli.routing.route import Scheme  # noqa: TC001 - typer reads it
from tulle.cli.terminal.output import Json, Seed, print_fields, print_json

Lmc = Annotated[
    int, typer.Option("--lmc", metavar="N", help="An adapter port has 2^N LIDs, one per layer.", show_default=True)
]
Deadlock = Annotated[
    str, typer.Option("--deadlock", metavar="SCHEME", help="The scheme of virtual lanes, as colouring or dfsssp:vcs=8.")
]
Vls = Annotated[int, typer.Option("--vls", metavar="N", help="Data VLs that every port has: 1, 2, 4, 8 or 15.")]
Compact = Annotated[
    bool, typer.Option("--compact", help="Forwarding tables without comments: OpenSM takes LIDs as they stand.")
]
At = Annotated[
    str | None,
    typer.Option("--at", metavar="PATH", help="Where the folder will lie on the subnet manager's machine."),
]
Bind = Annotated[
    Path | None,
    typer.Option("--bind", metavar="FILE", help="Take GUIDs from this ibnetdiscover output of the cabled fabric."),
]
Out = Annotated[
    Path, typer.Option("-o", "--out", metavar="DIR", callback=destination.folder, help="The folder of the bundle.")
]


def infiniband(
    spec: Spec,
    routing: Scheme,
    out: Out,
    lmc: Lmc = 2,
    deadlock: Deadlock = "dfsssp",
    vls: Vls = 8,
    compact: Compact = False,
    at: At = None,
    bind: Bind = None,
    force: Force = False,
    seed: Seed = 0,
    link: Link = None,
    fail: Fail = None,
    json: Json = False,
) -> None:
    """Writes what a stock OpenSM and the hosts are set up with, all paths proved and walked first.

    The fabric is a spec, a file (file:edges=fabric.json, as tulle import writes it), or a folder of tulle cabling plan.
    """
    from tulle.deploy.infiniband.bind import bound
    from tulle.deploy.infiniband.generate import deploy_infiniband
    from tulle.deploy.infiniband.names import check_ports
    from tulle.deploy.infiniband.write import write_bundle
    from tulle.deploy.planned import planned

    started = perf_counter()
    fabric = planned(spec) or build(spec, seed, fail, link)
    check_replaced(out, INFINIBAND, fabric, force=force)
    check_ports(fabric)
    say_warnings(fabric)
    if bind is not None:
        fabric = bound(fabric, bind)
    plan = routing_of(fabric, routing, seed).assign_vcs(deadlock)
    made = deploy_infiniband(plan, lmc=lmc, vls=vls)
    written = write_bundle(made, out, compact=compact, at=at)
    fields: dict[str, Any] = {
        "fabric": fabric.spec,
        "routing": plan.routing.spec,
        "deadlock": plan.spec,
        "switches": fabric.num_switches,
        "endpoints": fabric.num_endpoints,
        "lmc": lmc,
        "layers": plan.routing.num_layers,
        "lids": made.top_lid,
        "vls": plan.num_vcs,
        "sls": plan.num_sls,
        "multicast_sl": made.multicast_sl,
        "paths": made.walked.paths,
        "hops": [counts.tolist() for counts in made.walked.hops],
        "dependencies": made.walked.dependencies,
        "seconds": round(perf_counter() - started, 3),
    }
    if json:
        print_json({**fields, "written": [str(path) for path in written]})
        return
    fields["hops"] = max(len(counts) for counts in fields["hops"]) - 1
    print_fields({name: value for name, value in fields.items() if value is not None} | {"written": str(out)})
