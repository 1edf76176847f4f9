"""A routing and its plan of virtual channels for what is left of a fabric, of as few changes as can be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle import _tulle
from tulle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tulle.fabric import Fabric
    from tulle.routing.routing import Routing
    from tulle.routing.vc_plan import VcPlan

__all__ = ["mended_plan", "mended_routing", "part_ids"]


def part_ids(parts: Iterable[int]) -> str | None:
    """Ids of switches or cables as `Fabric.without` takes them."""
    text = "+".join(map(str, parts))
    return f"ids:{text}" if text else None


def mended_routing(routing: Routing, damaged: Fabric) -> Routing:
    """Reroute what is left, as `Routing.reroute`."""
    from tulle.routing.routing import Routing

    new, _, _ = _tulle.reroute(routing._core, damaged._core, None)
    return Routing(new, damaged, None)


def mended_plan(old: VcPlan, damaged: Fabric, room: tuple[int, int], scheme: str | None = None) -> VcPlan:
    """A plan for what is left, service levels as they were where that can be.

    Parameters
    ----------
    old
        The plan before, with its routing.
    damaged
        What is left.
    room
        Virtual channels and service levels that it may have.
    scheme
        Another deadlock scheme; None: that of `old`.

    Raises
    ------
    tulle.InputError
        For paths that the scheme cannot make free of deadlock.
    """
    from tulle.routing.routing import Routing
    from tulle.routing.vc_plan import VcPlan

    new = mended_routing(old.routing, damaged)
    if scheme is not None:
        return new.assign_vcs(scheme)
    for with_old in (True, False):
        carried = _tulle.carry_plan(old.routing._core, old._core, new._core, *room, with_old)
        if carried is not None:
            plan, shorter = carried
            return VcPlan._of(plan, new if shorter is None else Routing(shorter, damaged, None))
    # The scheme may make other paths of it, as colouring shortens them.
    try:
        anew = old.routing.reroute(damaged, old)
    except InputError as error:
        raise InputError(f"{error}, or another scheme for what is left, as --deadlock dfsssp") from None
    assert anew.plan is not None
    return anew.plan
