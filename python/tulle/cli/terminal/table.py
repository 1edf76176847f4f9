"""Print tables for people. Numbers are never cut. On a narrow terminal, the least important columns are omitted."""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from tulle._internal.text import plain
from tulle.cli.terminal.text import Screen, cells_of, fold, parts_of, shorten, text

if TYPE_CHECKING:
    from collections.abc import Sequence

# Spaces between columns; minimum width of the heading of a number column; minimum width of a name; minimum width of a
# line of prose; share of the terminal's width that the most important name keeps.
_GAP, _HEADING, _NAME, _PROSE, _PART = 2, 9, 12, 20, 0.4
# Indentation of a spec's second and later lines.
_INDENT = 4
# A cell that starts with a number counts as a number. A unit, a mark or a range may follow.
_NUMBER = re.compile(r"[-+~<>≤≥±*]?\s?\d")
# Parts of a heading that are never broken.
_PIECE = re.compile(r"[^ _/]*[_/]+ *|[^ _/]+ *")


@dataclass(frozen=True)
class Column:
    """A column of a table.

    ``print_table([Column("fabric", rank=0), Column("switches", rank=2), Column("USD each", rank=1)], rows)`` omits the
    switches first. A plain string is a column whose rank is its position, and whose kind follows from its cells.
    """

    name: str
    """The heading. It may be broken at spaces, and after underscores and slashes."""
    rank: float | None = None
    """The importance: 0 is the most important. The column with the highest rank is omitted first; among columns
    of equal rank, the last one. None means the position of the column, from 0."""
    kind: Literal["number", "name", "spec", "prose"] | None = None
    """The kind of the cells. Numbers are shown in full; names may end in an ellipsis; prose takes several lines. Specs
    are broken after commas, but those of the most important column only if at most two columns are left. None means
    number if every cell is a number or starts with a digit, otherwise name."""


def print_table(
    columns: Sequence[str | Column],
    rows: Sequence[Sequence[Any]],
    *,
    title: str | None = None,
    output: str | None = None,
) -> None:
    """Print a table. It is complete if standard output is not a terminal, or ``--wide`` is set.

    Parameters
    ----------
    columns
        Headings, or columns with their ranks: see `Column`.
    rows
        Cells: numbers, texts or None. `text` formats them.
    title
        A line above the table.
    output
        The option that writes the table to a file, for example ``-o``. A line names it if columns are omitted.
    """
    width = Screen.width()
    bold, italic, plainly = ("\x1b[1m", "\x1b[3m", "\x1b[0m") if _is_styled() else ("", "", "")
    if title:
        for line in fold(plain(title), width):
            print(f"{italic}{line}{plainly}")
    heading, body, left_out = render(columns, rows, width)
    for line in heading:
        print(f"{bold}{line}{plainly}")
    for line in body:
        print(line)
    if left_out:
        ways = ", ".join(filter(None, ("--wide", "--json", output)))
        many = "1 column is" if left_out == 1 else f"{left_out} columns are"
        print("\n".join(fold(f"({many} left out; {ways} to see all)", width)))


def render(
    columns: Sequence[str | Column], rows: Sequence[Sequence[Any]], width: int | None
) -> tuple[list[str], list[str], int]:
    """Return the lines of heading and rows within `width` characters, and the number of omitted columns."""
    found = [_Laid.of(column, at, [row[at] for row in rows]) for at, column in enumerate(columns)]
    kept = list(found)
    if width is not None:
        while len(kept) > 1 and _needed(kept, width, hard=len(kept) == 2) > width:
            kept.remove(max(kept, key=lambda column: (column.rank, column.position)))
        _fit(kept, width)
    heading = _lines([column.heading() for column in kept], kept)
    body = [line for at in range(len(rows)) for line in _lines([column.cell(at) for column in kept], kept)]
    return heading, body, len(found) - len(kept)


