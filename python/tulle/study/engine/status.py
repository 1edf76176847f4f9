"""Report which runs of a study are in a store, by case and by shard."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tulle._internal.html_summary import Overview, Shown
from tulle.study.engine.shards import Shard
from tulle.study.engine.store import STATES, Store

if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike

    from tulle.study.engine.plan import Plan, Run


@dataclass(frozen=True)
class Status(Shown):
    """The state of each run."""

    plan: Plan
    states: tuple[tuple[Run, str], ...]
    """The state of every run, one of `tulle.study.engine.store.STATES`."""

    def _overview(self) -> Overview:
        values = {"runs": len(self.states), "missing": len(self.missing)}
        rows = [{"case": case, **counts} for case, counts in self.by_case().items()]
        return Overview("Status", self.plan.study.name, values, rows=rows)

    @property
    def missing(self) -> list[Run]:
        """The runs that this build of tulle must still measure."""
        return [run for run, state in self.states if state != STATES[0]]

    def by_case(self) -> dict[str, Mapping[str, int]]:
        """Count runs by case and state, in the order of the study. A run of several cases counts for the first."""
        planned = {run.case for run in self.plan.runs}
        counts: dict[str, Counter[str]] = {
            case.name: Counter() for case in self.plan.study.case if case.name in planned
        }
        for run, state in self.states:
            counts[run.case][state] += 1
        return {case: {state: found[state] for state in STATES} for case, found in counts.items()}


def status(planned: Plan, out: str | PathLike[str] = "runs", shard: Shard | None = None) -> Status:
    """Return which runs of a study, or of one of its shards, are in the store of `out`, without running anything."""
    store = Store.under(out)
    return Status(planned, tuple((run, store.state(run)) for run in (shard or Shard()).runs(planned)))
