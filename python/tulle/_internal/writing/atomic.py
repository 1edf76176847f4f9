"""Files that are written whole or not at all, and folders to prepare several of them in.

What is under way has a name that starts with a point, and its writer holds a lock on it for as long as it lives. What
nobody holds a lock on was left by a program that was killed: `sweep` takes it away.
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
"""How the names of folders begin in which files are prepared."""

_PART = ".part"
_DEVICES = ("/dev/std", "/dev/fd/", "/proc/")
# Characters of a file's name that the name of its unfinished copy keeps: names have a largest length.
_KEPT = 40
_SYNCED_TOGETHER = 16
CANNOT = {errno.EINVAL, errno.ENOTSUP, errno.EACCES, errno.EBADF, errno.ENOLCK, errno.ENOSYS}
"""What file systems say that cannot sync a folder, or lock."""


@contextmanager
def replacing(path: Path, *, follow: bool = True) -> Iterator[IO[bytes]]:
    """A file that takes its place only once it is whole and on the disk; what was there stays until then.

    A folder that is not there is made. A link stays one: the file that it leads to is replaced. Without `follow` the
    link is, as in folders whose names of files the user did not choose: nobody means a file elsewhere there.

    Raises
    ------
    tulle.FileError
        Where it cannot be written.
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
                # Temporary files are private; results are as open as the user's other files.
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
    """A folder inside `directory`, which is made where it is not there; gone at the end.

    Raises
    ------
    tulle.FileError
        Where the system refuses, there or in what is done with it.
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
    """Moves whole files into `directory`, one after the other, each on the disk before it is seen there.

    The last tells that the others are whole: while they change there is none of its name.

    Raises
    ------
    tulle.FileError
        Where the system refuses.
    """
    with _told(directory):
        for file in files:
            sync(file)
        (directory / files[-1].name).unlink(missing_ok=True)
        for file in files:
            file.replace(directory / file.name)
        sync(directory)


def sweep(directory: Path, ours: Callable[[str], bool]) -> None:
    """Takes away what programs that were killed left in `directory` under such names."""
    try:
        left = [entry.path for entry in os.scandir(directory) if ours(entry.name)]
    except OSError:
        return
    for name in left:
        # What is locked, or has gone, or is not ours to take, stays.
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
    """Takes away the unfinished copies of a file that programs that were killed left."""
    place = Path(os.path.realpath(path))
    sweep(place.parent, lambda name: name.startswith(_unfinished(place)) and name.endswith(_PART))


def check_place(path: Path) -> None:
    """That a file may be put there: nothing but a file is there now.

    Raises
    ------
    tulle.FileError
        For anything else.
    """
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        mode = stat.S_IFREG
    except OSError as error:
        raise FileError(f"{path}: {error.strerror or error}") from None
    # Standard output is there under names of its own; a file put in its place would not be it.
    if not stat.S_ISREG(mode) or path.absolute().as_posix().startswith(_DEVICES):
        raise FileError(f"{path}: {kind_of(mode)}; legal: a file")


def _unfinished(place: Path) -> str:
    """How the names of unfinished copies of `place` begin."""
    return f".{place.name[:_KEPT]}."


def sync(path: Path) -> None:
    """Waits until a file, or the names in a folder, are on the disk; where the file system cannot, it does not."""
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
    """As `sync`, of many at a time: the file system then writes them together."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(_SYNCED_TOGETHER) as pool:
        for _ in pool.map(sync, paths):
            pass


def _held(make: Callable[[], tuple[int, str]]) -> tuple[int, str]:
    """The file or folder that `make` makes, under a lock of this process: its descriptor and name."""
    while True:
        descriptor, name = make()
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            # Another program takes it for left, in the moment before the lock.
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
    """The errors of the system as ours, with the path that the user gave."""
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
