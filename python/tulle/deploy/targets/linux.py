"""The target `linux`: switches and hosts that run Linux."""

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


def write_plan(plan: EthernetPlan, place: Path, *, spec: str | None = None) -> list[Path]:
    """Writes a bundle."""
    from tulle.deploy.ethernet.linux import files, readme
    from tulle.deploy.ethernet.write import write_bundle

    return write_bundle(plan, place, "linux", files(plan), readme(plan), spec=spec)


def write(what: Routing | VcPlan, place: Path, *, ip: str, table: int | str) -> list[Path]:
    """Writes a bundle."""
    from tulle.deploy.ethernet.plan import plan_of

    return write_plan(plan_of(what, ipv6=ip == "v6", table_size=None if table == "any" else int(table)), place)


TARGET = Target(
    Declaration(
        name="linux",
        summary="switches and hosts that run Linux: addresses, neighbours and routes for iproute2, unnumbered links",
        parameters=[
            word("ip", ["v4", "v6"], "addresses of IPv4 or IPv6"),
            integer("table", 1, 1 << 30, "any", "prefix entries that a switch holds at most", "any"),
        ],
        paper="Besta et al.: FatPaths (SC20) §V-D, §V-E",
        limitations="Layers of tables alone. Nothing looks for failures: `tulle deploy repair` mends.",
        examples=["linux", "linux:ip=v6", "linux:table=1000"],
    ),
    write,
)
