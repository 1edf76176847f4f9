"""Libraries that do not load, and too little memory: one line instead of a traceback and advice."""

from __future__ import annotations

import sys

__all__ = ["tell"]

FAILED, LITTLE_MEMORY = 1, 2


def tell(error: ImportError | MemoryError) -> int:
    """Report it on standard error; return the exit code."""
    # A library wraps the cause in advice of its own.
    while isinstance(cause := error.__cause__ or error.__context__, ImportError):
        error = cause
    words = " ".join(str(error).split())
    if isinstance(error, MemoryError):
        from tulle._tulle import memory_left

        message, code = f"out of memory: {'; '.join(filter(None, [words, memory_left()]))}", LITTLE_MEMORY
    else:
        message, code = f"a library does not load: {words}", FAILED
    print(f"tulle: {message}", file=sys.stderr)
    return code
