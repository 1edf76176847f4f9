"""Comma-separated text: what has a comma, a quote or a line end in it stands in quotes (RFC 4180).

Names come from files of others, and spreadsheets run text that starts with ``=``, ``+``, ``-`` or ``@`` as a formula.
Such text gets a leading ``'``, as the OWASP guide on CSV injection has it. Characters that turn the direction of
writing, behind which a name can pass for another, are written as escapes.
"""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np

# Of the characters of the line end depends which values csv puts in quotes.
_END = "\r\n"
# Kinds of numpy's types whose values are never in need of quotes: truth values, whole numbers, numbers.
_PLAIN = "biuf"
# What a spreadsheet takes for a formula, and the numbers that it is no formula in.
_FORMULA, _NUMBER = re.compile(r"[=+\-@\t\r]"), re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]")
_TURNING = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def csv_row(values: Iterable[object]) -> str:
    """A row, without its line end."""
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator=_END).writerow(map(_neutral, values))
    return buffer.getvalue().removesuffix(_END)


def csv_cells(texts: Sequence[str], dtype: np.dtype[Any]) -> Sequence[str]:
    """The values of a column of that type, each as it stands in a row."""
    # Alone in a row an empty text would be in quotes, to be told from no row.
    return texts if dtype.kind in _PLAIN else [csv_row([text]) if text else "" for text in texts]


def csv_number(value: float | None) -> object:
    """A number for a column that holds several kinds: whole ones without decimals, nothing for None."""
    if value is None:
        return ""
    return int(value) if float(value).is_integer() and abs(value) < 1 << 53 else value


def _neutral(value: object) -> object:
    if not isinstance(value, str):
        return value
    value = _TURNING.sub(lambda found: found.group().encode("unicode_escape").decode(), value)
    return f"'{value}" if _FORMULA.match(value) and not _NUMBER.fullmatch(value) else value
