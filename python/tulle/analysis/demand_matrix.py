"""Traffic matrices in files: the traffic ``file:matrix=NAME`` of `demands`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tulle import _tulle
from tulle._internal.reading import read_text
from tulle._internal.text import brief
from tulle.errors import FormatError, TulleError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tulle.fabric import Fabric


def read_matrix(fabric: Fabric, path: str) -> NDArray[np.float64]:
    """Read a matrix of demands, and return the demands between switches, float64 (switches, switches).

    A matrix with a row per endpoint has demands between endpoints; otherwise it has a row per switch. If both numbers
    are equal, rows are endpoints. Values are separated by commas, semicolons, tabs or spaces.

    Raises
    ------
    tulle.FileError, tulle.FormatError
        For a file that cannot be read, and for values or sizes that are illegal; the message names the line.
    """
    rows = _rows(path)
    shape = (len(rows), len(rows[0]) if rows else 0)
    endpoints, switches = fabric.num_endpoints, fabric.num_switches
    if shape not in ((endpoints, endpoints), (switches, switches)):
        raise FormatError(
            f"{path}: a matrix of {shape[0]} × {shape[1]} values; legal for {fabric.spec}: {endpoints} × {endpoints} "
            f"(between endpoints) or {switches} × {switches} (between switches)"
        )
    matrix = np.array(rows, dtype=np.float64)
    if shape[0] != endpoints:
        return matrix
    between = np.zeros((switches, switches))
    at = fabric.endpoint_switch
    np.add.at(between, (at[:, None], at[None, :]), matrix)
    return between


def matrix_hint(traffic: str) -> str:
    """Return the end of an error about a file that was read as messages but has a matrix; otherwise an empty text."""
    for path in _tulle.traffic_files(traffic):
        try:
            rows = _rows(path)
        except TulleError:
            continue
        if rows and len(rows) == len(rows[0]):
            size = f"{len(rows)} × {len(rows)}"
            return f"; the file has a matrix of {size} values: tulle throughput reads file:matrix={path}"
    return ""


def _rows(path: str) -> list[list[float]]:
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


def _value(path: str, line: int, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = np.nan
    if not 0 <= value < np.inf:
        legal = "legal: demands in units of a link's rate, 0 or more, without names of rows or columns"
        raise FormatError(f"{path}:{line}: '{brief(text.strip())}' is not a demand; {legal}")
    return value
