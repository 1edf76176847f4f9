"""Write files atomically, and make staging folders in which several files are prepared.

The name of an unfinished file or folder starts with a dot, and its writer holds a lock on it. If nobody holds the lock,
the writer was killed, and `sweep` removes the file or folder.
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
# The name of an unfinished copy contains at most this many characters of the file's name, because file systems limit
# the length of names.
_KEPT = 40
_SYNCED_TOGETHER = 16
CANNOT = {errno.EINVAL, errno.ENOTSUP, errno.EACCES, errno.EBADF, errno.ENOLCK, errno.ENOSYS}
"""Error numbers of file systems that cannot sync a folder or lock a file."""
INPUTS: set[str] = set()
"""The real paths of the files that the running command reads. Nothing replaces them. Functions of the API set none."""


@contextmanager
def replacing(path: Path, *, follow: bool = True) -> Iterator[IO[bytes]]:
    """Open a temporary file that replaces `path` once it is complete and on the disk.

    Missing parent folders are created. If `path` is a symbolic link, the target of the link is replaced. With
    `follow=False` the link itself is replaced; use this if tulle and not the user chose the file name.

    Raises
    ------
    tulle.FileError
        If the file cannot be written.
    """
    if follow or not path.is_symlink():
        check_place(path)
    place = Path(os.path.realpath(path)) if follow else Path(os.path.realpath(path.parent)) / path.name
    check_no_input(place)
    with _errors_with_path(path):
        place.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = _locked(lambda: tempfile.mkstemp(dir=place.parent, prefix=_unfinished(place), suffix=_PART))
        try:
            with os.fdopen(descriptor, "wb") as file:
                yield file
                # Only the owner can read a temporary file. The finished file gets the permissions of the user's umask.
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
    """Make a staging folder inside `directory`, and remove it after the ``with`` block. Make a missing `directory`.

    Raises
    ------
    tulle.FileError
        If the staging folder cannot be made, or the ``with`` block raises an `OSError`.
    """
    with _errors_with_path(directory):
        directory.mkdir(parents=True, exist_ok=True)
        sweep(directory, lambda name: name.startswith(STAGING))
        descriptor, name = _locked(lambda: _folder(directory))
        try:
            yield Path(name)
        finally:
            shutil.rmtree(name, ignore_errors=True)
            os.close(descriptor)


def put(files: list[Path], directory: Path) -> None:
    """Move complete files into `directory` one by one, after their content is on the disk.

    The last file tells readers that all files are complete. Therefore its old version is removed first, and its new
    version is moved last.

    Raises
    ------
    tulle.FileError
        If a file cannot be moved.
    """
    for file in files:
        check_no_input(directory / file.name)
    with _errors_with_path(directory):
        for file in files:
            sync(file)
        (directory / files[-1].name).unlink(missing_ok=True)
        for file in files:
            file.replace(directory / file.name)
        sync(directory)


def sweep(directory: Path, ours: Callable[[str], bool]) -> None:
    """Remove entries of `directory` that killed programs left. Only entries whose name `ours` accepts are removed."""
    try:
        left = [entry.path for entry in os.scandir(directory) if ours(entry.name)]
    except OSError:
        return
    for name in left:
        # Ignore errors of entries that are locked, have vanished or belong to another user.
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
    """Remove unfinished copies of the file `path` that killed programs left."""
    place = Path(os.path.realpath(path))
    sweep(place.parent, lambda name: name.startswith(_unfinished(place)) and name.endswith(_PART))


def check_place(path: Path) -> None:
    """Check that `path` is a regular file or does not exist.

    Raises
    ------
    tulle.FileError
        If `path` is a folder, a device or anything else that is not a regular file.
    """
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        mode = stat.S_IFREG
    except OSError as error:
        raise FileError(f"{path}: {error.strerror or error}") from None
    # Paths such as /dev/stdout may point to a regular file, but replacing this file would not write to standard output.
    if not stat.S_ISREG(mode) or path.absolute().as_posix().startswith(_DEVICES):
        raise FileError(f"{path}: {kind_of(mode)}; legal: a file")


def check_no_input(path: Path) -> None:
    """Check that the running command does not read `path`.

    Raises
    ------
    tulle.FileError
        If it does.
    """
    if INPUTS and os.path.realpath(path) in INPUTS:
        raise FileError(f"{path}: this command reads this file and would replace it; legal: another file or folder")


def _unfinished(place: Path) -> str:
    """Return the prefix of the names of unfinished copies of `place`."""
    return f".{place.name[:_KEPT]}."


def sync(path: Path) -> None:
    """Wait until a file, or the list of entries of a folder, is on the disk, if the file system supports this."""
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


def _locked(make: Callable[[], tuple[int, str]]) -> tuple[int, str]:
    """Make a file or folder with `make` and lock it. Return its file descriptor and name."""
    while True:
        descriptor, name = make()
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            # Another program locked the entry first, and its `sweep` removes the entry.
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
def _errors_with_path(path: Path) -> Iterator[None]:
    """Turn every `OSError` of the ``with`` block into a `FileError` that names the path that the user gave."""
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
