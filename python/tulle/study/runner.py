"""Running a study: threads, reuse of finished runs, a clean stop."""

from __future__ import annotations

import threading
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from tulle._processors import processors
from tulle.errors import InputError, StudyError, TulleError
from tulle.study.outputs import write
from tulle.study.plan import Plan, Run, plan
from tulle.study.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable
    from os import PathLike

    from tulle.study.model import StudyFile
    from tulle.study.report import Compared, Result
    from tulle.study.verdict import Verdict

# Seconds between looks at what the threads do.
_LOOK = 0.1


@dataclass(frozen=True)
class Finished:
    """A study that has run."""

    plan: Plan
    directory: Path
    """``manifest.json``, the rows of all runs, ``summary.json``, plots."""
    results: tuple[Result, ...]
    comparisons: tuple[Compared, ...]
    measured: tuple[str, ...]
    """Ids of the runs that were measured now; the others were reused."""
    plots: tuple[Path, ...]

    @property
    def verdicts(self) -> list[Verdict]:
        """All verdicts: of references, then of comparisons."""
        judged = [verdict for result in self.results for verdict in result.verdicts.values()]
        return judged + [compared.verdict for compared in self.comparisons]


class _Stopped(Exception):  # noqa: N818
    """Ends a run from within; never leaves this file."""


def run(
    study: StudyFile | Plan,
    out: str | PathLike[str] = "runs",
    *,
    threads: int | None = None,
    fresh: bool = False,
    progress: Callable[[float, int], object] | None = None,
) -> Finished:
    """Runs a study and writes its run directory; finished runs are reused.

    The results are the same bytes for any number of threads. On Ctrl-C the runs under way end, finished ones are kept
    under ``out/pieces``, and nothing else is written.

    Parameters
    ----------
    study
        From `tulle.study.load`.
    out
        The directory that gets ``<study>-<hash>`` and ``pieces``.
    threads
        Runs at a time; None: one per core.
    fresh
        Measure everything anew.
    progress
        Called about ten times a second with the runs done (fractions of those under way counted) and their total.

    Raises
    ------
    tulle.StudyError
        For a study that is not legal, or a run that fails.
    tulle.FileError
        Where results cannot be written.
    KeyboardInterrupt
        On Ctrl-C.
    """
    threads = processors() if threads is None else threads
    if threads < 1:
        raise InputError(f"threads={threads} is out of range; legal: 1 or more")
    planned = study if isinstance(study, Plan) else plan(study)
    started, clock = datetime.now(timezone.utc), perf_counter()
    store = Store(Path(out) / "pieces")
    # Two points of a study may come to the same configuration: it is measured once.
    pending = {run.id: run for run in planned.runs if fresh or not store.has(run)}
    seconds = _Pool(planned, store, threads, len({run.id for run in planned.runs}), progress).measure(
        list(pending.values())
    )
    directory = Path(out) / planned.directory
    results, comparisons, plots = write(
        planned, store, directory, started=started, seconds=perf_counter() - clock, measured=seconds
    )
    return Finished(planned, directory, results, comparisons, tuple(seconds), plots)


class _Pool:
    """Threads that measure runs; the calling thread watches them."""

    def __init__(
        self, planned: Plan, store: Store, threads: int, total: int, progress: Callable[[float, int], object] | None
    ) -> None:
        self.planned, self.store, self.threads, self.total, self.progress = planned, store, threads, total, progress
        self.stop = threading.Event()
        self.fractions: dict[str, float] = {}

    def measure(self, runs: list[Run]) -> dict[str, float]:
        """Measures and keeps `runs`; the seconds that each took, by id."""
        seconds: dict[str, float] = {}
        pool = ThreadPoolExecutor(self.threads, thread_name_prefix="study")
        try:
            waiting: set[Future[tuple[str, float]]] = {pool.submit(self._one, run) for run in runs}
            while waiting:
                self._show(self.total - len(runs) + len(seconds))
                done, waiting = wait(waiting, timeout=_LOOK, return_when=FIRST_COMPLETED)
                seconds.update(future.result() for future in done)
        finally:
            # Also where all went well: then there is nothing to stop.
            self.stop.set()
            pool.shutdown(wait=True, cancel_futures=True)
        self._show(self.total)
        return {run.id: seconds[run.id] for run in runs}

    def _one(self, run: Run) -> tuple[str, float]:
        def advance(fraction: float) -> None:
            if self.stop.is_set():
                raise _Stopped
            self.fractions[run.id] = fraction

        clock = perf_counter()
        try:
            rows = self.planned.measurement.measure(run.parameters, run.seed, advance)
        except TulleError as error:
            where = f"{self.planned.study.path}: case '{run.case}', seed {run.seed}"
            raise StudyError(f"{where}: {error}") from error
        finally:
            self.fractions.pop(run.id, None)
        self.store.keep(run, rows)
        return run.id, perf_counter() - clock

    def _show(self, done: int) -> None:
        if self.progress is not None:
            self.progress(done + sum(list(self.fractions.values())), self.total)
