"""Libraries that are there and do not load: one line instead of their traceback and advice."""

from __future__ import annotations

import sys
from contextlib import suppress

__all__ = ["tell"]

FAILED, LITTLE_MEMORY = 1, 2

# How the dynamic linker says that there is no room.
_NO_ROOM = ("failed to map segment", "annot allocate memory", "cannot map zero-fill pages")


def tell(error: ImportError | MemoryError) -> int:
    """Says so on standard error; the exit code."""
    cause: BaseException = error
    while isinstance(cause.__cause__ or cause.__context__, ImportError | MemoryError):
        cause = cause.__cause__ or cause.__context__ or cause
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
