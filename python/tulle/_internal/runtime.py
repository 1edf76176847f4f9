"""Properties of this process: number of processors, start of threads, and the callback for progress of long calls."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from tulle.errors import OutOfMemoryError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tulle._internal.progress import CallBar

S = TypeVar("S")


def processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def starting() -> Iterator[None]:
    """Turn every `RuntimeError` of the ``with`` block into `OutOfMemoryError`. The block must only start threads.

    Raises
    ------
    tulle.OutOfMemoryError
        If the system cannot start a thread, usually because there is no memory for its stack.
    """
    try:
        yield
    except RuntimeError as error:
        raise OutOfMemoryError(f"cannot start a thread: {error}") from None


def _show(done: int, total: int, need: int) -> None:
    """Show the progress of a long call in a Python session: on a terminal or in a notebook."""
    global _bar
    if _bar is None:
        from tulle._internal.progress import CallBar

        _bar = CallBar()
    _bar.show(done, total, need)


_bar: CallBar | None = None

watcher: Callable[[int, int, int], object] | None = _show
"""Callback for progress. A long call passes the number of finished steps, the number of all steps, and the bytes of
memory that it needs. When it ends, it passes three zeros."""


@contextmanager
def reporting(
    progress: Callable[[S], object] | None, steps: Callable[[S], tuple[int, int]]
) -> Iterator[Callable[[S], object] | None]:
    """Yield the callback for the states of a simulation: `progress`, or if it is None, a function that calls `watcher`.

    `steps` returns two numbers for a state: the finished steps and all steps.
    """
    if progress is not None or watcher is None:
        yield progress
        return
    tell = watcher

    def observe(state: S) -> None:
        done, total = steps(state)
        tell(min(done, total), total, 0)

    try:
        yield observe
    finally:
        tell(0, 0, 0)
