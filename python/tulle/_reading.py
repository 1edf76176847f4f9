"""Reading files, each thing that can be wrong with one in one line."""

from __future__ import annotations

import hashlib
import stat
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tulle.errors import FileError, FormatError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import IO

# Bytes that are hashed at a time.
_PART = 1 << 20


def read_bytes(path: Path, most: int = -1) -> bytes:
    """The bytes of a file, or the first `most` of them.

    Only of a file: whoever reads a pipe waits, maybe for ever, and finds nothing there when he comes again.

    Raises
    ------
    tulle.FileError
        Where it cannot be read.
    """
    with _opened(path) as file:
        return file.read(most)


def sha256(path: Path) -> tuple[int, str]:
    """The size of a file in bytes, and its SHA-256 as hexadecimal digits; it is never held whole.

    Raises
    ------
    tulle.FileError
        Where it cannot be read.
    """
    digest, size = hashlib.sha256(), 0
    with _opened(path) as file:
        while part := file.read(_PART):
            digest.update(part)
            size += len(part)
    return size, digest.hexdigest()


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    try:
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode):
            raise FileError(f"{path}: {kind_of(mode)}; legal: a file")
        with path.open("rb") as file:
            yield file
    except OSError as error:
        if isinstance(error, FileError):
            raise
        raise FileError(f"{path}: {error.strerror or error}") from None


def read_text(path: Path) -> str:
    """The text of a file.

    Raises
    ------
    tulle.FileError
        Where it cannot be read.
    tulle.FormatError
        Where it is no text.
    """
    try:
        return read_bytes(path).decode()
    except UnicodeDecodeError as error:
        raise FormatError(f"{path}: byte {error.start} is not UTF-8; legal: UTF-8 text") from None


def kind_of(mode: int) -> str:
    """The kind of a thing of that mode that is no file, in words."""
    kinds = {stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}
    return kinds.get(stat.S_IFMT(mode), "a device")
