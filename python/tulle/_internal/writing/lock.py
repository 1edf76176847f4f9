"""The lock of an output folder: only one command at a time writes the files of a bundle or a plan."""

from __future__ import annotations

import fcntl
import os
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from tulle._internal.writing.atomic import CANNOT
from tulle.errors import FileError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["locked", "reserved"]

# The folders that each thread of this process has locked. A command locks a bundle before it reads it, and the function
# that writes the bundle calls `locked` again in the same thread.
_HELD: set[tuple[int, int, int]] = set()


@contextmanager
def locked(place: Path) -> Iterator[None]:
    """Lock an existing folder for the ``with`` block. The kernel releases the lock if the program is killed.

    Raises
    ------
    tulle.FileError
        If another command holds the lock, or the folder cannot be opened.
    """
    try:
        descriptor = os.open(place, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise FileError(f"{place}: {error.strerror or error}") from None
    about = os.fstat(descriptor)
    key = about.st_dev, about.st_ino, threading.get_ident()
    is_held = key in _HELD
    try:
        if not is_held:
            _lock(descriptor, place)
            _HELD.add(key)
        yield
    finally:
        if not is_held:
            _HELD.discard(key)
        os.close(descriptor)


@contextmanager
def reserved(place: Path) -> Iterator[None]:
    """Make and lock the output folder of a command for the ``with`` block, from its checks until its files are written.

    Without files, the folder is removed again if the block made it.

    Raises
    ------
    tulle.FileError
        If another command holds the lock, or the folder cannot be made.
    """
    made = [folder for folder in (place, *place.parents) if not os.path.lexists(folder)]
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"{place}: {error.strerror or error}") from None
    try:
        with locked(place):
            yield
    finally:
        with suppress(OSError):
            for folder in made:
                folder.rmdir()


def _lock(descriptor: int, place: Path) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise FileError(
            f"{place}: another command of tulle is writing this folder; legal: wait until it has ended, and repeat"
        ) from None
    except OSError as error:
        # Some network file systems do not support locks. The command then continues without a lock.
        if error.errno not in CANNOT:
            raise FileError(f"{place}: {error.strerror or error}") from None
