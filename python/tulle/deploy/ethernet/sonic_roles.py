"""The roles of SONiC's devices, by which SONiC chooses default buffers, queues and services."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tulle.deploy.ethernet.plan import EthernetPlan

__all__ = ["device_types"]

TOR, LEAF, SPINE = "ToRRouter", "LeafRouter", "SpineRouter"
_TYPES = {name.casefold(): name for name in (TOR, LEAF, SPINE, "BackEndToRRouter", "BackEndLeafRouter")}
# Device type -> words in the role of a switch. The first type whose words include a word of the role is used.
_WORDS = {
    TOR: {"tor", "top", "access", "edge"},
    SPINE: {"spine", "spines", "superspine", "core"},
    LEAF: {"leaf", "leafs", "leaves", "agg", "aggr", "aggregation", "distribution", "dist"},
}


def device_types(plan: EthernetPlan) -> tuple[str, ...]:
    """Return the type of every switch: from its role in the fabric, otherwise from its distance to the nearest host.

    By distance, switches with hosts are ``ToRRouter``, switches adjacent to them are ``LeafRouter``, and all others
    are ``SpineRouter``. These are the tiers T0, T1 and T2 of SONiC.
    """
    distance = _distances(plan)
    tiers = (TOR, LEAF, SPINE)
    return tuple(
        _of_role(role) or tiers[min(steps, 2)] for role, steps in zip(plan.fabric.roles, distance, strict=True)
    )


def _of_role(role: str) -> str:
    """The type that a role names; empty if it names none."""
    if role.casefold() in _TYPES:
        return _TYPES[role.casefold()]
    words = {*re.findall(r"[a-z]+", role.casefold())}
    return next((kind for kind, known in _WORDS.items() if words & known), "")


def _distances(plan: EthernetPlan) -> list[int]:
    """The number of hops from every switch to the nearest switch with hosts."""
    found = dict.fromkeys(plan.destinations, 0)
    queue = list(found)
    for switch in queue:
        for port in plan.ports[switch]:
            if port.channel is not None and (other := plan.peer(port)[0]) not in found:
                found[other] = found[switch] + 1
                queue.append(other)
    return [found.get(switch, 0) for switch in range(len(plan.names))]
