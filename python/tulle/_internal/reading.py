"""Read files: bytes, text, TOML and ``@FILE`` arguments. Each error message is one line that names the file."""

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


# A file is hashed in parts of this many bytes.
_PART = 1 << 20


def read_bytes(path: Path, most: int = -1) -> bytes:
    """Read a whole file, or only its first `most` bytes.

    Pipes and devices are refused: reading them may wait forever, and they cannot be read twice.

    Raises
    ------
    tulle.FileError
        If the file cannot be read.
    """
    with _opened(path) as file:
        return file.read(most)


def sha256(path: Path) -> tuple[int, str]:
    """Return the size of a file in bytes and its SHA-256 in hexadecimal. The file is read in parts to save memory.

    Raises
    ------
    tulle.FileError
        If the file cannot be read.
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
    """Return the text of a file.

    Raises
    ------
    tulle.FileError
        If the file cannot be read.
    tulle.FormatError
        If the file is not UTF-8 text.
    """
    try:
        return read_bytes(path).decode()
    except UnicodeDecodeError as error:
        raise FormatError(f"{path}: byte {error.start} is not UTF-8; legal: UTF-8 text") from None


def kind_of(mode: int) -> str:
    """Return what a path is if it is not a regular file, for example ``a folder``; `mode` is its ``st_mode``."""
    kinds = {stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}
    return kinds.get(stat.S_IFMT(mode), "a device")


if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


_TOML = 'legal: lines like key = "text", key = 3 or [table]'
_LEVELS = 32
"""Maximum nesting depth of a TOML file. Tulle's files need few levels, and Python cannot print thousands of levels."""


def read_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file.

    Parameters
    ----------
    path
        The file.

    Raises
    ------
    tulle.FileError
        If the file cannot be read.
    tulle.FormatError
        If the file is not TOML. The message names line and column if they are known.
    """
    try:
        content = tomllib.loads(read_text(path).removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"^(.*) \(at line (\d+), column (\d+)\)$", str(error))
        where, problem = (f"{path}:{place[2]}:{place[3]}", place[1]) if place else (str(path), str(error))
        raise FormatError(f"{where}: is not TOML: {problem[:1].lower()}{problem[1:]}; {_TOML}") from None
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


# The first bytes of every file that `Routing.save` writes.
_SAVED = b"\x89tulleR\n"


def at_file(spec: str) -> Path | None:
    """Return the file that a spec of the form ``@FILE`` names; return None for other specs."""
    return Path(spec[1:]) if spec.startswith("@") else None


def file_and_digest(spec: str | None) -> tuple[str | None, str | None]:
    """Return the file that a spec of the form ``@FILE`` names, and its SHA-256; two times None for other specs.

    Raises
    ------
    tulle.FileError
        If the file cannot be read.
    """
    file = None if spec is None else at_file(spec)
    return (None, None) if file is None else (str(file), sha256(file)[1])


def is_saved_routing(path: Path) -> bool:
    """Return whether a file starts with the first bytes of saved routings.

    Raises
    ------
    tulle.FileError
        If the file cannot be read.
    """
    return read_bytes(path, len(_SAVED)) == _SAVED


def lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the non-empty lines of a text file with their line numbers. Comments, which start with ``#``, are removed.

    Raises
    ------
    tulle.FileError
        If the file cannot be read.
    tulle.FormatError
        If the file is not UTF-8 text.
    """
    for number, line in enumerate(read_text(path).splitlines(), start=1):
        stripped = line.partition("#")[0].strip()
        if stripped:
            yield number, stripped
