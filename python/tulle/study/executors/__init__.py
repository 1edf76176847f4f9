"""Executors: where the runs of a study are measured. One file each, and one line here.

The study knows none of this: an executor gets runs and a store, and when it is done the store has them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Protocol

from pydantic import BaseModel, ConfigDict, ValidationError

from tulle import _tulle
from tulle._internal.text import did_you_mean
from tulle.errors import InputError
from tulle.study.engine.model import first_problem

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tulle.study.engine.plan import Plan, Run
    from tulle.study.engine.store import Store

# Name -> module with `Options` and `start`; modules load when they are asked for.
_MODULES = {
    "local": "tulle.study.executors.local",
    "dask": "tulle.study.executors.dask",
    "slurm": "tulle.study.executors.slurm",
}


class Executor(Protocol):
    """Measures runs and keeps them in a store."""

    def measure(
        self, planned: Plan, store: Store, runs: Sequence[Run], *, fresh: bool, show: Callable[[float], object]
    ) -> dict[str, float]:
        """The seconds that each run took, by id; without those that another program has put into the store meanwhile.

        Parameters
        ----------
        planned
            The study whose runs they are.
        store
            Gets the rows; with `fresh`, whatever it has is measured anew.
        show
            Called about ten times a second with the runs done, fractions of those under way counted.

        Raises
        ------
        tulle.StudyError
            For a run that fails; it names the run. No other starts, and those under way are ended.
        tulle.FileError
            If results cannot be written.
        KeyboardInterrupt
            On Ctrl-C, once the runs under way have ended.
        """

    def standing(self) -> str:
        """What a line of progress says beside the runs done: how many are running, and where to look; may be empty."""


class Options(BaseModel):
    """Base of the options of an executor, as they are in its spec: texts that are read."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


def executor(spec: str, *, threads: int | None = None) -> Executor:
    """An executor, from ``name:key=value,key=value``.

    Raises
    ------
    tulle.InputError, tulle.SpecError
        For an unknown name or option, or a value that is not legal.
    tulle.MissingDependencyError
        If what it runs on is not installed.
    """
    name, given = _tulle.split_spec(spec)
    if name not in _MODULES:
        raise InputError(f"unknown executor '{name}'; {did_you_mean(name, list(_MODULES))}")
    if name != "local" and threads is not None:
        raise InputError(f"threads={threads} is for the executor local; legal: {name}:workers=N")
    module = import_module(_MODULES[name])
    try:
        options = module.Options.model_validate(dict(given))
    except ValidationError as error:
        raise InputError(f"executor {name}: {first_problem(error, module.Options)}") from None
    started: Executor = module.start(options, threads)
    return started
