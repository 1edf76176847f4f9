"""Run a study: reuse finished runs, measure the others, write the run directory."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from datetime import datetime, timezone
from os import PathLike
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from tulle._internal.html_summary import Overview, Shown
from tulle._internal.writing.checks import check_folder
from tulle.study import executors
from tulle.study.engine.model import load
from tulle.study.engine.plan import Plan, Run, plan
from tulle.study.engine.shards import Shard
from tulle.study.engine.store import Store
from tulle.study.measurements.shared import by_network
from tulle.study.report.outputs import write

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tulle.study.engine.model import StudyFile
    from tulle.study.executors.model import Executor
    from tulle.study.report.results import Compared, Result
    from tulle.study.report.verdict import Verdict


@dataclass(frozen=True)
class Finished(Shown):
    """A finished study."""

    plan: Plan
    directory: Path
    """The run directory: ``manifest.json``, ``summary.json``, plots, and the rows of all runs if requested."""
    results: tuple[Result, ...]
    comparisons: tuple[Compared, ...]
    measured: tuple[str, ...]
    """Ids of the runs that were measured now; other runs were reused."""
    processor_seconds: Mapping[str, float]
    """Processor seconds by run id; runs that shared a process with others are left out."""
    plots: tuple[Path, ...]
    unplotted: str | None
    """The reason why drawing the plots failed, in one line; None if drawing succeeded. The tables are written in any
    case."""
    warnings: tuple[str, ...]
    """The warnings of all runs, each once, for example about properties of links that a simulator ignores."""

    def _overview(self) -> Overview:
        values = {
            "directory": str(self.directory),
            "runs": len(self.plan.runs),
            "measured now": len(self.measured),
            "plots": len(self.plots),
            "comparisons": len(self.comparisons),
            "warnings": len(self.warnings),
        }
        return Overview("Finished", self.plan.study.name, values)

    @property
    def verdicts(self) -> list[Verdict]:
        """All verdicts: first those of references, then those of comparisons."""
        judged = [verdict for result in self.results for verdict in result.verdicts.values()]
        return judged + [compared.verdict for compared in self.comparisons]


@dataclass(frozen=True)
class Measured(Shown):
    """The runs of a study, or of one of its shards, after measuring."""

    plan: Plan
    runs: tuple[Run, ...]
    """Each once."""
    seconds: Mapping[str, float]
    """Seconds by id of each run that was measured now; the other runs were in the store."""

    def _overview(self) -> Overview:
        values = {"runs": len(self.runs), "measured now": len(self.seconds)}
        return Overview("Measured", self.plan.study.name, values)


def run(
    study: StudyFile | Plan | str | PathLike[str],
    out: str | PathLike[str] = "runs",
    *,
    threads: int | None = None,
    executor: Executor | str = "local",
    fresh: bool = False,
    rows: bool = True,
    progress: Callable[[float, int], object] | None = None,
    say: Callable[[str], object] | None = None,
    begin: Callable[[Sequence[Run]], object] | None = None,
) -> Finished:
    """Run a study and write its run directory; finished runs are reused.

    The result files are identical for any number of threads and any executor. Ctrl-C aborts the current runs without
    storing their results. Finished runs stay under ``out/pieces``, and nothing else is written.

    Parameters
    ----------
    study
        The study, from `tulle.study.load`; or its file, or the name of a study that tulle includes.
    out
        The directory for ``<study>-<hash>`` and ``pieces``. Machines that run parts of a study share it.
    threads
        Number of parallel runs of the executor ``local``; None: one per core.
    executor
        Where runs are measured: ``local``, ``dask:workers=4``, ``slurm:memory=64GB,…``
        (see docs/explanation/cluster.md), or what `tulle.study.executors.executor` returned.
    fresh
        Measure all runs again, even if their results are stored.
    rows
        Write the table of all rows. It can be very large, and the summary does not need it.
    progress
        Called about ten times a second with the number of finished runs and the number of all runs. The executor
        ``local`` also counts fractions of current runs.
    say
        Called with a line for every unusable stored run, and with one line for all runs of other builds; these runs are
        measured again. None: issue a warning.
    begin
        Called once before the first run, with the runs that must be measured; not called if all runs are finished.

    Raises
    ------
    tulle.StudyError
        For an invalid study, a run that fails, or an input file that changed while a run read it.
    tulle.FileError
        If results cannot be written, or `out` is itself a run directory.
    tulle.MissingDependencyError
        If a library that the executor needs is not installed.
    KeyboardInterrupt
        On Ctrl-C.
    """
    if isinstance(study, (str, PathLike)):
        study = load(study)
    started, clock = datetime.now(timezone.utc), perf_counter()
    done = measure(study, out, threads=threads, executor=executor, fresh=fresh, progress=progress, say=say, begin=begin)
    store, directory = Store.under(out), Path(out) / done.plan.directory
    seconds = perf_counter() - clock
    written = write(done.plan, store, directory, started=started, seconds=seconds, measured=done.seconds, rows=rows)
    return Finished(
        done.plan,
        directory,
        written.results,
        written.comparisons,
        tuple(done.seconds),
        {run.id: known for run in done.runs if (known := store.seconds(run)) is not None},
        written.plots,
        written.unplotted,
        written.warnings,
    )


def measure(
    study: StudyFile | Plan,
    out: str | PathLike[str] = "runs",
    *,
    shard: Shard | None = None,
    threads: int | None = None,
    executor: Executor | str = "local",
    fresh: bool = False,
    progress: Callable[[float, int], object] | None = None,
    say: Callable[[str], object] | None = None,
    begin: Callable[[Sequence[Run]], object] | None = None,
) -> Measured:
    """Measure the runs of a study, or of one of its shards, without writing tables. For the parameters see `run`."""
    where = executors.executor(executor, threads=threads) if isinstance(executor, str) else executor
    planned = study if isinstance(study, Plan) else plan(study)
    store, directory = Store.under(out), Path(out) / planned.directory
    for folder in (store.directory, directory):
        check_folder(folder, made_above=True)
    runs = (shard or Shard()).runs(planned)
    store.sweep()
    pending = by_network(runs if fresh else store.missing(runs, say or warnings.warn))
    there = len(runs) - len(pending)
    if pending and begin is not None:
        begin(pending)

    def show(done: float) -> None:
        if progress is not None:
            progress(there + done, len(runs))

    return Measured(planned, tuple(runs), where.measure(planned, store, pending, fresh=fresh, show=show))
