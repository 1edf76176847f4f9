"""The executor `slurm`: Slurm jobs whose workers form a Dask cluster."""

from __future__ import annotations

import asyncio
import re
import shutil
import signal
import sys
from contextlib import contextmanager, suppress
from dataclasses import replace
from math import inf
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import AfterValidator, Field

from tulle.errors import InputError
from tulle.study.executors import model
from tulle.study.executors.on_dask import ON_WORKERS, Connected, OnDask, need, started
from tulle.study.executors.worker import MEMORY

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tulle.study.engine.store import Store

# Seconds without workers after which a job counts as lost. Dask restarts a dead worker in less time.
_LOST = 30.0
# Seconds that `scancel` may take.
_CANCEL = 30.0


def _as(pattern: str, legal: str) -> Any:
    """Return a validator: the text must match the pattern, because it becomes part of a shell script."""

    def check(value: str) -> str:
        if not re.fullmatch(pattern, value):
            raise ValueError(f"has the wrong form; legal: {legal}")
        return value

    return AfterValidator(check)


_NAME = _as(r"[\w.@+-]+", "letters, digits, and ._-@+")
_TIME = r"\d+|\d+:\d\d|\d+:\d\d:\d\d|\d+-\d+(:\d\d){0,2}"


class Options(model.Options):
    """Options of the executor `slurm`."""

    queue: Annotated[str, _NAME] | None = None
    """the partition; default: Slurm's"""
    account: Annotated[str, _NAME] | None = None
    """the account that is charged; default: Slurm's"""
    time: Annotated[str, _as(_TIME, "for example 90 (minutes), 02:00:00 or 1-12:00:00")] = "01:00:00"
    """the time limit of a job"""
    cores: int = Field(default=1, ge=1)
    """processors of a job"""
    memory: Annotated[str, _as(r"\d+(\.\d+)?[KMGT]i?B", "for example 64GB or 64GiB")]
    """memory of a job"""
    workers: int | None = Field(default=None, ge=1)
    """worker processes of a job, each measuring one run at a time with its share of cores and memory; default: one per
    core"""
    jobs: int = Field(default=1, ge=1)
    """number of jobs"""


def start(options: Options, _threads: int | None) -> OnDask:
    """Return the executor; submit nothing yet."""
    need("dask", "distributed", "dask_jobqueue", "cryptography")
    for command in ("sbatch", "scancel"):
        if shutil.which(command) is None:
            raise InputError(f"executor slurm: {command} is not installed; legal: a machine that submits jobs to Slurm")
    return OnDask(lambda store: _jobs(options, store))


@contextmanager
def _jobs(options: Options, store: Store) -> Iterator[Connected]:
    refused: list[str] = []

    with started(lambda: cluster(options, store, refused)) as connected:
        jobs = _Jobs(connected.cluster, options.jobs)

        def look() -> str | None:
            jobs.renew()
            return f"executor slurm: {refused[0]}" if refused else None

        try:
            connected.cluster.scale(jobs=options.jobs)
            yield replace(connected, look=look)
        finally:
            forget_keys(connected.cluster)


class _Jobs:
    """The jobs of a cluster. Jobs that died or reached their time limit are submitted again."""

    def __init__(self, cluster: Any, jobs: int) -> None:
        from distributed.diagnostics.plugin import SchedulerPlugin

        self._cluster, self._jobs = cluster, jobs
        # Names of all workers that have ever connected; some disconnect again between two checks.
        self._came = came = set[str]()
        # Time at which each job last had a worker; a job that still waits in Slurm's queue has none.
        self._seen: dict[str, float] = {}

        class Arrivals(SchedulerPlugin):
            def add_worker(self, scheduler: Any, worker: str, **_: Any) -> None:
                came.add(str(scheduler.workers[worker].name))

        cluster.scheduler.add_plugin(Arrivals())

    def renew(self) -> None:
        """Check which jobs have workers, and submit lost jobs again."""
        names = [str(worker["name"]) for worker in list(self._cluster.scheduler_info["workers"].values())]
        for job in list(self._cluster.workers):
            if _has(job, names):
                self._seen[job] = monotonic()
                continue
            if _has(job, list(self._came)):
                self._seen.setdefault(job, monotonic())
            if monotonic() - self._seen.get(job, inf) > _LOST:
                del self._seen[job]
                # Forget the old job's time, because the new job may have the same name, and it first waits in the
                # queue.
                self._came -= {name for name in list(self._came) if _has(job, [name])}
                # Cancel the rest of the job; then the cluster submits a new job under the same name. If `scancel` does
                # not return, the study continues, because the cancelled job has no workers.
                with suppress(TimeoutError, asyncio.TimeoutError):
                    self._cluster.sync(self._cluster.workers.pop(job).close, callback_timeout=_CANCEL)
                self._cluster.scale(jobs=self._jobs)


