"""What is wrong with a wiring, as what there is to do."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tulle.cabling.plan import End

__all__ = ["KINDS", "Fault", "Verdict"]

KINDS = {
    "swap": "two plugs are in each other's port",
    "wrong-port": "a plug is in another port than planned",
    "missing": "a planned cable is not seen",
    "extra": "a cable that is not planned",
    "down": "a planned cable is not seen, and its ports say that they are down",
    "slow": "a lower rate than planned, or, where none is planned, than both ends could do",
    "conflict": "two ports name different cables: files of different times",
    "renamed": "a switch that is not planned has all cables of one that is not seen",
    "unseen": "cables of which no file tells",
}


@dataclass(frozen=True)
class Fault:
    """A fault, and the instruction that removes it; those of a longer exchange are to be followed in their order."""

    kind: str
    """One of `KINDS`."""
    instruction: str
    ends: tuple[End, ...]
    """The ports that it is about: of a swap the two plugs; of a wrong port where the plug is, and where it belongs."""
    cables: tuple[int, ...] = ()
    """Rows of the plan that it is about."""

    def fields(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "kind": self.kind,
            "instruction": self.instruction,
            "ends": [list(end) for end in self.ends],
            "cables": list(self.cables),
        }


@dataclass(frozen=True)
class Verdict:
    """What a comparison found."""

    faults: tuple[Fault, ...]
    agreeing: tuple[int, ...]
    """Cables that are as planned, per step."""
    planned: tuple[int, ...]
    """Cables that are planned, per step."""
    notes: tuple[str, ...] = field(default=())
    """What could not be looked at."""

    @property
    def agrees(self) -> bool:
        """Whether nothing is wrong."""
        return not self.faults
