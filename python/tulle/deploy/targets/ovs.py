"""The target `ovs`: switches that run Open vSwitch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle.declarations import Declaration, integer
from tulle.deploy.ethernet.ovs import FIRST_VLAN
from tulle.deploy.targets.model import Target

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from tulle.deploy.ethernet.plan import EthernetPlan
    from tulle.deploy.ethernet.repair import Repair
    from tulle.routing.routing import Routing
    from tulle.routing.vc_plan import VcPlan


def write_plan(
    plan: EthernetPlan,
    place: Path,
    *,
    first_vlan: int = FIRST_VLAN,
    spec: str | None = None,
    more: Iterable[tuple[str, str]] = (),
) -> list[Path]:
    """Writes a bundle, with `more` files."""
    from tulle.deploy.ethernet.ovs import files, readme
    from tulle.deploy.ethernet.write import write_bundle

    options = {"first_vlan": first_vlan}
    made = [*files(plan, first_vlan), *more]
    return write_bundle(plan, place, "ovs", made, readme(plan, first_vlan), options=options, spec=spec)


def write(what: Routing | VcPlan, place: Path, *, first_vlan: int, table: int | str) -> list[Path]:
    """Writes a bundle."""
    from tulle.deploy.ethernet.plan import plan_of

    plan = plan_of(what, table_size=None if table == "any" else int(table))
    return write_plan(plan, place, first_vlan=first_vlan)


def write_mended(mended: Repair, place: Path) -> list[Path]:
    """Writes a mended bundle, with bundles of OpenFlow of what changes."""
    from tulle.deploy.ethernet.ovs import change_lines
    from tulle.deploy.ethernet.repair import change_files

    header, plan = mended.bundle.header, mended.bundle.plan
    first_vlan = int(header.options.get("first_vlan", FIRST_VLAN))
    more = change_files(
        mended,
        lambda change: change_lines(plan, change, first_vlan),
        "bundle",
        "ovs-ofctl -O OpenFlow15 bundle fabric FILE",
    )
    return write_plan(mended.plan, place, first_vlan=first_vlan, spec=header.fabric, more=more)


TARGET = Target(
    Declaration(
        name="ovs",
        summary="switches that run Open vSwitch: a layer is a VLAN, a masked MAC address a switch",
        parameters=[
            integer("first_vlan", 1, 4094, FIRST_VLAN, "the VLAN of layer 0; the others follow"),
            integer("table", 1, 1 << 30, "any", "entries that a switch holds at most", "any"),
        ],
        paper="Besta et al.: FatPaths (SC20) §V-D, §V-E",
        limitations="Layers of tables alone. Hosts have the MAC addresses of the bundle, and static neighbours: "
        "nothing "
        "is flooded.",
        examples=["ovs", "ovs:first_vlan=1000"],
    ),
    write,
    write_mended,
)