def _has(job: str, workers: Iterable[str]) -> bool:
    """Whether one of the workers belongs to a job."""
    return any(name == job or name.startswith(f"{job}-") for name in workers)


def cluster(options: Options, store: Store, refused: list[str]) -> Any:
    """Return a Dask cluster without jobs. Slurm's messages about refused jobs are added to `refused` later."""
    import dask
    from dask.utils import parse_bytes
    from distributed import Security, Status

    # Importing dask_jobqueue replaces this process's handler of Ctrl-C.
    interrupt = signal.getsignal(signal.SIGINT)
    from dask_jobqueue import SLURMCluster
    from dask_jobqueue.slurm import SLURMJob

    signal.signal(signal.SIGINT, interrupt)

    class Job(SLURMJob):  # type: ignore[misc]
        async def start(self) -> None:
            try:
                await super().start()
            except Exception as error:
                # Mark the job as failed. Because of this error, the cluster may be closed, and then Dask asserts that
                # every job has started or failed.
                self.status = Status.failed
                lines = [line.strip() for line in str(error).splitlines() if line.strip()]
                refused.append(lines[-1] if lines else type(error).__name__)
                raise

        async def close(self) -> None:
            await super().close()
            # When Dask closes a cluster, it asserts that all jobs are closed.
            self.status = Status.closed

    def site(name: str) -> Any:
        """Return a setting for Slurm jobs from Dask's configuration, for example ~/.config/dask/jobqueue.yaml."""
        return dask.config.get(f"jobqueue.slurm.{name}", default=None) or []

    workers = options.workers or options.cores
    memory = parse_bytes(options.memory)
    folder = store.directory.absolute().parent / "slurm"
    for path in (str(folder), sys.executable):
        # The job script contains these paths without quotes.
        if not re.fullmatch(r"[\w./@%+=:,~-]+", path):
            raise InputError(
                f"executor slurm: a job script cannot contain the path '{path}'; legal: letters, digits and ./@%+=:,~_-"
            )
    folder.mkdir(parents=True, exist_ok=True)
    return SLURMCluster(
        job_cls=Job,
        job_name="tulle",
        queue=options.queue,
        account=options.account,
        walltime=options.time,
        job_cpu=options.cores,
        memory=f"{memory}B",
        cores=workers,
        processes=workers,
        python=sys.executable,
        job_script_prologue=[*site("job-script-prologue"), *_exports(max(1, options.cores // workers))],
        worker_extra_args=[*site("worker-extra-args"), "--resources", f"{MEMORY}={memory // workers}"],
        log_directory=str(folder),
        # Other users can reach the scheduler's port. Without certificates, they could run any code.
        security=Security.temporary(),
        shared_temp_directory=str(folder),
        scheduler_options={"dashboard_address": ":0", **dict(site("scheduler-options"))},
    )


def forget_keys(cluster: Any) -> None:
    """Delete the files of a cluster's certificates now.

    Otherwise the files exist until Python's garbage collector removes the object that owns them.
    """
    for name in ("ca_file", "cert", "key"):
        file = getattr(cluster, f"_job_{name}", None)
        if file is not None:
            file.close()


def _exports(threads: int) -> list[str]:
    """Return the shell lines that set the workers' settings in the environment of a job."""
    of_dask = {f"DASK_{name.upper().replace('.', '__').replace('-', '_')}": value for name, value in ON_WORKERS.items()}
    return [f"export {name}={value}" for name, value in {"RAYON_NUM_THREADS": threads, **of_dask}.items()]


EXECUTOR = model.ExecutorKind(
    name="slurm",
    summary="jobs of Slurm whose workers are a cluster of Dask",
    paper="none",
    limitations="Needs the extra `cluster`, and a machine that submits jobs.",
    examples=("slurm:memory=64GB", "slurm:memory=64GB,queue=normal,cores=16,time=02:00:00,jobs=4"),
    settings=Options,
    start=start,
)
