"""Measure a batch of runs in a worker process, usually on another machine, with a shared store."""

from __future__ import annotations

import os
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from tulle import _tulle
from tulle.errors import FileError, InputError, OutOfMemoryError, StudyError, TulleError
from tulle.study.engine.one_run import Bench
from tulle.study.engine.plan import Run
from tulle.study.engine.store import Store, build
from tulle.study.engine.versions import computing
from tulle.study.measurements.registry import measurement
from tulle.study.measurements.shared import sharing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from types import TracebackType

    from typing_extensions import Self

    from tulle.study.engine.model import StudyFile, Value
    from tulle.study.measurements.registry import Measurement

MEMORY = "memory"
"""Name of the resource under which a worker declares its memory to Dask, in bytes."""

# Seconds after which a worker returns the runs of a batch that it has not begun: their estimated times were too short,
# and other workers may be idle.
_LONG = 10.0
# Seconds between checks whether the batch was cancelled.
_LOOK = 0.2


@dataclass(frozen=True)
class Sent:
    """A run in a form that can be pickled. The class of its parameters may not exist before the study is read."""

    id: str
    case: str
    point: Mapping[str, Value]
    seed: int
    parameters: Mapping[str, Any]
    configuration: Mapping[str, Any]


@dataclass(frozen=True)
class Order:
    """A batch of runs, with data by which a worker checks that it would get the same results as the sender."""

    study: StudyFile
    build: str
    libraries: Mapping[str, str | None]
    folder: str
    """The working directory of the study; file names are relative to it."""
    store: str
    inode: int
    """The inode number of the store, which is the same on all machines that share it."""
    fresh: bool
    runs: tuple[Sent, ...]


@dataclass(frozen=True)
class Answer:
    """The outcome of a batch; the rows are in the store."""

    seconds: Mapping[str, float]
    """Seconds that each measured run took, by the run's id."""
    there: tuple[str, ...] = ()
    """Ids of runs that another program stored during the batch."""
    left: tuple[str, ...] = ()
    """Ids of runs that were not begun, because the batch took too long."""
    failed: str | None = None
    """The id of the run that failed; later runs were not started. Empty if the batch failed before its first run."""
    error: TulleError | None = None
    is_starved: bool = False
    """Whether the failed run had too little memory."""
    memory: float | None = None
    """If a run failed: the memory in bytes that the worker declares; None if it declares none."""


def send(run: Run) -> Sent:
    """Return a run in a form that can be pickled."""
    return Sent(run.id, run.case, dict(run.point), run.seed, dict(run.parameters), dict(run.configuration))


def check(order: Order) -> None:
    """Check that this process would get the same results as the sender of the batch.

    Raises
    ------
    tulle.InputError
        For another build of tulle, or other libraries.
    tulle.FileError
        If the working directory or the store is not the same folder as on the sender's machine.
    """
    here = f"worker on {os.uname().nodename}"
    if build() != order.build:
        raise InputError(f"{here}: build {build()} of tulle; legal: {order.build}, the build that started the study")
    for name, version in computing().items():
        if version != order.libraries.get(name):
            wanted = order.libraries.get(name) or "none"
            raise InputError(
                f"{here}: {name} {version or 'is missing'}; legal: {wanted}, as in the program that started the study"
            )
    try:
        if Path.cwd() != Path(order.folder):
            os.chdir(order.folder)
        inode = Path(order.store).stat().st_ino
    except OSError as error:
        raise FileError(
            f"{here}: {error.filename}: {error.strerror}; legal: a folder that all machines share"
        ) from None
    if inode != order.inode:
        raise FileError(f"{here}: {order.store} is a different folder on the worker; legal: a shared folder")


