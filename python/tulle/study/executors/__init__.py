"""Executors measure the runs of a study, for example in threads or on a cluster. Each has a file, and a line below.

Studies do not depend on executors: an executor gets runs and a store, and puts the results of all runs into the store.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import ValidationError

from tulle import _tulle
from tulle._internal.plugins import find
from tulle._internal.text import did_you_mean
from tulle.errors import InputError
from tulle.study.engine.problems import first_problem

if TYPE_CHECKING:
    from tulle.declarations import Entry
    from tulle.study.executors.model import Executor, ExecutorKind, Options

# Map from the name of an executor to the module that defines EXECUTOR, in the order of `tulle list executors`.
_MODULES = {
    "local": "tulle.study.executors.local",
    "dask": "tulle.study.executors.dask",
    "slurm": "tulle.study.executors.slurm",
}


def executor(spec: str, *, threads: int | None = None) -> Executor:
    """Return the executor of a spec ``name:key=value,key=value``.

    Raises
    ------
    tulle.InputError, tulle.SpecError
        For an unknown name or option, or a value that is not legal.
    tulle.MissingDependencyError
        If a package that the executor needs is not installed.
    """
    kind, options = read_spec(spec)
    if not kind.has_threads and threads is not None:
        legal = ", ".join(other.name for other in executor_kinds() if other.has_threads)
        raise InputError(f"threads={threads} needs the executor {legal}; legal: {kind.name}:workers=N")
    return kind.start(options, threads)


def read_spec(spec: str) -> tuple[ExecutorKind, Options]:
    """Read the executor and the options of a spec; start nothing.

    Raises
    ------
    tulle.InputError, tulle.SpecError
        For an unknown name or option, or a value that is not legal.
    """
    name, given = _tulle.split_spec(spec)
    kind = executor_kind(name)
    if given and not kind.settings.model_fields:
        raise InputError(f"executor {name} takes no parameters, but has '{'='.join(given[0])}'; legal: {name}")
    try:
        return kind, kind.settings.model_validate(dict(given))
    except ValidationError as error:
        raise InputError(f"executor {name}: {first_problem(error, kind.settings)}") from None


def executor_kind(name: str) -> ExecutorKind:
    """Return the registered executor of this name.

    Raises
    ------
    tulle.InputError
        For an unknown name.
    """
    unknown = f"unknown executor '{name}'; {did_you_mean(name, list(_MODULES))}"
    found: ExecutorKind = find(_MODULES, name, "EXECUTOR", unknown)
    return found


def executor_kinds() -> list[ExecutorKind]:
    """Return all registered executors, in the order of the registry."""
    return [executor_kind(name) for name in _MODULES]


def entries() -> list[Entry]:
    """Return the entry of every executor, in the order of the registry."""
    return [kind.entry for kind in executor_kinds()]
