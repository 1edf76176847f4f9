"""Find the links between switches that pass through optical switches or patch panels, from the port maps.

If a device joins ports in one direction only, a port may send to one switch and receive from another. Then the transmit
side and the receive side of a port are separate ends.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tulle.cabling.plan import PlannedCable, Step

if TYPE_CHECKING:
    from tulle.cabling.plan import End, Plan

TRANSMIT, RECEIVE = " (transmit)", " (receive)"


@dataclass(frozen=True)
class Links:
    """The links that LLDP and similar tools show when the plan is completely wired."""

    plan: Plan
    """A plan without optical switches and patch panels. Its cables are the links and the cables of endpoints."""
    directed: bool
    """Whether links lead from the transmit side of a port to the receive side of another port."""
    rows: tuple[tuple[int, ...], ...]
    """For every cable of `plan`, the rows of the cables in the complete plan that it consists of."""


def links_of(plan: Plan) -> Links:
    """Return the links of a plan. Without optical switches and patch panels, they are the cables of the plan."""
    if not plan.joins:
        return Links(plan, directed=False, rows=tuple((row,) for row in range(len(plan.cables))))
    directed = not all(join.duplex for join in plan.joins)
    found: list[tuple[PlannedCable, tuple[int, ...]]] = [
        (cable, (row,)) for row, cable in enumerate(plan.cables) if cable.step == 0
    ]
    for join in plan.joins:
        here, there = (join.device, join.enter), (join.device, join.leave)
        rows = plan.at[here], plan.at[there]
        segments = [plan.cables[row] for row in rows]
        a, b = plan.other(here), plan.other(there)
        if a is None or b is None:
            continue
        if directed:
            a, b = (a[0], a[1] + TRANSMIT), (b[0], b[1] + RECEIVE)
        rates = [segment.rate for segment in segments if segment.rate is not None]
        rate = min(rates) if len(rates) == len(segments) else None
        length = sum(segment.length for segment in segments)
        found.append((PlannedCable(1, (a, b), length, segments[0].medium, rate), rows))
    devices = tuple(device for device in plan.devices if device.kind in ("switch", "endpoint"))
    through = plan.steps[1]
    steps = (plan.steps[0], Step(through.name.replace("to ", "links through ", 1), through.colour, through.hex))
    seen = replace(plan, steps=steps, devices=devices, cables=tuple(cable for cable, _ in found), joins=())
    return Links(seen, directed, tuple(rows for _, rows in found))


def whole(end: End) -> End:
    """Return the port at an end of a cable, without the suffix for the transmit or receive side."""
    return end[0], end[1].removesuffix(TRANSMIT).removesuffix(RECEIVE)


def neighbours(plan: Plan) -> list[tuple[End, End]]:
    """Return pairs of a port and the port from which it receives.

    `plan` is `Links.plan`, or a plan without optical switches and patch panels.
    """
    found = []
    for cable in plan.cables:
        a, b = cable.ends
        if b[1].endswith(RECEIVE):
            found.append((whole(b), whole(a)))
        else:
            found += [(a, b), (b, a)]
    return found
