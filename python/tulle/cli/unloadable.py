"""Libraries that are there and do not load: one line instead of their traceback and advice."""

from __future__ import annotations

import os
import sys
from contextlib import suppress

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import NoReturn

__all__ = ["leave", "tell"]

FAILED, LITTLE_MEMORY = 1, 2

# Causes that are followed: Python keeps a few errors of no memory to use again, which then can be causes in a circle.
_DEEPEST = 8

# How the dynamic linker says that there is no room.
_NO_ROOM = ("failed to map segment", "annot allocate memory", "cannot map zero-fill pages")


def tell(error: ImportError | MemoryError) -> int:
    """Says so on standard error; the exit code."""
    cause: BaseException = error
    for _ in range(_DEEPEST):
        # What the frames of an error hold makes room.
        cause.__traceback__ = None
        before = cause.__cause__ or cause.__context__
        if not isinstance(before, ImportError | MemoryError):
            break
        cause = before
    words = " ".join(str(cause).split())
    short = isinstance(cause, MemoryError)
    message = "out of memory" if short else "a library does not load"
    if words:
        message += f": {words}"
    if short or any(sign in words for sign in _NO_ROOM):
        short = True
        with suppress(ImportError, MemoryError):
            from tulle._tulle import memory_left

            message += f"; {memory_left()}"
    print(f"tulle: {message}", file=sys.stderr)
    return LITTLE_MEMORY if short else FAILED


def leave(code: int) -> NoReturn:
    """Ends the process at once: Python's own end takes memory, and where there is none it says so again and again."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)