def work(order: Order) -> Answer:
    """Measure a batch run by run, and store each result as soon as it is known."""
    try:
        check(order)
        measured = measurement(order.study)
    except TulleError as error:
        return Answer({}, failed="", error=_plain(error))
    bench = Bench(order.study.path, measured, Store(Path(order.store)))
    seconds: dict[str, float] = {}
    there: list[str] = []
    began = monotonic()
    with _Task() as task, sharing():
        for at, sent in enumerate(order.runs):
            if at and monotonic() - began > _LONG:
                return Answer(seconds, tuple(there), tuple(run.id for run in order.runs[at:]))
            run = _unpacked(sent, measured)
            # Another program may have stored the run, for example a worker that died during this batch, or another
            # study.
            if not order.fresh and bench.store.find(run) is not None:
                there.append(run.id)
                continue
            try:
                with _counted() as alone:
                    seconds[run.id] = bench.measure(run, task.advance, alone=alone)
            except TulleError as error:
                is_starved = isinstance(error.__cause__, OutOfMemoryError)
                return Answer(seconds, tuple(there), (), run.id, _plain(error), is_starved, task.memory)
            except MemoryError as error:
                # A library that does not check memory first raises MemoryError.
                starved = StudyError(f"{bench.where(run)}: no memory left; {error or _tulle.memory_left()}")
                return Answer(seconds, tuple(there), (), run.id, starved, True, task.memory)
    return Answer(seconds, tuple(there))


def _plain(error: TulleError) -> TulleError:
    """Return the error without its cause, because the cause may be impossible to pickle."""
    return type(error)(str(error))


def _unpacked(sent: Sent, measured: Measurement[Any]) -> Run:
    # The sender has already checked and resolved these parameters.
    parameters = measured.parameters.model_construct(**sent.parameters)
    return Run(sent.id, sent.case, sent.point, sent.seed, parameters, sent.configuration)


class _Unwanted(Exception):  # noqa: N818
    """Raised while a run reports its progress, to end the run if its batch was cancelled."""


class _Task:
    """The Dask task that runs this code; it stops the current run once the task is cancelled."""

    def __init__(self) -> None:
        from distributed import get_worker

        worker = get_worker()
        self._tasks, self._key = worker.state.tasks, worker.get_current_task()
        self._thread = threading.get_ident()
        self._is_done, self._is_over = threading.Event(), False
        self.memory: float | None = worker.state.total_resources.get(MEMORY)
        if self.memory is not None:
            _limit(int(self.memory))

    def __enter__(self) -> Self:
        threading.Thread(target=self._watch, daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self._is_done.set()
        if self._is_over and isinstance(error, KeyboardInterrupt):
            # A KeyboardInterrupt would end the whole worker.
            raise _Unwanted from None

    def advance(self, _fraction: float) -> None:
        """See `Advance`."""
        if self._is_over:
            raise _Unwanted

    def _watch(self) -> None:
        while not self._is_done.wait(_LOOK):
            task = self._tasks.get(self._key)
            if task is None or task.state == "cancelled":
                self._is_over = True
                # A long call into Rust has no progress report that could end it, so it is stopped separately.
                _tulle.stop_calls([self._thread])


_lock = threading.Lock()
_running = 0
_started = 0


@contextmanager
def _counted() -> Iterator[Callable[[], bool]]:
    """Count a run of this process.

    The context yields a function that tells whether the run was alone in its process, because a worker can have several
    threads.
    """
    global _running, _started
    with _lock:
        _running, _started = _running + 1, _started + 1
        first, number = _running == 1, _started
    try:
        yield lambda: first and _started == number
    finally:
        with _lock:
            _running -= 1


@cache
def _limit(memory: int) -> None:
    """Limit this process to the memory that the worker declares. A larger run then fails, and the worker survives."""
    try:
        from resource import RLIM_INFINITY, RLIMIT_AS, getrlimit, setrlimit

        used = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except (ImportError, OSError):
        # This operating system has no memory limits for processes. Dask ends a worker that takes more memory.
        return
    soft, hard = getrlimit(RLIMIT_AS)
    bounds = [used + memory, *(limit for limit in (soft, hard) if limit != RLIM_INFINITY)]
    setrlimit(RLIMIT_AS, (min(bounds), hard))
