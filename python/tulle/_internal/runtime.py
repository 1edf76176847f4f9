"""The process: its processors, its threads, and who is told about the progress of long calls."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tulle.errors import OutOfMemoryError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def processors() -> int:
    """Those that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def starting() -> Iterator[None]:
    """Around what starts threads and nothing else.

    Raises
    ------
    tulle.OutOfMemoryError
        Where the system starts none: most often there is no room for its stack.
    """
    try:
        yield
    except RuntimeError as error:
        raise OutOfMemoryError(f"no thread to run on: {error}") from None


watcher: Callable[[int, int, int], object] | None = None
"""Called now and then with the steps done, their total and the bytes they need; at the end of the call with 0, 0, 0."""
