"""Threads that the system may not give."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from tulle.errors import OutOfMemoryError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["starting"]


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
