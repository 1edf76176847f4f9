"""The plan of virtual channels of a packet simulation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle._internal.arguments import as_spec
from tulle.errors import InputError
from tulle.routing.routing import as_routing
from tulle.routing.vc_plan import VcPlan

if TYPE_CHECKING:
    from tulle.routing.routing import Routing


def planned(routing: Routing, deadlock: str | VcPlan | None) -> tuple[Routing, VcPlan | None]:
    """Return the routing to simulate, and its plan of virtual channels; None without virtual lanes.

    Raises
    ------
    tulle.SpecError
        For an unknown deadlock scheme or an illegal parameter.
    tulle.InputError
        For a plan of another routing, or a scheme that cannot make the routing free of deadlock.
    """
    if deadlock is None:
        return routing, None
    if isinstance(deadlock, VcPlan):
        if deadlock.routing is not routing and as_routing(routing.fabric, deadlock.routing) != routing:
            raise InputError(
                f"deadlock={deadlock.spec}: a plan of routing {deadlock.routing.spec}, not of {routing.spec}; "
                "legal: a plan with its own routing, plan.routing"
            )
        return routing, deadlock
    plan = routing.assign_vcs(as_spec("deadlock", deadlock, "dfsssp"))
    return plan.routing, plan
