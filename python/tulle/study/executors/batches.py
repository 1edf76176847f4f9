"""Group short runs into batches of a second or more, one batch per message to a worker."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from tulle.study.engine.plan import Run

# Minimum time of a batch in seconds, if there are enough runs. The time to send a batch is short in comparison.
LEAST = 1.0


class Batches:
    """A queue of waiting runs in the given order, with estimates of their times from other runs of their case.

    If a case has no estimate, a single run is sent first. The case's other runs wait until that run has been timed.
    """

    def __init__(self, runs: Iterable[Run]) -> None:
        self._waiting = list(runs)
        self._seconds: dict[Hashable, float] = {}
        self._ahead: set[str] = set()
        # The time of the longest run of each case. It replaces unknown times, so that batches are too small rather than
        # too large.
        self._longest: dict[str, float] = {}

    def __len__(self) -> int:
        return len(self._waiting)

    def learn(self, run: Run, seconds: float) -> None:
        """Record that a run took `seconds` seconds."""
        self._seconds[batch_key(run)] = seconds
        self._longest[run.case] = max(self._longest.get(run.case, 0.0), seconds)

    def end(self, batch: Iterable[Run], left: Iterable[Run]) -> None:
        """Record that a batch has ended. Its runs in `left` are not done, and return to the head of the queue."""
        # If the case still has no estimate, because its results already existed, another single run is sent.
        self._ahead -= {run.case for run in batch}
        self._waiting = [*left, *self._waiting]

    def take(self, *, all: bool) -> list[list[Run]]:
        """Return the batches that can be sent now.

        With `all`, the last batch is returned even if it is shorter than a second.
        """
        batches: list[list[Run]] = []
        batch: list[Run] = []
        stay: list[Run] = []
        total = 0.0
        for run in self._waiting:
            if run.case in self._longest:
                batch.append(run)
                total += self._seconds.get(batch_key(run), self._longest[run.case])
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


def batch_key(run: Run) -> Hashable:
    """Return a key that is equal for runs that differ only in their seed, because they need similar time and memory."""
    return (run.case, *run.point.values())
