"""Typed specs of executors of studies, for example ``Slurm(memory="64GB")``.

``tulle list executors`` describes them.
"""

# Written by `python tools/typed_specs.py write`.

from tulle.typed_specs import Spec

class Local(Spec):
    """Threads of this process.

    Notes
    -----
    Source: none.

    Limitations: Threads share memory, so a run that needs much memory can make other runs fail.

    Examples
    --------
    >>> str(Local())
    'local'
    """
    def __new__(cls) -> Local: ...

class Dask(Spec):
    """Worker processes of this machine, or an existing cluster of Dask.

    Parameters
    ----------
    workers
        Worker processes on this machine, each measuring one run at a time; default: one per core. Legal: a whole
        number from 1. Default: none.
    scheduler
        The address of an existing cluster, for example tcp://host:8786, whose workers are used. Legal: text.
        Default: none.

    Notes
    -----
    Source: none.

    Limitations: Needs the extra `cluster`.

    Examples
    --------
    >>> str(Dask(workers=8))
    'dask:workers=8'
    """
    def __new__(cls, *, workers: int | None = None, scheduler: str | None = None) -> Dask: ...

class Slurm(Spec):
    """Jobs of Slurm whose workers are a cluster of Dask.

    Parameters
    ----------
    queue
        The partition; default: Slurm's. Legal: text. Default: none.
    account
        The account that is charged; default: Slurm's. Legal: text. Default: none.
    time
        The time limit of a job. Legal: text.
    cores
        Processors of a job. Legal: a whole number from 1.
    memory
        Memory of a job. Legal: text.
    workers
        Worker processes of a job, each measuring one run at a time with its share of cores and memory; default: one
        per core. Legal: a whole number from 1. Default: none.
    jobs
        Number of jobs. Legal: a whole number from 1.

    Notes
    -----
    Source: none.

    Limitations: Needs the extra `cluster`, and a machine that submits jobs.

    Examples
    --------
    >>> str(Slurm(memory='64GB'))
    'slurm:memory=64GB'
    """
    def __new__(
        cls,
        *,
        queue: str | None = None,
        account: str | None = None,
        time: str = "01:00:00",
        cores: int = 1,
        memory: str,
        workers: int | None = None,
        jobs: int = 1,
    ) -> Slurm: ...
