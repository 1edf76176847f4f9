"""The executor `dask`: worker processes of this machine, or an existing cluster of Dask."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pydantic import Field

from tulle._internal.runtime import processors
from tulle.errors import InputError
from tulle.study.executors import model
from tulle.study.executors.on_dask import Connected, OnDask, need, started
from tulle.study.executors.worker import MEMORY

if TYPE_CHECKING:
    from collections.abc import Iterator


class Options(model.Options):
    """Options of the executor `dask`."""

    workers: int | None = Field(default=None, ge=1)
    """worker processes on this machine, each measuring one run at a time; default: one per core"""
    scheduler: str | None = Field(default=None, min_length=1)
    """the address of an existing cluster, for example tcp://host:8786, whose workers are used"""


def start(options: Options, _threads: int | None) -> OnDask:
    """Return the executor; start nothing yet."""
    need("dask", "distributed")
    if options.scheduler is None:
        need("cryptography")
        return OnDask(lambda _: started(lambda: _cluster(options.workers or processors())))
    if options.workers is not None:
        raise InputError(f"executor dask: workers={options.workers} and scheduler are both set; legal: one of them")
    scheduler = options.scheduler
    return OnDask(lambda _: _connected(scheduler))


def _cluster(workers: int) -> Any:
    from distributed import LocalCluster, Security
    from distributed.system import MEMORY_LIMIT

    memory = MEMORY_LIMIT // workers
    share = str(max(1, processors() // workers))
    return LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        memory_limit=memory,
        resources={MEMORY: memory},
        # Other users of the machine can reach the cluster's ports. Without certificates, they could run any code.
        security=Security.temporary(),
        # Any port that is free.
        dashboard_address="127.0.0.1:0",
        silence_logs=logging.CRITICAL,
        env={"RAYON_NUM_THREADS": share},
    )


@contextmanager
def _connected(scheduler: str) -> Iterator[Connected]:
    from distributed import Client

    try:
        client = Client(scheduler, set_as_default=False)
    except (OSError, ValueError) as error:
        problem = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(
            f"executor dask: scheduler={scheduler}: {problem}; legal: the address of a running scheduler"
        ) from None
    with client:
        yield Connected(client)


EXECUTOR = model.ExecutorKind(
    name="dask",
    summary="worker processes of this machine, or an existing cluster of Dask",
    paper="none",
    limitations="Needs the extra `cluster`.",
    examples=("dask:workers=8", "dask:scheduler=tcp://host:8786"),
    settings=Options,
    start=start,
)
