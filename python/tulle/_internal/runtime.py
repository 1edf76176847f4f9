"""Properties of this process: number of processors, start of threads, and the callback for progress of long calls."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tulle.errors import OutOfMemoryError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def starting() -> Iterator[None]:
    """Turn errors of code that starts threads into `OutOfMemoryError`. The code must do nothing else.

    Raises
    ------
    tulle.OutOfMemoryError
        If the system cannot start a thread, usually because there is no memory for its stack.
    """
    try:
        yield
    except RuntimeError as error:
        raise OutOfMemoryError(f"no thread to run on: {error}") from None


watcher: Callable[[int, int, int], object] | None = None
"""Callback for progress. A long call passes the steps done, the total and the bytes needed; at its end, three zeros."""
