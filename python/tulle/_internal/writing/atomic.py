"""Write a file whole or not at all, and make staging folders in which several files are prepared.

An unfinished file or folder has a name that starts with a dot. Its writer holds a lock on it until the writer ends. An
unfinished one without a lock was left by a program that was killed; `sweep` removes it.
"""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import stat
import tempfile
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import IO, TYPE_CHECKING

from tulle._internal.reading import kind_of
from tulle.errors import FileError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

STAGING = ".staging-"
"""Prefix of the names of staging folders."""

_PART = ".part"
_DEVICES = ("/dev/std", "/dev/fd/", "/proc/")
# The unfinished copy's name keeps only this many characters of the file's name, because file systems limit names.
_KEPT = 40
_SYNCED_TOGETHER = 16
CANNOT = {errno.EINVAL, errno.ENOTSUP, errno.EACCES, errno.EBADF, errno.ENOLCK, errno.ENOSYS}
"""Error numbers of file systems that cannot sync a folder or lock a file."""


@contextmanager
def replacing(path: Path, *, follow: bool = True) -> Iterator[IO[bytes]]:
    """Open a temporary file that replaces `path` once it is complete and on the disk.

    Missing folders are made. If `path` is a symbolic link, the file that it points to is replaced. With `follow=False`
    the link itself is replaced; use this in folders where the user did not choose the names of the files.

    Raises
    ------
    tulle.FileError
        If the file cannot be written.
    """
    if follow or not path.is_symlink():
        check_place(path)
    place = Path(os.path.realpath(path)) if follow else Path(os.path.realpath(path.parent)) / path.name
    with _told(path):
        place.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = _held(lambda: tempfile.mkstemp(dir=place.parent, prefix=_unfinished(place), suffix=_PART))
        try:
            with os.fdopen(descriptor, "wb") as file:
                yield file
                # Temporary files are readable by their owner only; results get the user's usual permissions.
                os.fchmod(descriptor, 0o666 & ~_umask())
                file.flush()
                os.fsync(descriptor)
                Path(name).replace(place)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
        sync(place.parent)


@contextmanager
def staging(directory: Path) -> Iterator[Path]:
    """Make a staging folder inside `directory` and remove it at the end; `directory` is made if it is missing.

    Raises
    ------
    tulle.FileError
        If the system refuses to make the folder, or refuses an operation inside the ``with`` block.
    """
    with _told(directory):
        directory.mkdir(parents=True, exist_ok=True)
        sweep(directory, lambda name: name.startswith(STAGING))
        descriptor, name = _held(lambda: _folder(directory))
        try:
            yield Path(name)
        finally:
            shutil.rmtree(name, ignore_errors=True)
            os.close(descriptor)


def put(files: list[Path], directory: Path) -> None:
    """Move complete files into `directory` one by one, each after its content is on the disk.

    Readers take the last file as the sign that all others are complete. It is therefore removed first and put last.

    Raises
    ------
    tulle.FileError
        If the system refuses.
    """
    with _told(directory):
        for file in files:
            sync(file)
        (directory / files[-1].name).unlink(missing_ok=True)
        for file in files:
            file.replace(directory / file.name)
        sync(directory)


def sweep(directory: Path, ours: Callable[[str], bool]) -> None:
    """Remove the entries of `directory` that killed programs left; `ours` tells by the name which ones can be."""
    try:
        left = [entry.path for entry in os.scandir(directory) if ours(entry.name)]
    except OSError:
        return
    for name in left:
        # Entries that are locked, have vanished or belong to another user are left alone.
        with suppress(OSError):
            descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if Path(name).is_dir():
                    shutil.rmtree(name)
                else:
                    Path(name).unlink()
            finally:
                os.close(descriptor)


def sweep_unfinished(path: Path) -> None:
    """Remove the unfinished copies of a file that killed programs left."""
    place = Path(os.path.realpath(path))
    sweep(place.parent, lambda name: name.startswith(_unfinished(place)) and name.endswith(_PART))


def check_place(path: Path) -> None:
    """Check that `path` is free or a regular file.

    Raises
    ------
    tulle.FileError
        If it is a folder, a device or anything else.
    """
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        mode = stat.S_IFREG
    except OSError as error:
        raise FileError(f"{path}: {error.strerror or error}") from None
    # /dev/stdout and the like may point to a regular file; replacing that file would not write to standard output.
    if not stat.S_ISREG(mode) or path.absolute().as_posix().startswith(_DEVICES):
        raise FileError(f"{path}: {kind_of(mode)}; legal: a file")


def _unfinished(place: Path) -> str:
    """Prefix of the names of unfinished copies of `place`."""
    return f".{place.name[:_KEPT]}."


def sync(path: Path) -> None:
    """Wait until a file, or the entries of a folder, are on the disk. Do nothing if the file system cannot sync."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        if error.errno not in CANNOT:
            raise


def sync_all(paths: Iterable[Path]) -> None:
    """Sync many paths at the same time, so that the file system writes them together."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(_SYNCED_TOGETHER) as pool:
        for _ in pool.map(sync, paths):
            pass


def _held(make: Callable[[], tuple[int, str]]) -> tuple[int, str]:
    """Make a file or folder with `make` and lock it; return its descriptor and name."""
    while True:
        descriptor, name = make()
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            # Before the lock was taken, another program's `sweep` took the entry for a leftover.
            os.close(descriptor)
            continue
        except OSError as error:
            if error.errno not in CANNOT:
                os.close(descriptor)
                raise
        if Path(name).exists():
            return descriptor, name
        os.close(descriptor)


def _folder(directory: Path) -> tuple[int, str]:
    name = tempfile.mkdtemp(dir=directory, prefix=STAGING)
    return os.open(name, os.O_RDONLY | os.O_DIRECTORY), name


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Turn errors of the system into `FileError` with the path that the user gave."""
    try:
        yield
    except OSError as error:
        if isinstance(error, FileError):
            raise
        raise FileError(f"{path}: {error.strerror or error}") from None


@cache
def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
