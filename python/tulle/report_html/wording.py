"""Numbers and sentences of reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle.design.floor import read_floor

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tulle.report_html.model import Cell

# Significant digits of a number that is not whole.
_DIGITS = 4


def number(value: float) -> str:
    """Return a number with thousands separators. Fractions have four significant digits.

    From 1,000 on, numbers are rounded to whole numbers.

    >>> number(2000), number(1234.5), number(0.012345)
    ('2,000', '1,234', '0.01235')
    """
    if abs(value) >= 10 ** (_DIGITS - 1) or float(value).is_integer():
        return f"{value:,.0f}"
    rounded = float(f"{value:.{_DIGITS}g}")
    return f"{rounded:,g}" if abs(value) >= 1e-4 else f"{value:.{_DIGITS}g}"


def shown(cell: Cell) -> str:
    """Return a cell as readers see it. A missing value is an en dash."""
    if cell is None:
        return "–"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    return cell if isinstance(cell, str) else number(cell)


def listed(words: Iterable[str]) -> str:
    """Join words as in a sentence.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def percent(share: float) -> str:
    """Return a share as a percentage with at most three significant digits.

    >>> percent(0.0512)
    '5.12%'
    """
    return f"{float(f'{100 * share:.3g}'):g}%"


def own_floor(floor: str | None) -> str | None:
    """Return a sentence about a floor that differs from the standard floor; None for the standard floor."""
    if floor is None:
        return None
    standard = read_floor(None).split(",")
    own = [key for key in floor.split(",") if key not in standard]
    return f"Prices and cable lengths are for a floor with {', '.join(own)}." if own else None
