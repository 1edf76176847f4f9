"""The state of a watched network, and what changed since the last check."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from tulle._internal.html_summary import Overview, Shown, shown

if TYPE_CHECKING:
    from tulle.deploy.verdict import Check
    from tulle.deploy.watch.collect import Failure

__all__ = ["AS_PLANNED", "DIFFERS", "FAILED", "Counts", "Event", "Finding", "Observation", "Proposal", "changes"]

AS_PLANNED, DIFFERS, FAILED = "as-planned", "differs", "failed"


@dataclass(frozen=True)
class Finding(Shown):
    """A difference between the network and the bundle."""

    kind: str
    part: str
    """The switch, cable, host or port, for example ``s0/eth3``; empty if the difference has no single part."""
    instruction: str
    """The difference, and the instruction that removes it."""
    count: int = 1
    """The number of parts, paths or entries that differ."""

    @property
    def key(self) -> tuple[str, str]:
        """The identity of the difference, by which the next check recognizes it.

        The instruction may differ, for example if it contains the error of a live command.
        """
        return self.kind, self.part or self.instruction


@shown
class Proposal(NamedTuple):
    """The command that repairs the bundle."""

    command: str
    """The command; empty if there is none."""
    note: str
    """A note for the user: conditions of the command, or why there is no command; may be empty."""


@dataclass(frozen=True)
class Observation(Shown):
    """The result of one check of a network that could be read."""

    findings: tuple[Finding, ...]
    parts: tuple[Check, ...]
    """The planned switches, cables and hosts, and how many of them are as planned."""
    proposal: Proposal
    failures: tuple[Failure, ...] = ()
    """Commands for single switches that failed, or whose output cannot be read."""
    removed_hosts: tuple[str, ...] = ()
    """The names of hosts that repairs have removed from the bundle; no path leads to them."""

    def _overview(self) -> Overview:
        values: dict[str, Any] = {f"{part.what}, as planned": f"{part.good:,} of {part.of:,}" for part in self.parts}
        values |= {"repair": self.proposal.command or None, "failed commands": len(self.failures)}
        rows = [
            {"kind": finding.kind, "part": finding.part, "instruction": finding.instruction}
            for finding in self.findings
        ]
        return Overview("Observation", "", values, rows=rows, note=self.proposal.note)


@dataclass(frozen=True)
class Counts(Shown):
    """Totals since the watch has started."""

    checks: int = 0
    failed_checks: int = 0
    """Checks in which nothing could be read."""
    failed_commands: int = 0
    """Live commands that failed, or whose output could not be read."""
    appeared: Counter[str] = field(default_factory=Counter)
    """The differences that appeared, by kind."""
    ended: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True)
class Event(Shown):
    """One check."""

    time: float
    """The time in seconds since 1970."""
    seconds: float
    """The duration of the check."""
    state: str
    """``as-planned``, ``differs`` or ``failed``."""
    observation: Observation | None
    """What was read; None if the check failed."""
    appeared: tuple[Finding, ...]
    ended: tuple[Finding, ...]
    failures: tuple[Failure, ...]
    counts: Counts

    @property
    def has_changed(self) -> bool:
        """Whether a difference has appeared or ended."""
        return bool(self.appeared or self.ended)

    def fields(self) -> dict[str, Any]:
        """Return the fields of a line of the JSON output."""
        found, counts = self.observation, self.counts
        parts = {} if found is None else {part.what: {"as_planned": part.good, "of": part.of} for part in found.parts}
        proposal = None if found is None else found.proposal
        return {
            "check": counts.checks,
            "state": self.state,
            "appeared": [asdict(finding) for finding in self.appeared],
            "ended": [asdict(finding) for finding in self.ended],
            "differences": None if found is None else len(found.findings),
            **parts,
            "removed_hosts": None if found is None else list(found.removed_hosts),
            "repair": (proposal and proposal.command) or None,
            "note": (proposal and proposal.note) or None,
            "failures": [failure._asdict() for failure in self.failures],
            "failed_checks": counts.failed_checks,
            "failed_commands": counts.failed_commands,
            "seconds": round(self.seconds, 3),
        }

    def _overview(self) -> Overview:
        names = ("state", "differences", "repair", "note", "failed_checks", "failed_commands", "seconds")
        values = {"check": self.counts.checks} | {name: value for name, value in self.fields().items() if name in names}
        rows = [
            {"change": change, "kind": finding.kind, "part": finding.part, "instruction": finding.instruction}
            for change, findings in (("appeared", self.appeared), ("ended", self.ended))
            for finding in findings
        ]
        return Overview("Check of a network", "", values, units={"seconds": "s"}, rows=rows)


def changes(before: Observation | None, now: Observation) -> tuple[tuple[Finding, ...], tuple[Finding, ...]]:
    """Return the differences that appeared and those that ended since the last check that could be read."""
    had = () if before is None else before.findings
    old, new = {finding.key for finding in had}, {finding.key for finding in now.findings}
    return (
        tuple(finding for finding in now.findings if finding.key not in old),
        tuple(finding for finding in had if finding.key not in new),
    )
