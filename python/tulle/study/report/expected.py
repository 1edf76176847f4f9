"""Estimate how much processor time the runs of a study need, from the recorded results of the study."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tulle.study.report.baseline import kept_cases, load_baseline, place_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tulle.study.engine.model import StudyFile
    from tulle.study.engine.plan import Run


@dataclass(frozen=True)
class Expected:
    """The processor time that runs are expected to need.

    Processor time hardly depends on the number of threads or on other programs, but it depends on the processor and on
    the version of tulle. The recorded results may come from another machine and an earlier version.
    """

    seconds: float
    """Processor seconds of the runs whose time is known."""
    longest: float
    """Processor seconds of the longest of these runs."""
    known: int
    """Number of runs whose time is known."""
    unknown: int
    """Number of runs of cases that have no recorded time."""

    def on_threads(self, threads: int) -> float:
        """Return the seconds on several threads, each of which measures one run at a time."""
        return max(self.seconds / threads, self.longest)


def expected(study: StudyFile, runs: Sequence[Run]) -> Expected | None:
    """Return the processor time that runs of a study are expected to need; None if no time is recorded for any of them.

    The time of a run is the recorded time of its case at its grid point, divided by the number of recorded seeds.

    Raises
    ------
    tulle.StudyError
        If the file beside the study does not contain recorded results of this study.
    """
    kept = load_baseline(study)
    if kept is None:
        return None
    each = {
        at: case.processor_seconds / len(case.seeds)
        for at, case in kept_cases(kept).items()
        if case.processor_seconds is not None and case.seeds
    }
    known = [each[at] for run in runs if (at := place_of(run.case, run.point)) in each]
    return Expected(sum(known), max(known), len(known), len(runs) - len(known)) if known else None
