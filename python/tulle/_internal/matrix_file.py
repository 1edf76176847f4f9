"""Read matrices of demands from files, as rows of numbers."""

from __future__ import annotations

from math import inf, nan
from pathlib import Path

from tulle import _tulle
from tulle._internal.reading import read_text
from tulle._internal.text import brief
from tulle.errors import FormatError, TulleError


def read_rows(path: str) -> list[list[float]]:
    """Read rows of equal length. Values are separated by commas, semicolons, tabs or spaces.

    Raises
    ------
    tulle.FileError, tulle.FormatError
        For a file that cannot be read, and for illegal values; the message names the line.
    """
    rows: list[list[float]] = []
    for number, line in enumerate(read_text(Path(path)).removeprefix("\ufeff").splitlines(), start=1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        separator = next((each for each in ",;\t" if each in text), None)
        row = [_value(path, number, value) for value in text.split(separator)]
        if rows and len(row) != len(rows[0]):
            raise FormatError(f"{path}:{number}: {len(row)} values; legal: {len(rows[0])}, as in the first row")
        rows.append(row)
    return rows


def matrix_hint(traffic: str) -> str:
    """Return the end of an error about a file that was read as messages but has a matrix; otherwise an empty text."""
    for path in _tulle.traffic_files(traffic):
        try:
            rows = read_rows(path)
        except TulleError:
            continue
        if rows and len(rows) == len(rows[0]):
            size = f"{len(rows)} × {len(rows)}"
            return f"; the file has a matrix of {size} values: tulle throughput reads file:matrix={path}"
    return ""


def _value(path: str, line: int, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = nan
    if not 0 <= value < inf:
        legal = "legal: demands in units of a link's rate, 0 or more, without names of rows or columns"
        raise FormatError(f"{path}:{line}: '{brief(text.strip())}' is not a demand; {legal}")
    return value
