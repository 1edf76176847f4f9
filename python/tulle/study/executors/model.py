"""Executors: what an executor of studies declares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from pydantic import BaseModel, ConfigDict

from tulle.declarations import Plugin
from tulle.study.measurements.listing import parameters_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tulle.declarations import Parameter
    from tulle.study.engine.plan import Plan, Run
    from tulle.study.engine.store import Store


class Executor(Protocol):
    """Measures runs and puts the results into a store."""

    def measure(
        self, planned: Plan, store: Store, runs: Sequence[Run], *, fresh: bool, show: Callable[[float], object]
    ) -> dict[str, float]:
        """Measure runs; return the seconds of each by id, without runs that another program has stored meanwhile.

        Parameters
        ----------
        planned
            The study whose runs they are.
        store
            Gets the rows; with `fresh`, whatever it has is measured again.
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
        """Return a text for the progress line, for example the busy workers and the address of a dashboard.

        May be empty.
        """


class Options(BaseModel):
    """Base class of an executor's options, which are read from the texts of its spec."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


@dataclass(frozen=True, kw_only=True)
class ExecutorKind(Plugin):
    """A registered executor. ``tulle run --executor`` takes its specs, ``tulle list executors`` shows it."""

    settings: type[Options]
    """The options of its spec."""
    start: Callable[[Any, int | None], Executor]
    """Make the executor from its options and the number of threads."""
    has_threads: bool = False
    """Whether ``--threads`` is for it."""

    def parameters(self) -> list[Parameter]:
        """Return the options in the form that lists and schemas show."""
        return parameters_of(self.settings)
