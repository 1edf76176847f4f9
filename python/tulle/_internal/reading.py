"""Read files: bytes, text, TOML and ``@FILE`` arguments. Each error is one line that names the file."""

from __future__ import annotations

import hashlib
import re
import stat
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tulle.errors import FileError, FormatError

if TYPE_CHECKING:
    from collections.abc import Iterator
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


if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


_LEVELS = 32
"""Tables and lists inside each other: no file of tulle's has more than a few, and Python cannot print thousands."""


def read_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file.

    Parameters
    ----------
    path
        The file.

    Raises
    ------
    tulle.FileError
        Where it cannot be read.
    tulle.FormatError
        Where it is no TOML; the message has line and column, as far as they are known.
    """
    try:
        content = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"^(.*) \(at line (\d+), column (\d+)\)$", str(error))
        where, problem = (f"{path}:{place[2]}:{place[3]}", place[1]) if place else (str(path), str(error))
        raise FormatError(f"{where}: {problem[:1].lower()}{problem[1:]}; legal: TOML") from None
    except RecursionError:
        raise FormatError(_too_deep(path)) from None
    level: list[Any] = [content]
    for _ in range(_LEVELS):
        inside = [value for parent in level for value in (parent.values() if isinstance(parent, dict) else parent)]
        level = [value for value in inside if isinstance(value, (dict, list))]
        if not level:
            return content
    raise FormatError(_too_deep(path))


def _too_deep(path: Path) -> str:
    return f"{path}: tables and lists are nested too deeply; legal: at most {_LEVELS} levels"


# How a routing that `save` wrote begins.
_SAVED = b"\x89tulleR\n"


def at_file(spec: str) -> Path | None:
    """The file that a spec names as ``@FILE``; None for any other."""
    return Path(spec[1:]) if spec.startswith("@") else None


def is_saved_routing(path: Path) -> bool:
    """Whether a file begins as a saved routing does.

    Raises
    ------
    tulle.FileError
        Where it cannot be read.
    """
    return read_bytes(path, len(_SAVED)) == _SAVED


def lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines of a text that say something, with their numbers; what follows ``#`` does not count.

    Raises
    ------
    tulle.FileError
        Where it cannot be read.
    tulle.FormatError
        Where it is no text.
    """
    for number, line in enumerate(read_text(path).splitlines(), start=1):
        said = line.partition("#")[0].strip()
        if said:
            yield number, said
