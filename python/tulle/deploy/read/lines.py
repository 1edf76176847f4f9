"""Read large text files in chunks of whole lines, as arrays of bytes."""

from __future__ import annotations

import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tulle._internal.reading import kind_of
from tulle.errors import FileError, FormatError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray


# The size of a chunk in bytes.
_PIECE = 1 << 24
_LINE_END = ord("\n")
# The number of bytes of a line that an error message shows.
_SHOWN = 60


@dataclass(frozen=True, eq=False)
class Lines:
    """Successive lines of a file. Zeros follow the last byte."""

    path: Path
    first: int
    """The number of the first line, from 1."""
    bytes: NDArray[np.uint8]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    """The positions of the line ends, which are not part of the lines."""

    def text(self, at: int) -> str:
        """The text of a line."""
        return self.bytes[self.starts[at] : self.ends[at]].tobytes().decode("utf-8", "replace")

    def error(self, at: int, problem: str) -> FormatError:
        """Make the error for a line."""
        return FormatError(f"{self.path}:{self.first + at}: {problem}")

    def unexpected(self, at: int, legal: str) -> FormatError:
        """Make the error for a line that the tool does not print."""
        text = self.text(at)
        shown = ascii(text[:_SHOWN]) + ("…" if len(text) > _SHOWN else "")
        return self.error(at, f"{shown} is unknown; legal: {legal}")

    def heads(self, width: int) -> NDArray[np.uint8]:
        """The first `width` bytes of every line. After a shorter line, the bytes of the next lines fill its row."""
        heads: NDArray[np.uint8] = self.bytes[self.starts[:, None] + np.arange(width)]
        return heads


def lines_of(path: Path, piece: int = _PIECE) -> Iterator[Lines]:
    """Read the lines of a file in chunks. A last line without a line end is included.

    Raises
    ------
    tulle.FileError
        For a file that cannot be read.
    """
    first, rest = 1, b""
    try:
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode):
            raise FileError(f"{path}: {kind_of(mode)}; legal: a file")
        with path.open("rb") as file:
            while read := file.read(piece):
                whole = rest + read
                cut = whole.rfind(b"\n") + 1
                rest = whole[cut:]
                if cut:
                    lines = _lines(path, first, whole[:cut])
                    first += len(lines.starts)
                    yield lines
    except OSError as error:
        if isinstance(error, FileError):
            raise
        raise FileError(f"{path}: {error.strerror or error}") from None
    if rest:
        yield _lines(path, first, rest + b"\n")


def ends_whole(path: Path) -> bool:
    """Whether the last line of a file has a line end."""
    with path.open("rb") as file:
        file.seek(0, 2)
        if file.tell() == 0:
            return True
        file.seek(-1, 2)
        return file.read(1) == b"\n"


def hexadecimal(digits: NDArray[np.uint8]) -> tuple[NDArray[np.uint32], NDArray[np.bool_]]:
    """Parse rows of hexadecimal digits; also return whether each row is valid."""
    value = np.zeros(len(digits), np.uint32)
    good = np.ones(len(digits), np.bool_)
    for column in digits.T:
        digit = _HEXADECIMAL[column]
        good &= digit < 16
        value = (value << 4) | (digit & 15)
    return value, good


def decimals(
    text: NDArray[np.uint8], starts: NDArray[np.int64], columns: int
) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    """Parse `columns` decimal numbers up to 255 per row; also return whether each row is valid.

    A row begins at its position in `starts` and ends at the next one. Any other characters separate numbers.
    """
    digit = (text >= 48) & (text <= 57)
    before = np.concatenate(([False], digit[:-1]))
    after = np.concatenate((digit[1:], [False]))
    last = np.flatnonzero(digit & ~after)
    value = (text[last] - 48).astype(np.uint32)
    scale = np.full(len(last), 10, np.uint32)
    inside = before[last]
    for back in range(1, 4):
        place = np.maximum(last - back, 0)
        value += np.where(inside, (text[place] - 48) * scale, 0).astype(np.uint32)
        scale *= 10
        inside &= before[place]
    # Numbers with more digits are too large.
    value[inside] = 1 << 16
    row = np.searchsorted(starts, last, side="right") - 1
    count = np.bincount(row[row >= 0], minlength=len(starts))
    good = count == columns
    large = np.zeros(len(starts), np.bool_)
    np.logical_or.at(large, row[value > 255], True)
    good &= ~large
    out = np.zeros((len(starts), columns), np.uint8)
    kept = good[row] & (row >= 0)
    out[good] = value[kept].astype(np.uint8).reshape(-1, columns)
    return out, good


def _lines(path: Path, first: int, text: bytes) -> Lines:
    padded = np.frombuffer(text + bytes(32), np.uint8)
    ends = np.flatnonzero(padded[: len(text)] == _LINE_END)
    starts = np.concatenate((np.zeros(1, np.int64), ends[:-1] + 1))
    return Lines(path, first, padded, starts, ends)


_HEXADECIMAL = np.full(256, 255, np.uint32)
for _value, _letters in enumerate((*"0123456789", "aA", "bB", "cC", "dD", "eE", "fF")):
    for _letter in _letters:
        _HEXADECIMAL[ord(_letter)] = _value
