"""Measure runs on a Dask cluster, started by tulle or elsewhere.

Runs are sent in batches, and again if a worker dies.
"""

from __future__ import annotations

import asyncio
import logging
import signal
from collections import defaultdict
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from multiprocessing import resource_tracker
from pathlib import Path
from queue import Empty, SimpleQueue
from time import monotonic
from typing import TYPE_CHECKING, Any

from tulle.errors import InputError, MissingDependencyError, StudyError
from tulle.study.engine.store import build
from tulle.study.engine.versions import computing
from tulle.study.executors.batches import Batches, batch_key
from tulle.study.executors.worker import MEMORY, Answer, Order, send, work

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from distributed import Client, Future

    from tulle.study.engine.plan import Plan, Run
    from tulle.study.engine.store import Store

# Seconds between checks for finished batches, and between checks of the workers.
_LOOK, _WORKERS = 0.1, 1.0
# Calls of Dask wait without a limit, although a dead worker or a lost connection may never answer. Therefore tulle sets
# limits in seconds: for an answer, and for a cluster to close.
_ANSWER, _CLOSE = 10.0, 60.0
# Number of consecutive unanswered calls after which the scheduler is considered lost.
_UNANSWERED = 12

_LOG = logging.getLogger(__name__)

ON_WORKERS = {
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": False,
}
"""Settings of clusters that tulle starts. Results are in the store, so workers need not spill memory to disk. A process
that still uses memory after a run must not be paused."""
# A worker has only one batch at a time. Otherwise, if a worker dies, Dask would also blame the batches that wait at
# this worker.
_ON_SCHEDULER = {
    "distributed.scheduler.worker-saturation": 1.0,
    # The executor `slurm` itself replaces lost jobs. Dask would only cancel them, and also cancel new jobs that still
    # wait in the queue.
    "distributed.deploy.lost-worker-timeout": "1000 days",
}


@dataclass(frozen=True)
class Connected:
    """A running cluster, and the objects through which the study uses it."""

    client: Client
    cluster: Any = None
    """The cluster that tulle started; None for an existing cluster."""
    look: Callable[[], str | None] = lambda: None
    """Called every second; if no workers will ever connect, it returns the reason in one line, otherwise None."""


def need(*packages: str) -> None:
    """Check that packages of the extra `cluster` are installed.

    Raises
    ------
    tulle.MissingDependencyError
        If a package is missing.
    """
    for package in packages:
        if find_spec(package) is None:
            raise MissingDependencyError(f"runs on a cluster need {package}; install tulle[cluster]")


class OnDask:
    """An executor on a cluster of Dask; the context manager `connect` starts and ends the cluster."""

    def __init__(self, connect: Callable[[Store], AbstractContextManager[Connected]]) -> None:
        self._connect = connect
        self._dashboard = ""
        self._slots = self._running = 0

    def standing(self) -> str:
        """See `Executor`."""
        if not self._dashboard:
            return "the cluster starts"
        return f"{self._running} of {self._slots} workers busy, {self._dashboard}"

    def measure(
        self, planned: Plan, store: Store, runs: Sequence[Run], *, fresh: bool, show: Callable[[float], object]
    ) -> dict[str, float]:
        """See `Executor`."""
        if not runs:
            return {}
        store.directory.mkdir(parents=True, exist_ok=True)
        show(0)
        with self._connect(store) as connected:
            self._dashboard = connected.client.dashboard_link or "no dashboard"
            return _Driver(self, connected, planned, store, fresh=fresh, show=show).measure(runs)


