"""Links between switches, as cables to optical switches or patch panels and the port maps there make them.

Where a device joins ports one way, a port may hear another switch than hears it. Then its two sides are ends of their
own.
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
    """What tools of switches see of a plan once all is wired."""

    plan: Plan
    """The cables of endpoints, and the links as cables; without what joins them."""
    directed: bool
    """Whether ports of links are the sides of ports."""
    rows: tuple[tuple[int, ...], ...]
    """Per cable of `plan` the rows of the whole plan that it is made of."""


def links_of(plan: Plan) -> Links:
    """The links of a plan; the plan itself where nothing is joined."""
    if not plan.joins:
        return Links(plan, directed=False, rows=tuple((row,) for row in range(len(plan.cables))))
    directed = not all(join.duplex for join in plan.joins)
    found: list[tuple[PlannedCable, tuple[int, ...]]] = [
        (cable, (row,)) for row, cable in enumerate(plan.cables) if cable.step == 0
    ]
    for join in plan.joins:
        here, there = (join.device, join.enter), (join.device, join.leave)
        rows = plan.at[here], plan.at[there]
        legs = [plan.cables[row] for row in rows]
        a, b = plan.other(here), plan.other(there)
        if a is None or b is None:
            continue
        if directed:
            a, b = (a[0], a[1] + TRANSMIT), (b[0], b[1] + RECEIVE)
        rates = [leg.rate for leg in legs if leg.rate is not None]
        rate = min(rates) if len(rates) == len(legs) else None
        found.append((PlannedCable(1, (a, b), sum(leg.length for leg in legs), legs[0].medium, rate), rows))
    devices = tuple(device for device in plan.devices if device.kind in ("switch", "endpoint"))
    through = plan.steps[1]
    steps = (plan.steps[0], Step(through.name.replace("to ", "links through ", 1), through.colour, through.hex))
    seen = replace(plan, steps=steps, devices=devices, cables=tuple(cable for cable, _ in found), joins=())
    return Links(seen, directed, tuple(rows for _, rows in found))


def whole(end: End) -> End:
    """The port of a side."""
    return end[0], end[1].removesuffix(TRANSMIT).removesuffix(RECEIVE)


def neighbours(plan: Plan) -> list[tuple[End, End]]:
    """Per port the one that it hears; of the plan of `Links`, or of one without devices."""
    found = []
    for cable in plan.cables:
        a, b = cable.ends
        if b[1].endswith(RECEIVE):
            found.append((whole(b), whole(a)))
        else:
            found += [(a, b), (b, a)]
    return found
