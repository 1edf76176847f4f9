"""How often the parts of a network fail, and how long they are down."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from tulle.errors import InputError

__all__ = ["DAY", "WEEK", "YEAR", "Rates"]

DAY = 86_400.0
WEEK = 7 * DAY
YEAR = 365 * DAY

_DAYS_DOWN = 3650.0
"""The largest legal value of the times in `Rates`, in days."""


@dataclass(frozen=True)
class Rates:
    """Failures per part and year, and mean times. Times between failures and times down are exponentially distributed.

    By default, a cable is down for 8 · 36 minutes + 0.05 · 2 days = 0.3 days per year, like the links in Microsoft's
    data centres (Gill et al., Understanding network failures in data centers, SIGCOMM 2011, Figs. 8c and 9c). The
    division into flaps and deaths and the failure rate of switches are assumptions. Use the values of your own site.
    """

    flaps: float = 8.0
    """Short failures per cable and year: the link comes back without repair."""
    flap_minutes: float = 36.0
    """Mean time for which a flapping link is down, in minutes."""
    deaths: float = 0.05
    """Failures per cable and year after which somebody must replace the cable."""
    switch_deaths: float = 0.04
    """Failures per switch and year."""
    repair_days: float = 2.0
    """Mean time until a dead cable or switch is replaced, in days."""
    reaction_seconds: float = 1.0
    """Time from a failure or a return until new tables are loaded, in seconds: detection, computation and loading."""
    query_minutes: float = 60.0
    """Minutes from a change until all hosts have queried path records again; until then they may use older service
    levels.
    """

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            least = 0.0 if field.name not in _POSITIVE else 1e-6
            if not (isinstance(value, (int, float)) and math.isfinite(value) and least <= value <= _MOST[field.name]):
                span = f"{'above ' if least else ''}0 to {_MOST[field.name]:g}"
                raise InputError(f"{field.name}={value} is out of range; legal: {span}")
        if not self.flaps + self.deaths + self.switch_deaths > 0:
            raise InputError("flaps, deaths and switch_deaths are all 0; legal: at least one rate above 0")


_POSITIVE = ("flap_minutes", "repair_days")
_MOST = {
    "flaps": 1e6,
    "flap_minutes": _DAYS_DOWN * 1440,
    "deaths": 1e6,
    "switch_deaths": 1e6,
    "repair_days": _DAYS_DOWN,
    "reaction_seconds": _DAYS_DOWN * DAY,
    "query_minutes": _DAYS_DOWN * 1440,
}
