"""The process: its processors, its threads, and who is told about the progress of long calls."""

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
    """Wrap code that does nothing but start threads.

    Raises
    ------
    tulle.OutOfMemoryError
        If the system starts no thread, usually because there is no memory for its stack.
    """
    try:
        yield
    except RuntimeError as error:
        raise OutOfMemoryError(f"no thread to run on: {error}") from None


watcher: Callable[[int, int, int], object] | None = None
"""Called repeatedly during a long call with the steps done, their total and the bytes needed; at its end with zeros."""
