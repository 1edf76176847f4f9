"""BFD (RFC 5880) on the cables between switches: FRR's profile and sessions.

A session monitors a cable in both directions. Without answers, FRR removes the next hops of this cable from all routes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tulle.deploy.ethernet.plan import EthernetPlan

__all__ = ["DETECTION_MS", "PROFILE", "check_both_directions", "frr_lines"]

PROFILE = "fabric"
_INTERVAL_MS = 100
_LOST = 3
DETECTION_MS = _INTERVAL_MS * _LOST
"""A session reports a failure after this time without packets, in milliseconds."""


def frr_lines(peers: Iterable[tuple[str, str]] = ()) -> list[str]:
    """The section ``bfd`` of ``frr.conf``; `peers` has the peer's address and the local interface of every session.

    FRR itself adds a session for every next hop, but only at one end. A session needs both ends, even if the routes use
    a cable in one direction only.
    """
    lines = [
        "bfd",
        f" profile {PROFILE}",
        f"  transmit-interval {_INTERVAL_MS}",
        f"  receive-interval {_INTERVAL_MS}",
        f"  detect-multiplier {_LOST}",
        " exit",
    ]
    for address, interface in peers:
        lines += [f" peer {address} interface {interface}", f"  profile {PROFILE}", " exit"]
    return [*lines, "exit", "!"]


def check_both_directions(plan: EthernetPlan) -> None:
    """Check that routes use every cable in both directions or not at all, as SONiC's sessions need.

    SONiC starts a session for every next hop, and a session needs both ends.

    Raises
    ------
    tulle.InputError
        For a cable with routes in one direction only.
    """
    used = {(switch, port) for switch, entries in enumerate(plan.entries) for *_, hops in entries for port, _ in hops}
    for switch, number in sorted(used):
        port = plan.by_number[switch][number]
        other, far = plan.peer(port)
        if (other, far.number) not in used:
            raise InputError(
                f"cable {plan.names[switch]}/{port.name}:{plan.names[other]}/{far.name} has routes in one direction "
                "only, and SONiC starts no BFD session at its other end; legal: without --bfd, or --underlay bgp"
            )
