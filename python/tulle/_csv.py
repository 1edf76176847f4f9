"""Comma-separated text: what has a comma, a quote or a line end in it stands in quotes (RFC 4180)."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np

# Of the characters of the line end depends which values csv puts in quotes.
_END = "\r\n"
# Kinds of numpy's types whose values are never in need of quotes: truth values, whole numbers, numbers.
_PLAIN = "biuf"


def csv_row(values: Iterable[object]) -> str:
    """A row, without its line end."""
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator=_END).writerow(values)
    return buffer.getvalue().removesuffix(_END)


def csv_cells(texts: Sequence[str], dtype: np.dtype[Any]) -> Sequence[str]:
    """The values of a column of that type, each as it stands in a row."""
    # Alone in a row an empty text would be in quotes, to be told from no row.
    return texts if dtype.kind in _PLAIN else [csv_row([text]) if text else "" for text in texts]
