"""Reroute a fabric with failures and plan its virtual channels again, with few changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle import _tulle
from tulle.deploy.channel_range import channels_up_to
from tulle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tulle.fabric import Fabric
    from tulle.routing.routing import Routing
    from tulle.routing.vc_plan import VcPlan

__all__ = ["part_ids", "repaired_plan", "repaired_routing"]


def part_ids(parts: Iterable[int]) -> str | None:
    """Format ids of switches or cables as an argument of `Fabric.without`; None if the list is empty."""
    text = "+".join(map(str, parts))
    return f"ids:{text}" if text else None


def repaired_routing(routing: Routing, damaged: Fabric) -> Routing:
    """Reroute the damaged fabric, as `Routing.reroute` does."""
    from tulle.routing.routing import Routing

    new, _, _ = _tulle.reroute(routing._core, damaged._core, None)
    return Routing(new, damaged, None)


def repaired_plan(
    old: VcPlan,
    damaged: Fabric,
    room: tuple[int, int],
    scheme: str | None = None,
    *,
    drops_u_turns: bool = False,
) -> VcPlan:
    """Plan the virtual channels of the damaged fabric, and keep service levels where possible.

    The first choice is a plan that keeps all service levels and SL-to-VL tables, for which switches may load their
    tables in any order under traffic.

    Parameters
    ----------
    old
        The plan before the failures, with its routing.
    damaged
        The fabric without the failed parts.
    room
        The numbers of virtual channels and service levels that the new plan may use.
    scheme
        A deadlock scheme for the new plan; None: the scheme of `old`.
    drops_u_turns
        Whether switches discard packets from another switch that would leave through their input port.

    Raises
    ------
    tulle.InputError
        For paths that the scheme cannot make free of deadlock.
    """
    from tulle.routing.routing import Routing
    from tulle.routing.vc_plan import VcPlan

    def with_same_levels(in_traffic: bool) -> VcPlan | None:
        found = _tulle.reroute_undisturbed(old.routing._core, old._core, damaged._core, in_traffic, drops_u_turns)
        return None if found is None else VcPlan._of(found[1], Routing(found[0], damaged, None))

    if scheme is None and (plan := with_same_levels(True)) is not None:
        return plan
    new = repaired_routing(old.routing, damaged)
    if scheme is not None:
        with channels_up_to(room[0]):
            return new.assign_vcs(scheme)
    for with_old in (True, False):
        planned = _tulle.adapt_plan(old.routing._core, old._core, new._core, *room, with_old)
        if planned is not None:
            adapted, shorter = planned
            return VcPlan._of(adapted, new if shorter is None else Routing(shorter, damaged, None))
    if (plan := with_same_levels(False)) is not None:
        return plan
    # The deadlock scheme may choose other paths. For example, colouring shortens paths.
    try:
        with channels_up_to(room[0]):
            anew = old.routing.reroute(damaged, old)
    except InputError as error:
        raise InputError(
            f"{error}, or another scheme for the remaining fabric, for example --deadlock dfsssp"
        ) from None
    assert anew.plan is not None
    return anew.plan
