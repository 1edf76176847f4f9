"""Handle Ctrl-C on the command line: exit code 130 and one line.

As usual in Python, Ctrl-C raises KeyboardInterrupt in the main thread, so that files are closed and unfinished output
is removed. In three cases the process exits at once: during an import, which may turn KeyboardInterrupt into another
error or leave a module incomplete; in a finaliser, which would ignore it; and at a second Ctrl-C. `last_words` are then
printed first. After the cleanup,
the process also exits at once, because threads that still run would crash while the interpreter shuts down.
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
last_words = ""
"""A line that is printed if the process exits before it can print its own message, for example at a second Ctrl-C."""


def handle() -> None:
    """Install the handler of Ctrl-C. Do nothing if Ctrl-C is ignored, or outside the main thread."""
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        return
    with suppress(ValueError):
        signal.signal(signal.SIGINT, _stop)
        sys.unraisablehook = _unraisable


def ignore() -> None:
    """Ignore Ctrl-C from now on, because the command has finished."""
    if signal.getsignal(signal.SIGINT) is _stop:
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def end() -> NoReturn:
    """Print pending output, and end the process with exit code 130."""
    ignore()
    # Errors are ignored, because the reader of the output may have ended too.
    with suppress(OSError, ValueError):
        sys.stdout.flush()
    _leave()


def _leave() -> NoReturn:
    try:
        words = [last_words, "stopped"] if last_words else ["stopped"]
        os.write(2, "".join(f"tulle: {line}\n" for line in words).encode())
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
