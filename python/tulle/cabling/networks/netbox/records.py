"""Records of NetBox's cables and panels, before links are traced through patch panels."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tulle.cabling.source import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tulle.cabling.source import Source

_MILLIMETRES = {"km": 1e6, "m": 1e3, "cm": 10.0, "mi": 1_609_344.0, "ft": 304.8, "in": 25.4}
_WORDS = {"kilometers": "km", "meters": "m", "centimeters": "cm", "miles": "mi", "feet": "ft", "inches": "in"}
_MOST_LENGTH, _LONGEST_MEDIUM = 1_000_000_000, 64
_KINDS = {"interface": "interface", "frontport": "front", "rearport": "rear"}

At = tuple[str, int]
"""A text and its character offset in the file."""


@dataclass(frozen=True)
class Termination:
    """The end of a cable."""

    device: str
    port: str
    kind: str
    """``interface``, ``front``, ``rear`` or ``other``."""


@dataclass(frozen=True)
class Record:
    """A cable between two terminations, as NetBox lists it."""

    ends: tuple[Termination, Termination]
    source: Source
    at: int
    length: int | None
    medium: str | None
    name: str


@dataclass(frozen=True)
class Page:
    """A page of a response of NetBox's REST API."""

    source: Source
    at: int
    kind: str
    """The kind of the rows, for example ``cables``; empty if the page has no rows."""
    rows: frozenset[str]
    """The ids of the rows."""
    count: int | None
    """The number of rows on all pages; None if the page does not state it."""
    follows: bool
    """Whether the page names a next page."""


@dataclass
class Inventory:
    """The contents of all NetBox files that were read."""

    records: list[Record] = field(default_factory=list)
    roles: dict[str, str] = field(default_factory=dict)
    """The role of each device."""
    rear: dict[tuple[str, str], tuple[str, int]] = field(default_factory=dict)
    """Front port (device, port) -> its rear port and position, as listed in the files."""
    views: set[Source] = field(default_factory=set)
    """Files without termination types, which come from NetBox's table view of cables."""
    pages: list[Page] = field(default_factory=list)
    """The pages of REST responses that were read. Some pages of a response may be missing."""
    warnings: list[str] = field(default_factory=list)

    def check_pages(self) -> None:
        """Check that all pages of every response were read.

        Raises
        ------
        tulle.FormatError
            For a response with a missing page.
        """
        rows: dict[str, set[str]] = {}
        for page in self.pages:
            rows.setdefault(page.kind, set()).update(page.rows)
        whole = {page.count for page in self.pages if page.rows and page.count == len(rows[page.kind])}
        for page in self.pages:
            found, what = len(rows[page.kind]), page.kind or "rows"
            if page.count is None:
                # If pages do not state a count, one page must say that it is the last page.
                alike = [other for other in self.pages if other.kind == page.kind]
                missing, of = all(other.follows for other in alike), "all"
            else:
                # A page without rows is legal if another page shows that the response is complete.
                missing, of = found < page.count and (bool(page.rows) or page.count not in whole), str(page.count)
            if missing:
                raise page.source.error(
                    page.at,
                    f"{found} of {of} {what}: other pages of the response "
                    "are missing; legal: all pages, with limit=0 or "
                    "as several files",
                )

    def add(
        self,
        source: Source,
        at: int,
        sides: Sequence[Sequence[Termination]],
        *,
        length: tuple[At, At],
        medium: At,
        label: At,
    ) -> None:
        """Add a cable. A breakout cable, with several terminations on a side, becomes several cables."""
        left, right = sides
        if not left or not right or (len(left) != len(right) and 1 not in (len(left), len(right))):
            raise source.error(
                at, f"a cable with {len(left)} and {len(right)} ends; legal: equal numbers, or 1 on one side"
            )
        lanes = max(len(left), len(right))
        for lane in range(lanes):
            a, b = (
                side[lane]
                if len(side) == lanes
                else Termination(side[0].device, f"{side[0].port}:{lane + 1}", side[0].kind)
                for side in (left, right)
            )
            name = label[0] if lanes == 1 else ""
            self.records.append(
                Record(
                    (a, b),
                    source,
                    at,
                    _length(source, *length),
                    _medium(source, *medium),
                    source.name(label[1], name, "cable") if name else "",
                )
            )


def kind_of(text: str) -> str:
    """Return the kind of a termination from its NetBox type, for example ``dcim.interface``, ``DCIM | front port``."""
    word = text.lower().replace("|", ".").split(".")[-1]
    return _KINDS.get("".join(letter for letter in word if letter.isalpha()), "other")


def _medium(source: Source, medium: str, at: int) -> str | None:
    if len(medium.encode()) > _LONGEST_MEDIUM:
        raise source.error(at, f"type {shown(medium)} is too long; legal: up to {_LONGEST_MEDIUM} bytes")
    return source.name(at, medium, "type") if medium else None


def _length(source: Source, length: At, unit: At) -> int | None:
    """Return a length in millimetres; None if the field is empty.

    The unit is in its own column or follows the number, for example ``3.00 m``.
    """
    quantity, place = length
    if not quantity:
        return None
    number, _, behind = quantity.partition(" ")
    word = (unit[0] or behind).strip().lower()
    word = _WORDS.get(word, word)
    if word not in _MILLIMETRES:
        raise source.error(
            unit[1] or place, f"length_unit {shown(unit[0] or behind)}; legal: {', '.join(_MILLIMETRES)}"
        )
    try:
        millimetres = float(number) * _MILLIMETRES[word]
    except ValueError:
        millimetres = -1.0
    if not 0 <= millimetres <= _MOST_LENGTH:
        raise source.error(place, f"length {shown(quantity)}; legal: a number, up to 1000 km")
    return round(millimetres)
