"""From one bundle to another of the same switches and addresses, in an order that never makes a loop.

So a cable that came back is taken into use again, by going back to the bundle before the repair; so is another routing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle.deploy.ethernet.failures import Dead
from tulle.deploy.ethernet.repair import Repair, changes_between
from tulle.errors import InputError

if TYPE_CHECKING:
    from tulle.deploy.ethernet.bundle import EthernetBundle
    from tulle.deploy.ethernet.plan import EthernetPlan

__all__ = ["transition"]


def transition(before: EthernetBundle, after: EthernetBundle) -> Repair:
    """The changes from one bundle to another, ordered as those of a repair are.

    Parameters
    ----------
    before
        What is loaded.
    after
        What is to be loaded.

    Raises
    ------
    tulle.InputError
        For bundles of other switches, hosts, addresses, layers or targets, whose ports lead elsewhere, or of lossless
        networks: their paths are proved together by repairs alone.
    """
    old, new = before.plan, after.plan
    for what, one, other in (
        ("target", before.header.target, after.header.target),
        ("addresses", old.addressing, new.addressing),
        ("switches", old.names, new.names),
    ):
        if one != other:
            raise InputError(
                f"{after.place}: {what} are not those of {before.place}; legal: a bundle of the same switches, hosts, "
                "layers and addresses"
            )
    if before.header.target != "linux":
        raise InputError(f"{before.place} is of the target {before.header.target}; legal: linux")
    if old.vcs is not None or new.vcs is not None:
        raise InputError(
            f"{before.place}: is of a lossless network, which repairs alone keep proved; legal: without --to"
        )
    _check_ports(before, after)
    switches = tuple(range(len(old.names)))
    return Repair(before, Dead((), ()), new, switches, changes_between(old, new, switches), 0, 0, "", after.header)


def _check_ports(before: EthernetBundle, after: EthernetBundle) -> None:
    """That every port of both leads to the same."""
    for switch, name in enumerate(before.plan.names):
        known = before.plan.by_number[switch]
        for port in after.plan.ports[switch]:
            was = known.get(port.number)
            if was is not None and _end(before.plan, switch, was.number) != _end(after.plan, switch, port.number):
                raise InputError(
                    f"{after.place}: {port.name} of {name} leads elsewhere than in {before.place}; legal: a bundle of "
                    "the same cabling"
                )


def _end(plan: EthernetPlan, switch: int, number: int) -> tuple[int, int]:
    port = plan.by_number[switch][number]
    if port.channel is None:
        return -1, port.endpoint or 0
    other, there = plan.peer(port)
    return other, there.number
