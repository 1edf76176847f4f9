"""Read CSV rows with the position of each value in the file, for error messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tulle.cabling.source import Source

Row = list[tuple[str, int]]
"""The values of a row, each with its character offset in the file."""


_SEPARATORS = ",;\t"


def rows(source: Source) -> Iterator[Row]:
    """Read the rows of a CSV table, without empty rows. The most frequent separator of the header separates values.

    Spreadsheet programs of some countries write semicolons between columns, so commas, semicolons and tabs are legal.

    Raises
    ------
    tulle.FormatError
        For an unterminated quote, or text after a closing quote.
    """
    text, at = source.text, 0
    separator = max(_SEPARATORS, key=text.lstrip().partition("\n")[0].count)
    row: Row = []
    while at < len(text):
        start = at
        if text[at] == '"':
            value = ""
            while True:
                end = text.find('"', at + 1)
                if end < 0:
                    raise source.error(start, "an unterminated quote; legal: quotes in pairs")
                value += text[at + 1 : end]
                at = end + 1
                if text[at : at + 1] != '"':
                    break
                value += '"'
            if text[at : at + 1] not in ("", separator, "\n", "\r"):
                raise source.error(at, f"text after a closing quote; legal: {separator!r}, or the end of the row")
        else:
            ends = [end for end in (text.find(separator, at), text.find("\n", at)) if end >= 0]
            at = min(ends, default=len(text))
            value = text[start:at].removesuffix("\r")
        row.append((value.strip(), start))
        at += text[at : at + 1] == "\r"
        ends_row = text[at : at + 1] != separator
        at += 1
        if ends_row or at >= len(text):
            if not ends_row:
                row.append(("", at))
            if any(value for value, _ in row):
                yield row
            row = []
