"""The target `toy`: a greeting per switch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle.declarations import Option
from tulle.deploy.bundle_header import ETHERNET
from tulle.deploy.targets.ethernet import FILES, IPV6, written
from tulle.deploy.targets.model import Target, Written

if TYPE_CHECKING:
    from pathlib import Path

    from tulle.routing.routing import Routing
    from tulle.routing.vc_plan import VcPlan


def write(what: Routing | VcPlan, place: Path, *, greeting: str, times: int, ipv6: bool) -> Written:
    """Writes a bundle."""
    from tulle.deploy.ethernet.plan import plan_of
    from tulle.deploy.ethernet.write import write_bundle

    plan = plan_of(what, ipv6=ipv6)
    files = [(f"switches/{name}/greeting", f"{greeting * times} {name}\n") for name in plan.names]
    paths = write_bundle(plan, place, "toy", [*files, ("toy.txt", "a toy\n")], "# A toy\n")
    return written(plan, paths)


TARGET = Target(
    name="toy",
    summary="switches that greet",
    paper="none",
    limitations="For tests.",
    examples=("toy", "toy --greeting bye --times 2"),
    help="Writes a greeting of every switch.",
    options=(
        Option("greeting", ("hello", "bye"), "What switches say.", default="hello"),
        Option("times", int, "How often they say it.", metavar="N", default=1, least=1, most=3),
        IPV6,
    ),
    write=write,
    format=ETHERNET,
    files=FILES | {"toy.txt"},
)
