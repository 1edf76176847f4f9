"""Read path records: output of ``saquery --path-record`` for one or several paths."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tulle._internal.arrays import frozen
from tulle._internal.results import Value
from tulle.cabling.source import Source, check_end

if TYPE_CHECKING:
    from collections.abc import Iterable
    from os import PathLike

    from numpy.typing import NDArray

__all__ = ["PathLevels", "read_paths"]

_HEAD = "PathRecord dump:"
_FIELD = re.compile(r"^\s+(\w+)\.{2,}\s*(\S+)\s*$", re.MULTILINE)


@dataclass(frozen=True, eq=False)
class PathLevels(Value):
    """The service levels in path records of the subnet administrator."""

    sources: NDArray[np.uint16]
    """The source LID, uint16 (paths,)."""
    destinations: NDArray[np.uint16]
    """The destination LID, uint16 (paths,)."""
    levels: NDArray[np.uint8]
    """The service level, uint8 (paths,)."""


def read_paths(paths: str | PathLike[str] | Iterable[str | PathLike[str]]) -> PathLevels:
    """Read the path records of one or several files.

    Raises
    ------
    tulle.FileError
        For a file that cannot be read.
    tulle.FormatError
        For a file without records, or a record without LIDs and service level.
    """
    from os import PathLike

    if isinstance(paths, (str, PathLike)):
        paths = [paths]
    rows = [row for path in paths for row in _rows(Source(Path(path)))]
    columns = np.array(rows, np.uint16).reshape(-1, 3)
    return PathLevels(
        frozen(columns[:, 0].copy()), frozen(columns[:, 1].copy()), frozen(columns[:, 2].astype(np.uint8))
    )


def _rows(source: Source) -> list[tuple[int, int, int]]:
    at = source.text.find(_HEAD)
    if at < 0:
        raise source.error(0, f"no path record; legal: the output of saquery, which contains '{_HEAD}'")
    check_end(source)
    rows: list[tuple[int, int, int]] = []
    whole: set[str] = set()
    while at >= 0:
        end = source.text.find(_HEAD, at + 1)
        fields = dict(_FIELD.findall(source.text[at : end if end >= 0 else None]))
        values = []
        for name, most in (("slid", 0xBFFF), ("dlid", 0xBFFF), ("sl", 15)):
            try:
                value = int(fields.get(name, ""), 0)
            except ValueError:
                value = -1
            if not 0 <= value <= most:
                raise source.error(at, f"a path record without {name}; legal: complete records")
            values.append(value)
        whole = whole or {*fields}
        if {*fields} < whole:
            missing = ", ".join(sorted(whole - {*fields}))
            raise source.error(at, f"a path record is cut off: {missing} are missing; legal: complete records")
        rows.append((values[0], values[1], values[2]))
        at = end
    return rows
