"""The result of comparing a network with its bundle: differences, each with an instruction that removes it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tulle._internal.html_summary import Overview, Shown, shown

__all__ = ["Check", "Difference", "Verdict"]


@dataclass(frozen=True)
class Difference(Shown):
    """A difference, and the instruction that removes it."""

    kind: str
    """One of the `KINDS` of the target."""
    instruction: str
    count: int = 1
    """The number of entries, paths or records that differ."""

    def fields(self) -> dict[str, Any]:
        """Return the fields of the JSON output."""
        return {"kind": self.kind, "instruction": self.instruction, "count": self.count}


@shown
class Check(NamedTuple):
    """The result of one check."""

    what: str
    good: int
    """A check of several items: `of` is their number, and `good` is the number of items that are as planned."""
    of: int


@dataclass
class Verdict(Shown):
    """The result of a comparison."""

    differences: list[Difference] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """Notes for the user, for example what could not be checked."""
    removed_hosts: list[str] = field(default_factory=list)
    """The names of hosts that a repair removed from the bundle, because they were dead or cut off."""

    @property
    def agrees(self) -> bool:
        """Whether all is as planned."""
        return not self.differences

    def add(self, kind: str, instruction: str, count: int = 1) -> None:
        """Add a difference."""
        self.differences.append(Difference(kind, instruction, count))

    def fields(self) -> dict[str, Any]:
        """Return the fields of the JSON output."""
        return {
            "agrees": self.agrees,
            "checks": [check._asdict() for check in self.checks],
            "differences": [difference.fields() for difference in self.differences],
            "notes": list(self.notes),
            "removed_hosts": list(self.removed_hosts),
        }

    def _overview(self) -> Overview:
        values = {"agrees": self.agrees} | {
            f"{check.what}, as planned": f"{check.good:,} of {check.of:,}" for check in self.checks
        }
        rows = [difference.fields() for difference in self.differences]
        return Overview("Verdict", "", values, rows=rows, note="; ".join(self.notes))
