"""Random failures of cables and switches, and the returns of these parts, in order of time."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tulle._internal.html_summary import shown
from tulle.deploy.campaign.rates import DAY, YEAR

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tulle.deploy.campaign.rates import Rates
    from tulle.fabric import Fabric

__all__ = ["Event", "events"]


@shown
class Event(NamedTuple):
    """A cable or switch fails or returns."""

    seconds: float
    """The time since the start."""
    part: str
    """``cable`` or ``switch``."""
    number: int
    """The number of the cable (0 to cables − 1), or the id of the switch."""
    cause: str
    """``flap`` or ``death``."""
    is_failure: bool
    """True if the part fails, False if it returns."""


def events(fabric: Fabric, rates: Rates, seed: int) -> Iterator[Event]:
    """Yield an endless series of random failures, and the return of each failed part, in order of time.

    A part that is down cannot fail again. A cable of a failed switch can fail too; it returns at its own time, before
    or after the switch.
    """
    draw = np.random.default_rng(seed)
    cables, switches = fabric.num_cables, fabric.num_switches
    classes = [
        ("cable", "flap", cables * rates.flaps / YEAR, cables, rates.flap_minutes * 60),
        ("cable", "death", cables * rates.deaths / YEAR, cables, rates.repair_days * DAY),
        ("switch", "death", switches * rates.switch_deaths / YEAR, switches, rates.repair_days * DAY),
    ]
    weights = np.array([rate for _, _, rate, _, _ in classes])
    total = float(weights.sum())
    down: set[tuple[str, int]] = set()
    returns: list[tuple[float, int, Event]] = []
    now, drawn = 0.0, 0
    while True:
        now += float(draw.exponential(1 / total))
        part, cause, _, count, mean = classes[int(draw.choice(len(classes), p=weights / total))]
        index, length = int(draw.integers(count)), float(draw.exponential(mean))
        while returns and returns[0][0] <= now:
            event = heapq.heappop(returns)[2]
            down.discard((event.part, event.number))
            yield event
        if (part, index) in down:
            continue
        down.add((part, index))
        drawn += 1
        heapq.heappush(returns, (now + length, drawn, Event(now + length, part, index, cause, False)))
        yield Event(now, part, index, cause, True)
