"""Miswirings: differences between a plan and the actual cables. Each has an instruction that corrects it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tulle._internal.html_summary import Overview, Shown

if TYPE_CHECKING:
    from tulle.cabling.plan import End

__all__ = ["KINDS", "Miswiring", "Verdict"]

KINDS = {
    "swap": "two plugs are in each other's port",
    "wrong-port": "a plug is not in its planned port",
    "missing": "a planned cable is missing",
    "absent": "a planned switch and its cables are in no file",
    "extra": "a cable is not planned",
    "down": "a planned cable is missing, and one of its ports is down, disabled, or up without a known neighbour",
    "slow": "a cable's rate is lower than planned; if no rate is planned, lower than both ends support",
    "conflict": "files name different cables for a port, because they were collected at different times",
    "renamed": "an unplanned switch has all cables of a missing planned switch",
    "unseen": "no file shows whether these cables exist",
}


@dataclass(frozen=True)
class Miswiring(Shown):
    """A miswiring and the instruction that corrects it. If plugs are exchanged, follow the instructions in order."""

    kind: str
    """One of `KINDS`."""
    instruction: str
    ends: tuple[End, ...]
    """The affected ports. For a wrong port, they are the actual port of the plug and its planned port."""
    cables: tuple[int, ...] = ()
    """The rows of the plan whose cables are affected."""

    def fields(self) -> dict[str, Any]:
        """Return the fields for JSON output. `cable_numbers` are the numbers in cables.csv and on labels."""
        return {
            "kind": self.kind,
            "instruction": self.instruction,
            "ends": [list(end) for end in self.ends],
            "cables": list(self.cables),
            "cable_numbers": [row + 1 for row in self.cables],
        }


@dataclass(frozen=True)
class Verdict(Shown):
    """The result of comparing a plan with the actual cables."""

    miswirings: tuple[Miswiring, ...]
    agreeing: tuple[int, ...]
    """For each step of the cabling plan, the number of correct cables."""
    planned: tuple[int, ...]
    """For each step of the cabling plan, the number of planned cables."""
    notes: tuple[str, ...] = field(default=())
    """Lines about cables and ports that were not checked, and about cables that only one end reports."""

    def _overview(self) -> Overview:
        values = {
            "agrees": self.agrees,
            "planned cables": sum(self.planned),
            "correct cables": sum(self.agreeing),
            "miswirings": len(self.miswirings),
        }
        rows = [{"kind": each.kind, "instruction": each.instruction} for each in self.miswirings]
        return Overview("Verdict", "", values, rows=rows)

    @property
    def agrees(self) -> bool:
        """Whether there is no miswiring."""
        return not self.miswirings
