"""The target `infiniband`: subnets of a stock OpenSM."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle.declarations import Declaration, integer
from tulle.deploy.targets.model import Target

if TYPE_CHECKING:
    from pathlib import Path

    from tulle.routing.vc_plan import VcPlan


def write(plan: VcPlan, place: Path, *, lmc: int, vls: int) -> list[Path]:
    """Writes a bundle."""
    from tulle.deploy.infiniband.generate import deploy_infiniband
    from tulle.deploy.infiniband.write import write_bundle

    return write_bundle(deploy_infiniband(plan, lmc=lmc, vls=vls), place)


TARGET = Target(
    Declaration(
        name="infiniband",
        summary="subnets of a stock OpenSM: LIDs, forwarding tables, SL-to-VL tables, settings, what hosts need",
        parameters=[
            integer("lmc", 0, 7, 2, "LID mask control: an adapter port has 2^lmc LIDs, one per layer"),
            integer("vls", 1, 15, 8, "data VLs that every port has: 1, 2, 4, 8 or 15"),
        ],
        paper="Blach et al.: A high-performance design, implementation, deployment, and evaluation of the Slim Fly "
        "network (NSDI24) §5",
        limitations="Layers of tables alone; of equal-cost ports a LID takes one. Schemes that InfiniBand can carry: "
        "one-vc, dfsssp, lash, colouring.",
        examples=["infiniband", "infiniband:lmc=3,vls=4"],
    ),
    write,
)