@dataclass(eq=False)
class _Laid:
    """A column of a table during layout: its cells as text, and its width."""

    name: str
    rank: float
    position: int
    kind: str
    is_right: bool
    cells: list[str]
    width: int = 0

    @classmethod
    def of(cls, column: str | Column, position: int, values: list[Any]) -> _Laid:
        column = column if isinstance(column, Column) else Column(column)
        rank = position if column.rank is None else column.rank
        kind = column.kind or ("number" if all(map(_is_number, values)) else "name")
        is_right = column.kind == "number" or all(value is None or isinstance(value, (int, float)) for value in values)
        laid = cls(plain(column.name), rank, position, kind, is_right, [plain(text(value)) for value in values])
        laid.width = max(laid._cells(), laid._heading(_HEADING if kind == "number" else None))
        return laid

    def _cells(self) -> int:
        return max((cells_of(line) for cell in self.cells for line in cell.split("\n")), default=0)

    def _heading(self, width: int | None) -> int:
        return max(map(cells_of, _broken(self.name, max(width, self._cells()) if width else None)), default=0)

    def least(self, name: int, prose: int) -> int:
        """Return the minimum width of the column, if names keep `name` characters and prose keeps `prose`."""
        heading = max((cells_of(piece.rstrip()) for piece in _PIECE.findall(self.name)), default=0)
        kinds = {"number": self.width, "name": name, "spec": name, "prose": prose}
        return max(heading, min(self._cells(), kinds[self.kind]))

    def parts(self) -> int:
        """Return the smallest width at which every parameter of every spec fits into a line."""
        return _INDENT + max((cells_of(part.strip()) for cell in self.cells for part in parts_of(cell)), default=0)

    def heading(self) -> list[str]:
        return _broken(self.name, self.width)

    def cell(self, at: int) -> list[str]:
        if self.kind == "number":
            return self.cells[at].split("\n")
        match self.kind:
            case "prose":
                lines = fold(self.cells[at], self.width)
            case "spec":
                lines = fold(self.cells[at], self.width, _INDENT)
            case _:
                lines = self.cells[at].split("\n")
        return [shorten(line, self.width) for line in lines]

    def padded(self, line: str) -> str:
        gap = " " * (self.width - cells_of(line))
        return gap + line if self.is_right else line + gap


def _is_number(value: object) -> bool:
    return value in (None, "", "-") or isinstance(value, (int, float)) or bool(_NUMBER.match(str(value)))


def _is_styled() -> bool:
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _broken(name: str, width: int | None) -> list[str]:
    """Return the lines of a heading, broken at `width` characters."""
    if width is None:
        return [name]
    lines = [""]
    for piece in _PIECE.findall(name):
        if lines[-1] and cells_of((lines[-1] + piece).rstrip()) > width:
            lines.append("")
        lines[-1] += piece
    return [line.rstrip() for line in lines]


def _least(columns: list[_Laid], width: int, *, hard: bool = False) -> list[int]:
    """Return the minimum width of each column. With `hard`, columns may become one character wide.

    Without `hard`, the most important spec keeps its full width, because users copy specs. In a table without specs,
    the most important name gets a larger minimum.
    """
    if hard:
        return [column.least(1, 1) for column in columns]
    specs = [column for column in columns if column.kind == "spec"]
    names = specs or [column for column in columns if column.kind == "name"]
    first = min(names, key=lambda column: (column.rank, column.position), default=None)

    def kept(column: _Laid) -> int:
        if column.kind == "spec":
            return column.width if column is first else max(_NAME, column.parts())
        return max(_NAME, int(width * _PART)) if column is first else _NAME

    return [column.least(kept(column), _PROSE) for column in columns]


def _needed(columns: list[_Laid], width: int, *, hard: bool) -> int:
    return sum(_least(columns, width, hard=hard)) + _GAP * (len(columns) - 1)


def _fit(columns: list[_Laid], width: int) -> None:
    """Narrow the columns of names, specs and prose, the widest column first, until all columns fit."""
    over = sum(column.width for column in columns) + _GAP * (len(columns) - 1) - width
    for hard in (False, True):
        least = _least(columns, width, hard=hard)
        while over > 0 and any(column.width > few for column, few in zip(columns, least, strict=True)):
            able = [column for column, few in zip(columns, least, strict=True) if column.width > few]
            max(able, key=lambda column: column.width).width -= 1
            over -= 1


def _lines(cells: list[list[str]], columns: list[_Laid]) -> list[str]:
    """Return the lines of a table row."""
    height = max(map(len, cells), default=0)
    padded = [[*lines, *[""] * (height - len(lines))] for lines in cells]
    gap = " " * _GAP
    return [
        gap.join(column.padded(line) for column, line in zip(columns, lines, strict=True)).rstrip()
        for lines in zip(*padded, strict=True)
    ]
