"""The target `srv6`: paths as lists of micro segments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tulle.declarations import Option
from tulle.deploy.bundle_header import ETHERNET
from tulle.deploy.targets.ethernet import (
    BUFFER,
    DEADLOCK,
    FILES,
    HEADROOM,
    LINK_PREFIX,
    LOSSLESS,
    LOSSLESS_FILES,
    PREFIX,
    name_notes,
)
from tulle.deploy.targets.model import Target, Written

if TYPE_CHECKING:
    from pathlib import Path

    from tulle.deploy.ethernet.pfc import Headroom
    from tulle.deploy.ethernet.source_routes import SourceRoutes
    from tulle.routing.routing import Routing
    from tulle.routing.vc_plan import VcPlan


def write_routes(
    made: SourceRoutes,
    place: Path,
    *,
    lossless: int | None = None,
    memory: int | None = None,
    sizes: Headroom | None = None,
    sonic: bool = False,
    spec: str | None = None,
) -> list[Path]:
    """Write a bundle; with `sonic`, also the files for switches that run SONiC."""
    from dataclasses import replace

    from tulle.deploy.ethernet import srv6, srv6_pfc, srv6_sonic
    from tulle.deploy.ethernet.port_names import LINUX, named
    from tulle.deploy.ethernet.write import write_bundle

    made = replace(made, plan=named(made.plan, LINUX))
    files = [*srv6.files(made), *srv6_pfc.files(made, lossless=lossless, memory=memory, sizes=sizes)]
    files += srv6_sonic.files(made) if sonic else ()
    options: dict[str, Any] = {"block": str(made.block.base), "link_prefix": str(made.numbering.base)}
    options |= {"sonic": True} if sonic else {}
    tables = bool(made.plan.routing.num_layers)
    return write_bundle(
        made.plan, place, "srv6", files, srv6.readme(made, sonic=sonic), options=options, spec=spec, neutral=tables
    )


def write(
    what: Routing | VcPlan,
    place: Path,
    *,
    block: str,
    sonic: bool,
    prefix: str | None,
    link_prefix: str | None,
    lossless: int | None,
    buffer: int | None,
    headroom: Headroom | None,
) -> Written:
    """Write a bundle."""
    from tulle.deploy.ethernet.source_routes import source_routes

    made = source_routes(what, prefix=prefix, block=block, link_prefix=link_prefix)
    paths = write_routes(made, place, lossless=lossless, memory=buffer, sizes=headroom, sonic=sonic)
    plan = made.plan
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
    }
    return Written(paths, fields, notes=name_notes(plan))


TARGET = Target(
    name="srv6",
    summary="source routes from tables or explicit paths: micro segments of SRv6 for Linux and FRR",
    paper="RFC 9800 (NEXT-CSID), RFC 8986; FatPaths (SC20) §V-D; Zhang et al.: Flattened Clos (NSDI23) §2.1",
    limitations="Only IPv6. The lowest of equal-cost ports is used, weights are ignored. Bundles cannot be verified "
    "or repaired; after failures, write a new bundle.",
    examples=("srv6", "srv6 --sonic", "srv6 --deadlock dfsssp --lossless 2"),
    help="Writes source routes from tables or explicit paths (redksp, virtual-updown) as lists of SRv6 micro segments.",
    options=(
        Option(
            "block",
            str,
            "IPv6 prefix (a /32) that contains all micro segments.",
            metavar="PREFIX",
            default="fcbb:bb00::/32",
            legal="a /32 of IPv6",
        ),
        Option("sonic", bool, "Also write the tables of segments and the source routes for SONiC.", default=False),
        *(PREFIX, LINK_PREFIX, DEADLOCK, LOSSLESS, BUFFER, HEADROOM),
    ),
    write=write,
    format=ETHERNET,
    files=FILES | {"hosts", "srv6.json"},
    lossless_files=LOSSLESS_FILES | {"pfc.json"},
    is_verifiable=False,
)
