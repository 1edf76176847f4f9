"""Ctrl-C on the command line: exit code 130 and one line.

As everywhere in Python it raises KeyboardInterrupt in the main thread, so that files are closed and what was begun is
taken back. Three places do not bear that, and there the process leaves at once. An import turns it into another error
or leaves a module half made; a finaliser swallows it; a second one comes while the first is taken back. A stopped
command leaves at once, too, because threads that still run would meet an interpreter that is no more.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress

TYPE_CHECKING = False

if TYPE_CHECKING:
    from types import FrameType
    from typing import NoReturn

_stopping = False


def handle() -> None:
    """Let Ctrl-C end this process like this; does nothing if it is ignored, or off the main thread."""
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        return
    with suppress(ValueError):
        signal.signal(signal.SIGINT, _stop)
        sys.unraisablehook = _unraisable


def ignore() -> None:
    """All is done: a Ctrl-C comes too late."""
    if signal.getsignal(signal.SIGINT) is _stop:
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def end() -> NoReturn:
    """End the process as interrupted, after printing all pending output."""
    ignore()
    # Output that nobody reads any more is lost.
    with suppress(OSError, ValueError):
        sys.stdout.flush()
    _leave()


def _leave() -> NoReturn:
    try:
        os.write(2, b"tulle: stopped\n")
    finally:
        os._exit(130)


def _stop(_number: int, frame: FrameType | None) -> None:
    global _stopping
    if _stopping or _importing(frame):
        _leave()
    _stopping = True
    raise KeyboardInterrupt


def _importing(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False


def _unraisable(unraisable: sys.UnraisableHookArgs) -> None:
    if unraisable.exc_type is KeyboardInterrupt:
        _leave()
    sys.__unraisablehook__(unraisable)
