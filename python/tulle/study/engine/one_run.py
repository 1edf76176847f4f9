"""Measure one run: compute its rows, check that its input files did not change, and store it."""

from __future__ import annotations

from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any

from tulle.errors import StudyError, TulleError
from tulle.study.engine.plan import Run, hash_file

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tulle.study.engine.store import Store
    from tulle.study.measurements.registry import Advance, Measurement


class Bench:
    """A worker that measures runs of a study and puts the results into a store."""

    def __init__(self, path: Path, measurement: Measurement[Any], store: Store) -> None:
        self.path, self.measurement, self.store = path, measurement, store

    def measure(self, run: Run, advance: Advance, *, alone: Callable[[], bool]) -> float:
        """Measure and store a run; return the seconds that it took.

        Processor seconds can be measured only per process. So they are stored only if the run was `alone` in its
        process.

        Raises
        ------
        tulle.StudyError
            If the run fails, or an input file changed during the run; the message names the run.
        tulle.FileError
            If the result cannot be stored.
        """
        clock, processor = perf_counter(), process_time()
        try:
            rows = self.measurement.measure(run.parameters, run.seed, advance)
        except TulleError as error:
            raise StudyError(f"{self.where(run)}: {error}") from error
        self.check_inputs(run)
        self.store.keep(run, rows, process_time() - processor if alone() else None)
        return perf_counter() - clock

    def check_inputs(self, run: Run) -> None:
        """Check that the input files still have the hashes in the run's configuration."""
        for name, hashed in run.configuration["inputs"].items():
            if hash_file(self.where(run), self.path.parent / name, {}) != hashed:
                raise StudyError(f"{self.where(run)}: {name} changed while the study ran; the run is not stored")

    def where(self, run: Run) -> str:
        """Return the beginning of error messages about a run: the study file, and the run's case and seed."""
        return f"{self.path}: case '{run.case}', seed {run.seed}"
