"""What a comparison of a network with its bundle found, as what there is to do."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

__all__ = ["Check", "Difference", "Verdict"]


@dataclass(frozen=True)
class Difference:
    """A difference, and the instruction that removes it."""

    kind: str
    """One of the `KINDS` of what was compared."""
    instruction: str
    count: int = 1
    """The entries, paths or records that it is about."""

    def fields(self) -> dict[str, Any]:
        """As JSON has it."""
        return {"kind": self.kind, "instruction": self.instruction, "count": self.count}


class Check(NamedTuple):
    """Something that was looked at."""

    what: str
    good: int
    """How many are as planned."""
    of: int


@dataclass
class Verdict:
    """What a comparison found."""

    differences: list[Difference] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """What could not be looked at."""

    @property
    def agrees(self) -> bool:
        """Whether all is as planned."""
        return not self.differences

    def add(self, kind: str, instruction: str, count: int = 1) -> None:
        """One more difference."""
        self.differences.append(Difference(kind, instruction, count))

    def fields(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "agrees": self.agrees,
            "checks": [check._asdict() for check in self.checks],
            "differences": [difference.fields() for difference in self.differences],
            "notes": list(self.notes),
        }
