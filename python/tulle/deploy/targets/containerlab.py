"""The target `containerlab`: a topology of containers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

from tulle.declarations import Option
from tulle.deploy.bundle_header import ETHERNET
from tulle.deploy.targets.ethernet import (
    DEADLOCK,
    FILES,
    IPV6,
    LOSSLESS_FILES,
    PAPER,
    PREFIX,
    REPAIRED_FILES,
    TABLE_SIZE,
    written,
)
from tulle.deploy.targets.model import Target, Written

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
    """Write a bundle."""
    from tulle.deploy.ethernet import containerlab
    from tulle.deploy.ethernet.port_names import LINUX, named
    from tulle.deploy.ethernet.write import write_bundle

    plan = named(plan, LINUX)
    made = [*containerlab.files(plan, name=name, switches=switches, switch_image=switch_image, host_image=host_image)]
    text = containerlab.readme(plan, name, switches)
    options = {"name": name, "switches": switches}
    return write_bundle(plan, place, "containerlab", made, text, options=options, spec=spec)


def write(
    what: Routing | VcPlan,
    place: Path,
    *,
    name: str,
    switches: Switches,
    switch_image: str | None,
    host_image: str | None,
    ipv6: bool,
    prefix: str | None,
    table_size: int | None,
) -> Written:
    """Write a bundle."""
    from tulle.deploy.ethernet.plan import plan_of

    plan = plan_of(what, ipv6=ipv6, prefix=prefix, table_size=table_size)
    paths = write_plan(plan, place, name=name, switches=switches, switch_image=switch_image, host_image=host_image)
    return written(plan, paths)


TARGET = Target(
    name="containerlab",
    summary="a topology of containers: switches that run FRR or Linux, hosts with MPTCP",
    paper=PAPER,
    limitations="The topology is checked against containerlab's schema. Tests do not run containers.",
    examples=("containerlab", "containerlab --switches linux"),
    help="Writes a topology of containerlab with the files of its switches and the commands of its hosts. Checks every "
    "path first.",
    options=(
        Option("name", str, "The name of the lab.", metavar="NAME", default="tulle"),
        Option("switches", get_args(Switches), "What switches run: frr or linux.", default="frr"),
        Option(
            "switch_image",
            str,
            "Container image of switches; default: FRR's, or network-multitool with --switches linux.",
            metavar="IMAGE",
        ),
        Option("host_image", str, "Container image of hosts; default: network-multitool.", metavar="IMAGE"),
        *(IPV6, PREFIX, TABLE_SIZE, DEADLOCK),
    ),
    write=write,
    format=ETHERNET,
    files=FILES | {"fabric.clab.yml"},
    lossless_files=LOSSLESS_FILES,
    repaired_files=REPAIRED_FILES,
)