class _Driver:
    """The client side: sends batches to workers and receives their answers."""

    def __init__(
        self,
        owner: OnDask,
        connected: Connected,
        planned: Plan,
        store: Store,
        *,
        fresh: bool,
        show: Callable[[float], object],
    ) -> None:
        self._owner, self._client, self._look = owner, connected.client, connected.look
        self._planned, self._store = planned, store
        self._fresh, self._show = fresh, show
        self._under_way: dict[Future[Answer], list[Run]] = {}
        self._ended: SimpleQueue[Future[Answer]] = SimpleQueue()
        self._seconds: dict[str, float] = {}
        self._done = 0
        # Memory in bytes that a worker must declare, by case and grid point, because a worker with less memory failed.
        self._memory: dict[Hashable, float] = {}
        # The batches in `_under_way` whose answers were lost because their workers died.
        self._lost: list[Future[Answer]] = []
        # Number of consecutive calls that the scheduler has not answered.
        self._unanswered = 0

    def measure(self, runs: Sequence[Run]) -> dict[str, float]:
        batches = Batches(runs)
        # The times of stored runs give estimates of the times of the other runs of their case.
        for run in self._planned.runs:
            if (seconds := self._store.seconds(run)) is not None:
                batches.learn(run, seconds)
        looked = -_WORKERS
        try:
            while self._done < len(runs):
                if monotonic() - looked > _WORKERS:
                    self._count_workers()
                    self._await_lost()
                    looked = monotonic()
                    if (trouble := self._look()) is not None:
                        raise InputError(trouble)
                for batch in batches.take(all=len(self._under_way) < max(1, self._owner._slots)):
                    self._submit(batch)
                self._owner._running = min(len(self._under_way), self._owner._slots)
                self._show(self._done)
                with suppress(Empty):
                    self._hear(self._ended.get(timeout=_LOOK), batches)
        finally:
            # This block also runs after success, when nothing has to be cancelled.
            if self._under_way:
                with suppress(Exception):
                    self._client.cancel(list(self._under_way), force=True)
        self._show(self._done)
        return {run.id: self._seconds[run.id] for run in runs if run.id in self._seconds}

    def _count_workers(self) -> None:
        """Ask the scheduler how many runs its workers can take at a time.

        If the scheduler does not answer, the last known number stays.
        """
        try:
            self._owner._slots = sum(self._client.nthreads(callback_timeout=_ANSWER).values())
        except (TimeoutError, asyncio.TimeoutError):
            self._unanswered += 1
            if self._unanswered == _UNANSWERED:
                seconds = f"{_UNANSWERED * _ANSWER:g} s"
                raise StudyError(
                    f"{self._planned.study.path}: the scheduler of Dask has not answered for {seconds}; run the same "
                    "command again to measure the remaining runs"
                ) from None
        else:
            self._unanswered = 0

    def _submit(self, batch: list[Run]) -> None:
        """Send a batch to the cluster; runs that need workers of different sizes are sent separately."""
        by_memory: dict[float | None, list[Run]] = defaultdict(list)
        for run in batch:
            by_memory[self._memory.get(batch_key(run))].append(run)
        for memory, part in by_memory.items():
            order = Order(
                self._planned.study,
                build(),
                computing(),
                str(Path.cwd()),
                str(self._store.directory.absolute()),
                self._store.directory.stat().st_ino,
                self._fresh,
                tuple(map(send, part)),
            )
            resources = None if memory is None else {MEMORY: memory}
            future = self._client.submit(work, order, pure=False, resources=resources)
            self._under_way[future] = part
            future.add_done_callback(self._ended.put)

    def _hear(self, future: Future[Answer], batches: Batches) -> None:
        batch = self._under_way.pop(future)
        answer, error = None, None
        # If a worker dies, its answer is lost, and the future waits for another worker. `measure` submits lost Slurm
        # jobs again only between two calls of this method, so this method must not wait without a limit.
        status = future.status
        with suppress(TimeoutError, asyncio.TimeoutError):
            if status == "finished":
                answer = future.result(timeout=_ANSWER)
            elif status == "error":
                error = future.exception(timeout=_ANSWER)
        if answer is not None:
            self._take(answer, batch, batches)
        elif error is not None:
            self._recover(error, batch)
        elif status == "cancelled":
            raise StudyError(
                f"{self._planned.study.path}: the scheduler of Dask has ended; run the same command again to measure "
                "the remaining runs"
            )
        elif status == "lost":
            self._under_way[future] = batch
            self._lost.append(future)
        else:
            self._under_way[future] = batch
            future.add_done_callback(self._ended.put)

    def _await_lost(self) -> None:
        """Wait again for answers that were lost when workers died.

        This method is called rarely, because Dask reports the loss again immediately until another worker has the run.
        """
        for future in self._lost:
            future.add_done_callback(self._ended.put)
        self._lost.clear()

    def _take(self, answer: Answer, batch: list[Run], batches: Batches) -> None:
        by_id = {run.id: run for run in batch}
        for id, seconds in answer.seconds.items():
            batches.learn(by_id[id], seconds)
        self._seconds.update(answer.seconds)
        self._done += len(answer.seconds) + len(answer.there)
        starved = by_id.get(answer.failed or "") if answer.is_starved else None
        if answer.error is not None and not (starved is not None and self._larger(starved, answer.memory)):
            raise answer.error
        settled = {*answer.seconds, *answer.there}
        batches.end(batch, [run for run in batch if run.id not in settled])

    def _larger(self, run: Run, memory: float | None) -> bool:
        """Whether some worker has more memory than the worker on which the run failed.

        If so, the run is retried on a worker with more memory.
        """
        workers = self._client.scheduler_info()["workers"].values()
        sizes = [worker.get("resources", {}).get(MEMORY, 0) for worker in workers]
        larger = [size for size in sizes if memory is not None and size > memory]
        if larger:
            self._memory[batch_key(run)] = min(larger)
        return bool(larger)

    def _recover(self, error: BaseException, batch: list[Run]) -> None:
        """Handle a batch that Dask does not try again. If the batch made workers die, its runs are sent one by one."""
        from distributed import KilledWorker

        path = self._planned.study.path
        if isinstance(error, KilledWorker):
            if len(batch) > 1:
                for run in batch:
                    self._submit([run])
                return
            (run,) = batch
            raise StudyError(
                f"{path}: case '{run.case}', seed {run.seed}: every worker that ran it died, for example "
                "because it had too little memory or time"
            )
        cause = error.__cause__ if error.__cause__ is not None else error
        if isinstance(cause, (ImportError, AttributeError)):
            raise InputError(f"a worker cannot load tulle: {cause}; legal: the same installation on all machines")
        raise error


@contextmanager
def later() -> Iterator[None]:
    """Block Ctrl-C, also for threads and processes that start inside the block, because they must never receive it."""
    # Python's resource tracker must already run, because its start would unblock the signal in this thread.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def started(cluster: Callable[[], Any]) -> Iterator[Connected]:
    """Start a cluster and a client, and close both at the end."""
    import dask
    from distributed import Client

    with dask.config.set({**ON_WORKERS, **_ON_SCHEDULER}):
        own = client = None
        try:
            with later():
                own = cluster()
                client = Client(own, set_as_default=False)
            yield Connected(client, own)
        finally:
            with later():
                if client is not None:
                    client.close()
                if own is not None:
                    _close(own)


def _close(cluster: Any) -> None:
    """Close a cluster that tulle started.

    If the cluster does not close in time, tulle does not wait any longer, because all results are in the store.
    """
    try:
        cluster.close(timeout=_CLOSE)
    except (TimeoutError, asyncio.TimeoutError):
        _LOG.warning("the cluster %s has not closed within %g s; end its jobs manually", cluster.name, _CLOSE)
