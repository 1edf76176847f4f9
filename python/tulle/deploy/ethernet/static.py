"""What static routes of switch systems cannot say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle.errors import InputError

if TYPE_CHECKING:
    from tulle.deploy.ethernet.plan import EthernetPlan

__all__ = ["check_unweighted"]


def check_unweighted(plan: EthernetPlan, who: str) -> None:
    """That no group of ports has shares, for switches whose static routes have none.

    Raises
    ------
    tulle.InputError
        Where one has.
    """
    from tulle.deploy.targets import targets

    for switch, name in enumerate(plan.names):
        for hops in plan.groups(switch):
            if len({weight for _, weight in hops}) > 1:
                shares = ":".join(str(weight) for _, weight in hops)
                legal = " or ".join(target.name for target in targets() if target.has_shares)
                raise InputError(
                    f"{name} has a group of ports in shares {shares}, which static routes of {who} cannot say; legal: "
                    f"a routing without shares, or the target {legal}"
                )
