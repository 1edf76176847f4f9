"""The target `srv6`: paths as lists of micro segments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle.declarations import Declaration, integer
from tulle.deploy.targets.model import Target

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
    spec: str | None = None,
) -> list[Path]:
    """Writes a bundle."""
    from tulle.deploy.ethernet import srv6, srv6_pfc
    from tulle.deploy.ethernet.write import write_bundle

    files = [*srv6.files(made), *srv6_pfc.files(made, lossless=lossless, memory=memory, sizes=sizes)]
    options = {"block": str(made.block.base), "link_prefix": str(made.numbering.base)}
    tables = bool(made.plan.routing.num_layers)
    return write_bundle(made.plan, place, "srv6", files, srv6.readme(made), options=options, spec=spec, neutral=tables)


def write(what: Routing | VcPlan, place: Path, *, lossless: int | str) -> list[Path]:
    """Writes a bundle."""
    from tulle.deploy.ethernet.source_routes import source_routes

    return write_routes(source_routes(what), place, lossless=None if lossless == "any" else int(lossless))


TARGET = Target(
    Declaration(
        name="srv6",
        summary="source routes of tables or explicit paths: micro segments of SRv6 for Linux and FRR",
        parameters=[integer("lossless", 1, 7, "any", "lossless priorities that switches have", "any")],
        paper="RFC 9800 (NEXT-CSID), RFC 8986; FatPaths (SC20) §V-D; Zhang et al.: Flattened Clos (NSDI23) §2.1",
        limitations="IPv6 alone. Of equal-cost ports the lowest is taken, and shares are not told apart. Neither "
        "verified "
        "nor repaired: write it anew.",
        examples=["srv6", "srv6:lossless=2"],
    ),
    write,
)
