"""What a worker does with a batch: on another machine as a rule, with the store that all share."""

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

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from types import TracebackType

    from typing_extensions import Self

    from tulle.study.engine.model import StudyFile, Value
    from tulle.study.measurements.registry import Measurement

MEMORY = "memory"
"""What a worker calls its memory among the resources that it declares to Dask, in bytes."""

# Seconds after which a worker hands back what it has not begun: the estimate was wrong, and others may be idle.
_LONG = 10.0
# Seconds between looks whether the work is still wanted.
_LOOK = 0.2


@dataclass(frozen=True)
class Sent:
    """A run as it travels: the class of its parameters is its measurement's, which may be made as a study is read."""

    id: str
    case: str
    point: Mapping[str, Value]
    seed: int
    parameters: Mapping[str, Any]
    configuration: Mapping[str, Any]


@dataclass(frozen=True)
class Order:
    """A batch, and what must be so for its results to be those of the one who sends it."""

    study: StudyFile
    build: str
    libraries: Mapping[str, str | None]
    folder: str
    """Where the study runs: names of files are as seen from there."""
    store: str
    inode: int
    """The number that the file system knows the store by, on all machines that share it."""
    fresh: bool
    runs: tuple[Sent, ...]


@dataclass(frozen=True)
class Answer:
    """What became of a batch; rows are in the store, not here."""

    seconds: Mapping[str, float]
    """By id of a run that was measured."""
    there: tuple[str, ...] = ()
    """Ids of runs that another program had put into the store meanwhile."""
    left: tuple[str, ...] = ()
    """Ids of runs that were not begun, as the others took long."""
    failed: str | None = None
    """The id of the run that failed; those after it were not begun."""
    error: TulleError | None = None
    is_starved: bool = False
    """Whether it failed for want of memory."""
    memory: float | None = None
    """The bytes that the worker declares, where it does."""


def send(run: Run) -> Sent:
    """A run, for its travel."""
    return Sent(run.id, run.case, dict(run.point), run.seed, dict(run.parameters), dict(run.configuration))


def check(order: Order) -> None:
    """That results of this process are those that the order is for.

    Raises
    ------
    tulle.InputError
        For another build of tulle, or other libraries.
    tulle.FileError
        If the folders are not those of the one who sends it.
    """
    here = f"worker on {os.uname().nodename}"
    if build() != order.build:
        raise InputError(f"{here}: build {build()} of tulle; legal: {order.build}, as where the study was started")
    for name, version in computing().items():
        if version != order.libraries.get(name):
            wanted = order.libraries.get(name) or "none"
            raise InputError(f"{here}: {name} {version or 'is missing'}; legal: {wanted}, as where it was started")
    try:
        if Path.cwd() != Path(order.folder):
            os.chdir(order.folder)
        inode = Path(order.store).stat().st_ino
    except OSError as error:
        raise FileError(
            f"{here}: {error.filename}: {error.strerror}; legal: a folder that all machines share"
        ) from None
    if inode != order.inode:
        raise FileError(f"{here}: {order.store} is another folder there; legal: one that all machines share")


def work(order: Order) -> Answer:
    """Measures a batch, one run after the other, and keeps each as soon as it is there."""
    try:
        check(order)
        measured = measurement(order.study)
    except TulleError as error:
        return Answer({}, failed="", error=_plain(error))
    bench = Bench(order.study.path, measured, Store(Path(order.store)))
    seconds: dict[str, float] = {}
    there: list[str] = []
    began = monotonic()
    with _Task() as task:
        for at, sent in enumerate(order.runs):
            if at and monotonic() - began > _LONG:
                return Answer(seconds, tuple(there), tuple(run.id for run in order.runs[at:]))
            run = _unpacked(sent, measured)
            # As of another worker that died with this batch, or of a study that shares runs with this one.
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
                # Of a library that does not ask in words.
                starved = StudyError(f"{bench.where(run)}: no memory left; {error or _tulle.memory_left()}")
                return Answer(seconds, tuple(there), (), run.id, starved, True, task.memory)
    return Answer(seconds, tuple(there))


def _plain(error: TulleError) -> TulleError:
    """The same without what it came from, which need not travel."""
    return type(error)(str(error))


def _unpacked(sent: Sent, measured: Measurement[Any]) -> Run:
    # They were checked and resolved before they travelled.
    parameters = measured.parameters.model_construct(**sent.parameters)
    return Run(sent.id, sent.case, sent.point, sent.seed, parameters, sent.configuration)


class _Unwanted(Exception):  # noqa: N818
    """Ends a run from within: nobody waits for it any more."""


class _Task:
    """The task of Dask that this is; what it is at ends once nobody wants it any more."""

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
            # Dask would take the worker down with it.
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
                # A long call has no report in which to end.
                _tulle.stop_calls([self._thread])


_lock = threading.Lock()
_running = 0
_started = 0


@contextmanager
def _counted() -> Iterator[Callable[[], bool]]:
    """Counts a run of this process; whether it has been the only one, which its user may have given several threads."""
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
    """No more than the memory that this worker declares, so that a run beyond it is refused and the worker stays."""
    try:
        from resource import RLIM_INFINITY, RLIMIT_AS, getrlimit, setrlimit

        used = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except (ImportError, OSError):
        # No such limits here: Dask ends a worker that takes more.
        return
    soft, hard = getrlimit(RLIMIT_AS)
    bounds = [used + memory, *(limit for limit in (soft, hard) if limit != RLIM_INFINITY)]
    setrlimit(RLIMIT_AS, (min(bounds), hard))
