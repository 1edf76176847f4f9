"""The target `frr`: switches that run FRR."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle.analysis.metrics.model import integer, word
from tulle.deploy.targets.model import Target
from tulle.registry import Declaration

if TYPE_CHECKING:
    from pathlib import Path

    from tulle.deploy.ethernet.plan import EthernetPlan
    from tulle.routing.routing import Routing
    from tulle.routing.vc_plan import VcPlan


def write_plan(
    plan: EthernetPlan, place: Path, *, link_prefix: str | None = None, spec: str | None = None
) -> list[Path]:
    """Writes a bundle."""
    from tulle.deploy.ethernet.frr import files, readme
    from tulle.deploy.ethernet.numbering import Numbering
    from tulle.deploy.ethernet.write import write_bundle

    links = Numbering.of(plan, link_prefix)
    options = {"link_prefix": str(links.base)}
    made = [*files(plan, links)]
    return write_bundle(plan, place, "frr", made, readme(plan, links), options=options, spec=spec)


def write(what: Routing | VcPlan, place: Path, *, ip: str, table: int | str) -> list[Path]:
    """Writes a bundle."""
    from tulle.deploy.ethernet.plan import plan_of

    return write_plan(plan_of(what, ipv6=ip == "v6", table_size=None if table == "any" else int(table)), place)


TARGET = Target(
    Declaration(
        name="frr",
        summary="switches that run FRR: zebra and staticd, numbered links, a tag per layer",
        parameters=[
            word("ip", ["v4", "v6"], "addresses of IPv4 or IPv6"),
            integer("table", 1, 1 << 30, "any", "prefix entries that a switch holds at most", "any"),
        ],
        paper="Besta et al.: FatPaths (SC20) §V-D, §V-E",
        limitations="Layers of tables alone, without shares of ports: FRR's static routes have none.",
        examples=["frr", "frr:ip=v6"],
    ),
    write,
)
