"""Ctrl-C on the command line: exit code 130 and one line, whatever it meets.

As everywhere in Python it raises KeyboardInterrupt in the main thread, so that files are closed and what was begun is
taken back. Three places do not bear that. An import may turn it into another error or leave a module half made: there
it waits until the import is over. In a finaliser Python prints it and forgets it: there it is sent once more. And as
Python ends, threads that still run meet an interpreter that is no more: so a stopped command leaves at once.
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

# Seconds until a Ctrl-C during an import is looked at again.
_LATER = 0.02
# How often it is: a program may well be run by an import.
_LOOKS = 250

_stopping = False
_looks = 0


def handle() -> None:
    """From now on Ctrl-C ends this process so, unless it is ignored or someone else's, or this is no main thread."""
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        return
    try:
        signal.signal(signal.SIGINT, _stop)
        if hasattr(signal, "SIGALRM"):
            signal.signal(signal.SIGALRM, _stop)
    except ValueError:
        return
    sys.unraisablehook = _again


def ignore() -> None:
    """All is done: a Ctrl-C comes too late."""
    if signal.getsignal(signal.SIGINT) is _stop:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        if hasattr(signal, "setitimer"):
            # One that waits for an import is too late as well.
            signal.setitimer(signal.ITIMER_REAL, 0)


def end() -> NoReturn:
    """Ends the process as stopped, with what it has printed so far."""
    ignore()
    # Where nobody reads it any more, it is lost.
    with suppress(OSError, ValueError):
        sys.stdout.flush()
    _leave()


def _leave() -> NoReturn:
    try:
        os.write(2, b"tulle: stopped\n")
    finally:
        os._exit(130)


def _stop(number: int, frame: FrameType | None) -> None:
    global _stopping, _looks
    if _stopping and number == signal.SIGINT:
        # Once more: what is being taken back takes too long.
        _leave()
    if _looks < _LOOKS and _importing(frame) and hasattr(signal, "setitimer"):
        _looks += 1
        signal.setitimer(signal.ITIMER_REAL, _LATER)
        return
    _stopping = True
    if hasattr(signal, "setitimer"):
        # Not a second time, in the midst of what is taken back.
        signal.setitimer(signal.ITIMER_REAL, 0)
    raise KeyboardInterrupt


def _once_more() -> None:
    """Sends the signal again in a moment: at once would be in the midst of what swallowed it."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, _LATER)
        return
    import threading
    from _thread import interrupt_main

    threading.Timer(_LATER, interrupt_main).start()


def _importing(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False


def _again(unraisable: sys.UnraisableHookArgs) -> None:
    global _stopping
    if unraisable.exc_type is KeyboardInterrupt:
        _stopping = False
        _once_more()
    else:
        sys.__unraisablehook__(unraisable)
