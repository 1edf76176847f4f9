"""Report libraries that do not load, and missing memory, in one line instead of a traceback."""

from __future__ import annotations

import sys

__all__ = ["print_problem"]

FAILED, LITTLE_MEMORY = 1, 2


def print_problem(error: ImportError | MemoryError) -> int:
    """Report the error on standard error, and return the exit code."""
    # Libraries such as numpy wrap the cause in a long text with advice.
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
