"""Running a study: threads, reuse of finished runs, a clean stop."""

from __future__ import annotations

import threading
import warnings
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from time import perf_counter, process_time
from typing import TYPE_CHECKING

from tulle import _tulle
from tulle._destination import check_folder
from tulle._processors import processors
from tulle._threads import starting
from tulle.errors import InputError, StudyError, TulleError
from tulle.study.outputs import write
from tulle.study.plan import Plan, Run, hash_file, plan
from tulle.study.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
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
    processor_seconds: Mapping[str, float]
    """By id of a run, those of the process that measured it; without runs that were measured several at a time."""
    plots: tuple[Path, ...]
    unplotted: str | None
    """Why there are no plots, in a line, where drawing them failed; the tables are there."""

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
    say: Callable[[str], object] | None = None,
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
    say
        Called with a line for every stored run that is not good, and so is measured anew; None: it is a warning.

    Raises
    ------
    tulle.StudyError
        For a study that is not legal, a run that fails, or a file that changed while a run read it.
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
    store, directory = Store(Path(out) / "pieces"), Path(out) / planned.directory
    for folder in (store.directory, directory):
        check_folder(folder)
    # Two points of a study may come to the same configuration: it is measured once.
    runs = list({run.id: run for run in planned.runs}.values())
    store.sweep()
    pending = runs if fresh else store.missing(runs, say or warnings.warn)
    seconds = _Pool(planned, store, threads, len(runs), progress).measure(pending)
    written = write(planned, store, directory, started=started, seconds=perf_counter() - clock, measured=seconds)
    return Finished(
        planned,
        directory,
        written.results,
        written.comparisons,
        tuple(seconds),
        {run.id: known for run in runs if (known := store.seconds(run)) is not None},
        written.plots,
        written.unplotted,
    )


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
            with starting():
                waiting: set[Future[tuple[str, float]]] = {pool.submit(self._one, run) for run in runs}
            while waiting:
                self._show(self.total - len(runs) + len(seconds))
                done, waiting = wait(waiting, timeout=_LOOK, return_when=FIRST_COMPLETED)
                seconds.update(future.result() for future in done)
        finally:
            # Also where all went well: then there is nothing to stop.
            self.stop.set()
            pool.shutdown(wait=False, cancel_futures=True)
            # A run ends at its next report; a long call within it has none, and is stopped by itself.
            while running := [thread for thread in pool._threads if thread.is_alive()]:
                _tulle.stop_calls([thread.ident for thread in running if thread.ident is not None])
                running[0].join(_LOOK)
        self._show(self.total)
        return {run.id: seconds[run.id] for run in runs}

    def _one(self, run: Run) -> tuple[str, float]:
        def advance(fraction: float) -> None:
            if self.stop.is_set():
                raise _Stopped
            self.fractions[run.id] = fraction

        clock, processor = perf_counter(), process_time()
        try:
            rows = self.planned.measurement.measure(run.parameters, run.seed, advance)
        except TulleError as error:
            raise StudyError(f"{self._where(run)}: {error}") from error
        finally:
            self.fractions.pop(run.id, None)
        self._check_inputs(run)
        # Of the whole process: those of one run where it runs alone.
        self.store.keep(run, rows, process_time() - processor if self.threads == 1 else None)
        return run.id, perf_counter() - clock

    def _check_inputs(self, run: Run) -> None:
        """That the files are still those that the run is named by."""
        for name, hashed in run.configuration["inputs"].items():
            if hash_file(self._where(run), Path(name), {}) != hashed:
                raise StudyError(f"{self._where(run)}: {name} changed while the study ran; the run is not stored")

    def _where(self, run: Run) -> str:
        return f"{self.planned.study.path}: case '{run.case}', seed {run.seed}"

    def _show(self, done: int) -> None:
        if self.progress is not None:
            self.progress(done + sum(list(self.fractions.values())), self.total)
