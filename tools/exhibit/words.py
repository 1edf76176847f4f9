"""Format numbers and grid points for the papers' pages."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


def number(value: float | None) -> str:
    """Format a number with about four digits; whole numbers keep all digits."""
    if value is None:
        return "–"
    if value == int(value) and abs(value) < 1e9:
        return f"{int(value):,}"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 100 else f"{value:.4g}"


def spread(mean: float | None, half95: float | None) -> str:
    """Format a mean and half the width of its 95% interval, with digits that fit the interval's width."""
    if mean is None or not half95:
        return number(mean)
    decimals = min(4, max(0, 1 - math.floor(math.log10(half95))))
    return f"{mean:,.{decimals}f} ± {half95:,.{decimals}f}"


def where(case: str, point: Mapping[str, str], names: Mapping[str, str]) -> str:
    """Return the name of a case and its grid point; `names` are the study's display names of values."""
    return ", ".join(filter(None, [case, in_words(point, names)]))


def in_words(point: Mapping[str, str], names: Mapping[str, str]) -> str:
    """Return a grid point in words; `names` are the study's display names of values."""
    return ", ".join(names.get(value, f"{name} {value}") for name, value in point.items())


def seconds(known: float, *, all_known: bool) -> str:
    """Format processor seconds.

    A leading ">" marks a lower bound: the time of some cases is unknown, because several runs were measured together.
    """
    if known < 1:
        return "< 1" if all_known else "not measured"
    return f"{'' if all_known else '> '}{known:,.0f}"


def table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    lines = [titles, ["---"] * len(titles), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def folded(summary: str, text: str) -> str:
    """Return text that is hidden until the reader opens it. The search leaves it out, because it is mostly numbers."""
    return f'<details data-search-exclude markdown="1">\n<summary>{summary}</summary>\n\n{text}\n\n</details>'
