"""Change from one bundle to another with the same switches and addresses, in an order that never makes a loop.

For example, return to the bundle before a repair once a cable works again, or change to another routing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle.deploy.ethernet.failures import Failures
from tulle.deploy.ethernet.repair import Repair, changes_between
from tulle.errors import InputError

if TYPE_CHECKING:
    from tulle.deploy.ethernet.bundle import EthernetBundle
    from tulle.deploy.ethernet.plan import EthernetPlan

__all__ = ["check_transition", "transition"]


def transition(before: EthernetBundle, after: EthernetBundle) -> Repair:
    """Compute the changes from one bundle to another, in rounds like those of a repair.

    Parameters
    ----------
    before
        The loaded bundle.
    after
        The bundle to load.

    Raises
    ------
    tulle.InputError
        For bundles with different switches, hosts, addresses, layers, targets or cabling, or of lossless networks: only
        `repair` proves that old and new paths together cannot deadlock.
    """
    check_transition(before, after)
    old, new = before.plan, after.plan
    switches = tuple(range(len(old.names)))
    return Repair(before, Failures((), ()), new, switches, changes_between(old, new, switches), 0, 0, "", after.header)


def check_transition(before: EthernetBundle, after: EthernetBundle) -> None:
    """Check that `transition` can change from one bundle to another.

    Raises
    ------
    tulle.InputError
        For the same bundles as `transition`.
    """
    old, new = before.plan, after.plan
    for what, one, other in (
        ("target", before.header.target, after.header.target),
        ("addresses", old.addressing, new.addressing),
        ("switches", old.names, new.names),
    ):
        if one != other:
            raise InputError(
                f"{after.place} differs from {before.place} in {what}; legal: a bundle of the same switches, hosts, "
                "layers and addresses"
            )
    if before.header.target != "linux":
        raise InputError(f"{before.place} has the target {before.header.target}; legal: linux")
    if old.vcs is not None or new.vcs is not None:
        raise InputError(
            f"{before.place} is a bundle of a lossless network, where only repairs are proved free of deadlock; legal: "
            "without --to"
        )
    _check_ports(before, after)


def _check_ports(before: EthernetBundle, after: EthernetBundle) -> None:
    """Check that every port that both bundles use has the same name and is connected to the same device."""
    for switch, name in enumerate(before.plan.names):
        known = before.plan.by_number[switch]
        for port in after.plan.ports[switch]:
            was = known.get(port.number)
            if was is not None and was.name != port.name:
                raise InputError(
                    f"{after.place}: port {port.number} of {name} is named {port.name}, but {was.name} in "
                    f"{before.place}; legal: a bundle with the same port names"
                )
            if was is not None and _end(before.plan, switch, was.number) != _end(after.plan, switch, port.number):
                raise InputError(
                    f"{after.place}: port {port.name} of {name} is connected to another device than in {before.place}; "
                    "legal: a bundle of the same cabling"
                )


def _end(plan: EthernetPlan, switch: int, number: int) -> tuple[int, int]:
    port = plan.by_number[switch][number]
    if port.channel is None:
        return -1, port.endpoint or 0
    other, there = plan.peer(port)
    return other, there.number
