"""Assign virtual lanes: with the default scheme, so that nearly all repairs are possible under traffic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle._internal.arguments import canonical
from tulle.errors import InputError

if TYPE_CHECKING:
    from tulle.routing.routing import Routing
    from tulle.routing.vc_plan import VcPlan

__all__ = ["assign_lanes"]

_WITHOUT_PARAMETERS = "dfsssp"


def assign_lanes(routing: Routing, scheme: str, vls: int = 8) -> VcPlan:
    """Plan the virtual lanes of an InfiniBand network with `vls` data VLs.

    The scheme ``dfsssp`` without parameters reserves a lane for first hops and spreads paths over all other lanes but
    one, which multicast uses. So the search for repairs under traffic succeeds for nearly all failed cables; without
    the reserved lane, it nearly always fails. If the network needs more lanes, multicast gets none. If it then still
    needs more, no lane is reserved.

    Raises
    ------
    tulle.InputError
        For a routing that the scheme cannot make free of deadlock.
    """
    if canonical("deadlocks", "deadlock", str(scheme)) == _WITHOUT_PARAMETERS:
        for vcs in (vls - 1, vls):
            # A lane for first hops needs at least one other lane.
            if vcs < 2:
                continue
            try:
                return routing.assign_vcs(f"dfsssp:first_vcs=1,vcs={vcs}")
            except InputError:
                continue
    return routing.assign_vcs(scheme)
