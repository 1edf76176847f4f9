"""Batches: runs that go to a worker together, so that each batch takes a second or more."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from tulle.study.engine.plan import Run

# Seconds that a batch takes at least, where there are runs enough: handing it over takes little beside them.
LEAST = 1.0


class Batches:
    """Runs that wait, in the order of the study; how long they take is known of others of their case, or learnt.

    A case of which nothing is known sends one run ahead, alone; its others wait for what that takes.
    """

    def __init__(self, runs: Iterable[Run]) -> None:
        self._waiting = list(runs)
        self._seconds: dict[Hashable, float] = {}
        self._ahead: set[str] = set()
        # Whole cases by the longest of their runs: rather too small a batch than too large a one.
        self._longest: dict[str, float] = {}

    def __len__(self) -> int:
        return len(self._waiting)

    def learn(self, run: Run, seconds: float) -> None:
        """A run took so many seconds."""
        self._seconds[alike(run)] = seconds
        self._longest[run.case] = max(self._longest.get(run.case, 0.0), seconds)

    def end(self, batch: Iterable[Run], left: Iterable[Run]) -> None:
        """A batch has come back; of its runs those `left` are not done, and go first."""
        # If nothing was learnt of the case, as where its rows were there, another run goes ahead.
        self._ahead -= {run.case for run in batch}
        self._waiting = [*left, *self._waiting]

    def take(self, *, all: bool) -> list[list[Run]]:
        """The batches that can go now; with `all`, the last one though it is shorter than a second."""
        batches: list[list[Run]] = []
        batch: list[Run] = []
        stay: list[Run] = []
        total = 0.0
        for run in self._waiting:
            if run.case in self._longest:
                batch.append(run)
                total += self._seconds.get(alike(run), self._longest[run.case])
                if total >= LEAST:
                    batches.append(batch)
                    batch, total = [], 0.0
            elif run.case in self._ahead:
                stay.append(run)
            else:
                self._ahead.add(run.case)
                batches.append([run])
        if batch and all:
            batches.append(batch)
            batch = []
        self._waiting = [*batch, *stay]
        return batches


def alike(run: Run) -> Hashable:
    """The same of runs that differ in their seed alone, which take about as long, and as much memory."""
    return (run.case, *run.point.values())
