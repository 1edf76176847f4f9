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


@dataclass(frozen=True, kw_only=True)
class ExecutorKind(Plugin):
    """A registered executor. ``tulle run --executor`` takes its specs, ``tulle list executors`` shows it."""

    settings: type[Options]
    """The options of its spec."""
    start: Callable[[Any, int | None], Executor]
    """Makes the executor from its options and a number of threads."""
    has_threads: bool = False
    """Whether ``--threads`` is for it."""

    def parameters(self) -> list[Parameter]:
        """The options as lists and schemas show them."""
        return parameters_of(self.settings)
