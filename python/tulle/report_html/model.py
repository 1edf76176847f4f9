"""The content of a report: sections with text, tables, charts and drawings of networks, independent of HTML."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Cell", "Chart", "Column", "Drawing", "Part", "Picture", "Section", "Table"]

Cell = str | int | float | bool | None


@dataclass(frozen=True)
class Column:
    """The heading of a table column, and how its cells are shown."""

    head: str
    kind: Literal["text", "number", "percent", "code"] = "text"
    """Numbers and percentages are aligned to the right and sorted by value; code (specs) has a fixed-width font."""


@dataclass(frozen=True)
class Table:
    """A table that readers can sort and filter."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""
    folded: bool = False
    """Whether the table is hidden until the reader opens it. A folded table is not printed."""


@dataclass(frozen=True)
class Chart:
    """A chart. ``page/charts.js`` draws each kind; the rows are also shown as a table."""

    kind: Literal["bars", "ranges", "curves", "scatter"]
    title: str
    rows: tuple[Mapping[str, Cell], ...]
    """The data. The keys depend on the kind: see ``page/charts.js``."""
    x: str
    """Label of the horizontal axis, with its unit."""
    y: str = ""
    """Label of the vertical axis, with its unit."""
    note: str = ""
    options: Mapping[str, Cell] = field(default_factory=dict)
    """Settings of this kind of chart, for example ``{"log": True}``."""


@dataclass(frozen=True)
class Drawing:
    """A network that readers can explore. ``page/network.js`` draws it."""

    title: str
    data: Mapping[str, Any]
    """The values that `network.described` returns."""


@dataclass(frozen=True)
class Picture:
    """A finished picture, for example a floor plan."""

    title: str
    svg: str


Part = Table | Chart | Drawing | Picture


@dataclass(frozen=True)
class Section:
    """A section of a report."""

    title: str
    text: tuple[str, ...] = ()
    """Paragraphs."""
    parts: tuple[Part, ...] = ()
