"""The interface of executors: what an executor of studies declares."""

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
    """An executor that is ready to measure runs and to put the results into a store."""

    def measure(
        self, planned: Plan, store: Store, runs: Sequence[Run], *, fresh: bool, show: Callable[[float], object]
    ) -> dict[str, float]:
        """Measure runs; return the seconds of each run by id, without runs that another program stored in the meantime.

        Parameters
        ----------
        planned
            The study of the runs.
        store
            The store that gets the rows. With `fresh`, runs that are already stored are measured again.
        show
            Called about ten times a second with the number of finished runs, which may include fractions of current
            runs.

        Raises
        ------
        tulle.StudyError
            For a run that fails; the message names the run. No other run starts, and current runs are aborted.
        tulle.FileError
            If results cannot be written.
        KeyboardInterrupt
            On Ctrl-C, after the current runs were aborted. Their results are not stored.
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
    """The options of the executor's spec."""
    start: Callable[[Any, int | None], Executor]
    """Make the executor from its options and the number of threads."""
    has_threads: bool = False
    """Whether the executor uses ``--threads``."""

    def parameters(self) -> list[Parameter]:
        """Return the options in the form that lists and schemas show."""
        return parameters_of(self.settings)
