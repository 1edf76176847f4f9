"""Limits of static routes in switch operating systems."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle.errors import InputError

if TYPE_CHECKING:
    from tulle.deploy.ethernet.plan import EthernetPlan

__all__ = ["check_unweighted", "targets_with_shares"]


def check_unweighted(plan: EthernetPlan, who: str) -> None:
    """Check that no next-hop group has unequal weights, for systems whose static routes do not support them.

    Raises
    ------
    tulle.InputError
        If a group has unequal weights.
    """
    for switch, name in enumerate(plan.names):
        for hops in plan.groups(switch):
            if len({weight for _, weight in hops}) > 1:
                weights = ":".join(str(weight) for _, weight in hops)
                raise InputError(
                    f"{name} has next hops with weights {weights}, which static routes of {who} do not support; "
                    f"legal: a routing without weights, or the target {targets_with_shares()}"
                )


def targets_with_shares() -> str:
    """Return the names of the targets that support weights, as text: ``linux or ovs``."""
    # circle: `ethernet` and `targets` import each other: targets write bundles, and declare if they support weights.
    from tulle.deploy.targets import targets

    return " or ".join(target.name for target in targets() if target.has_shares)
