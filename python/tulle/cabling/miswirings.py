"""Miswirings: differences between a plan and the actual cables, each with an instruction that removes it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tulle.cabling.plan import End

__all__ = ["KINDS", "Miswiring", "Verdict"]

KINDS = {
    "swap": "two plugs are in each other's port",
    "wrong-port": "a plug is in another port than planned",
    "missing": "a planned cable is missing",
    "extra": "a cable is not planned",
    "down": "a planned cable is missing, and one of its ports is down",
    "slow": "a rate is lower than planned or, if none is planned, than both ends support",
    "conflict": "files name different cables for a port, because they were taken at different times",
    "renamed": "an unplanned switch has all cables of a missing planned one",
    "unseen": "no file covers these cables",
}


@dataclass(frozen=True)
class Miswiring:
    """A miswiring with its instruction. If several plugs are exchanged, follow their instructions in order."""

    kind: str
    """One of `KINDS`."""
    instruction: str
    ends: tuple[End, ...]
    """The affected ports: of a swap both plugs, of a wrong port the actual port of the plug and the planned one."""
    cables: tuple[int, ...] = ()
    """The affected rows of the plan."""

    def fields(self) -> dict[str, Any]:
        """The fields for JSON."""
        return {
            "kind": self.kind,
            "instruction": self.instruction,
            "ends": [list(end) for end in self.ends],
            "cables": list(self.cables),
        }


@dataclass(frozen=True)
class Verdict:
    """The result of a comparison."""

    miswirings: tuple[Miswiring, ...]
    agreeing: tuple[int, ...]
    """The number of cables that are as planned, per step."""
    planned: tuple[int, ...]
    """The number of planned cables, per step."""
    notes: tuple[str, ...] = field(default=())
    """What could not be checked."""

    @property
    def agrees(self) -> bool:
        """Whether there is no miswiring."""
        return not self.miswirings
