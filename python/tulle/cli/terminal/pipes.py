"""Discard output that nobody reads, for example because `head` has ended. The command still finishes its work.

The operating system then refuses every write to the pipe. Without this module, the first refused write would end the
command in the middle of its work, with an exit code that says nothing about the result.
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager, suppress
from io import BufferedWriter, FileIO, TextIOWrapper

# The module typing is not imported, because it loads slowly, and the front page does not need it.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, TextIO

__all__ = ["discard_unread", "reader_has_gone"]


class _Output(FileIO):
    """A standard stream. If its reader has gone, all further output goes to the null device."""

    is_unread = False

    def write(self, data: Any, /) -> int:
        """Write bytes, and return how many were written."""
        try:
            return super().write(data)
        except ConnectionError:
            # A pipe reports BrokenPipeError. A socket can also report ConnectionResetError.
            self.is_unread = True
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, self.fileno())
            os.close(null)
            return memoryview(data).nbytes


@contextmanager
def discard_unread() -> Iterator[None]:
    """Until the end of the context, writes to standard output and standard error succeed without a reader."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = map(_wrapped, before)
    try:
        yield
    finally:
        # The command reports errors of its output itself. Here, only an interrupted command has output left.
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
        sys.stdout, sys.stderr = before


def reader_has_gone(wait: float = 0.0) -> bool:
    """Return whether nobody reads standard output any more. Wait up to `wait` seconds until this happens."""
    output = _raw(sys.stdout)
    if isinstance(output, _Output):
        if output.is_unread:
            return True
        with suppress(ImportError, AttributeError):
            from select import POLLERR, POLLHUP, poll

            waiting = poll()
            # A poll for no event still reports that the other end was closed.
            waiting.register(output, 0)
            return any(event & (POLLERR | POLLHUP) for _, event in waiting.poll(wait * 1000))
    from time import sleep

    sleep(wait)
    return False


def _raw(stream: TextIO) -> object:
    """Return the lowest layer of a stream, which writes to the file descriptor."""
    buffer = getattr(stream, "buffer", None)
    return getattr(buffer, "raw", buffer)


def _wrapped(stream: TextIO) -> TextIO:
    """Return a stream with the same file descriptor and settings that discards output without a reader."""
    raw = _raw(stream)
    if not isinstance(stream, TextIOWrapper) or type(raw) is not FileIO:
        return stream
    with suppress(OSError, ValueError):
        stream.flush()
    output = _Output(raw.fileno(), "wb", closefd=False)
    # With `python -u`, the text layer writes to the lowest layer directly.
    is_buffered = stream.buffer is not raw
    return TextIOWrapper(
        BufferedWriter(output) if is_buffered else output,
        stream.encoding,
        stream.errors,
        newline="\n",
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )
