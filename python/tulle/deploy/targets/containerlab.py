"""The target `containerlab`: a topology of containers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from tulle.declarations import Declaration, word
from tulle.deploy.targets.model import Target

if TYPE_CHECKING:
    from pathlib import Path

    from tulle.deploy.ethernet.plan import EthernetPlan
    from tulle.routing.routing import Routing
    from tulle.routing.vc_plan import VcPlan

Switches = Literal["frr", "linux"]


def write_plan(
    plan: EthernetPlan,
    place: Path,
    *,
    name: str = "tulle",
    switches: Switches = "frr",
    switch_image: str | None = None,
    host_image: str | None = None,
    spec: str | None = None,
) -> list[Path]:
    """Writes a bundle."""
    from tulle.deploy.ethernet import containerlab
    from tulle.deploy.ethernet.write import write_bundle

    made = [*containerlab.files(plan, name=name, switches=switches, switch_image=switch_image, host_image=host_image)]
    text = containerlab.readme(plan, name, switches)
    options = {"name": name, "switches": switches}
    return write_bundle(plan, place, "containerlab", made, text, options=options, spec=spec)


def write(what: Routing | VcPlan, place: Path, *, ip: str, switches: Switches) -> list[Path]:
    """Writes a bundle."""
    from tulle.deploy.ethernet.plan import plan_of

    return write_plan(plan_of(what, ipv6=ip == "v6"), place, switches=switches)


TARGET = Target(
    Declaration(
        name="containerlab",
        summary="a topology of containers: switches that run FRR or Linux, hosts with MPTCP",
        parameters=[
            word("ip", ["v4", "v6"], "addresses of IPv4 or IPv6"),
            word("switches", ["frr", "linux"], "what switches run"),
        ],
        paper="Besta et al.: FatPaths (SC20) §V-D, §V-E",
        limitations="Checked against containerlab's schema; containers are not run by our tests.",
        examples=["containerlab", "containerlab:switches=linux"],
    ),
    write,
)
