"""Measuring one run: rows, the check of its files, its place in the store."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any

from tulle.errors import StudyError, TulleError
from tulle.study.engine.plan import Run, hash_file

if TYPE_CHECKING:
    from collections.abc import Callable

    from tulle.study.engine.store import Store
    from tulle.study.measurements.registry import Advance, Measurement


class Bench:
    """Where runs of a study are measured: what measures them, and the store that keeps them."""

    def __init__(self, path: Path, measurement: Measurement[Any], store: Store) -> None:
        self.path, self.measurement, self.store = path, measurement, store

    def measure(self, run: Run, advance: Advance, *, alone: Callable[[], bool]) -> float:
        """Measures and keeps a run; the seconds that it took.

        Its processor seconds, which are those of the whole process, are kept where it was `alone` in it.

        Raises
        ------
        tulle.StudyError
            For a run that fails, or a file that changed meanwhile; it names the run.
        tulle.FileError
            If it cannot be kept.
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
        """That the files are still those that the run is named by."""
        for name, hashed in run.configuration["inputs"].items():
            if hash_file(self.where(run), Path(name), {}) != hashed:
                raise StudyError(f"{self.where(run)}: {name} changed while the study ran; the run is not stored")

    def where(self, run: Run) -> str:
        """The run in words, as errors begin."""
        return f"{self.path}: case '{run.case}', seed {run.seed}"
