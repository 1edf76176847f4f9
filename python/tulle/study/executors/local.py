"""The executor `local`: threads of this process."""

from __future__ import annotations

import threading
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING

from tulle import _tulle
from tulle._internal.runtime import processors, starting
from tulle.errors import InputError
from tulle.study.engine.one_run import Bench
from tulle.study.executors import model
from tulle.study.measurements.shared import sharing

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tulle.study.engine.plan import Plan, Run
    from tulle.study.engine.store import Store

# Seconds between checks of the threads' progress.
_LOOK = 0.1
# If a run fails, the runs that started before it have this many seconds to fail too. So a wrong value that stops every
# run is reported for the first run, whichever thread is faster.
_GRACE = 1.0


class Options(model.Options):
    """Options of the executor `local`. It has none, because the number of threads is the argument `threads`."""


def start(_options: Options, threads: int | None) -> Local:
    """Return the executor with `threads` threads; None: one per core."""
    return Local(threads)


class _Stopped(Exception):  # noqa: N818
    """Raised in a progress report to end a run; caught in this file."""


class Local:
    """An executor whose threads measure runs, while the calling thread watches them."""

    def __init__(self, threads: int | None = None) -> None:
        self.threads = processors() if threads is None else threads
        if self.threads < 1:
            raise InputError(f"threads={threads} is out of range; legal: 1 or more")

    def standing(self) -> str:
        """Return an empty text, because the count of finished runs already includes fractions of current runs."""
        return ""

    def measure(
        self,
        planned: Plan,
        store: Store,
        runs: Sequence[Run],
        *,
        fresh: bool,  # noqa: ARG002 - what is handed in is measured anyway
        show: Callable[[float], object],
    ) -> dict[str, float]:
        """See `Executor`."""
        with sharing():
            return _Pool(Bench(planned.study.path, planned.measurement, store), self.threads, show).measure(runs)


class _Pool:
    def __init__(self, bench: Bench, threads: int, show: Callable[[float], object]) -> None:
        self.bench, self.threads, self.show = bench, threads, show
        self.stop = threading.Event()
        self.fractions: dict[str, float] = {}

    def measure(self, runs: Sequence[Run]) -> dict[str, float]:
        seconds: dict[str, float] = {}
        pool = ThreadPoolExecutor(self.threads, thread_name_prefix="study")
        try:
            with starting():
                started = [pool.submit(self._one, run) for run in runs]
            waiting = set(started)
            while waiting:
                self.show(len(seconds) + sum(list(self.fractions.values())))
                done, waiting = wait(waiting, timeout=_LOOK, return_when=FIRST_COMPLETED)
                if any(future.exception() for future in done):
                    _raise_first(started)
                seconds.update(future.result() for future in done)
        finally:
            # This block also runs after success, when no run has to be stopped.
            self.stop.set()
            pool.shutdown(wait=False, cancel_futures=True)
            # A run ends at its next progress report. A long call into Rust has no reports, so it is stopped separately.
            while running := [thread for thread in pool._threads if thread.is_alive()]:
                _tulle.stop_calls([thread.ident for thread in running if thread.ident is not None])
                running[0].join(_LOOK)
        self.show(len(runs))
        return {run.id: seconds[run.id] for run in runs}

    def _one(self, run: Run) -> tuple[str, float]:
        def advance(fraction: float) -> None:
            if self.stop.is_set():
                raise _Stopped
            self.fractions[run.id] = fraction

        try:
            # This is the processor time of the whole process. It is the time of the run if no other run was active.
            return run.id, self.bench.measure(run, advance, alone=lambda: self.threads == 1)
        finally:
            self.fractions.pop(run.id, None)


def _raise_first(started: Sequence[Future[tuple[str, float]]]) -> None:
    """Raise the error of the first run that failed, in the order of `started`."""
    failed = next(at for at, future in enumerate(started) if future.done() and future.exception())
    wait(started[:failed], timeout=_GRACE)
    for future in started[: failed + 1]:
        if future.done():
            future.result()


EXECUTOR = model.ExecutorKind(
    name="local",
    summary="threads of this process",
    paper="none",
    limitations="Threads share memory, so a run that needs much memory can make other runs fail.",
    examples=("local",),
    settings=Options,
    start=start,
    has_threads=True,
)
