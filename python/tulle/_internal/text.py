"""Text: words of messages that cannot move a terminal's cursor or break a line, and cells of CSV files."""

from __future__ import annotations

import csv
import io
import re

# Not from typing, which takes longer to load than this file.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    import numpy as np


# Characters of a value that a message repeats, and of a path, whose parts are values each.
_MOST, _PATH = 60, 255
# A value in quotes: they open behind no letter, and close before none, as an apostrophe does not.
_AROUND = "'\"()[],.:;?!"
_QUOTED = re.compile(r"(?<!\w)'(.*?)'(?!\w)", re.DOTALL)


def abridged(message: str, values: Iterable[str] = ()) -> str:
    """A message that repeats 60 characters of a value at most, and then has an ellipsis.

    Values are those that are known, what stands in quotes, and what has no space in it; of a path every part is one.
    """
    for value in values:
        if len(value) > _MOST:
            message = message.replace(value, brief(value))
    message = _QUOTED.sub(lambda found: f"'{brief(found[1])}'", message)
    return re.sub(rf"\S{{{_MOST + 1},}}", lambda found: _cut_path(found[0]), message)


def brief(value: str) -> str:
    """A value as a message repeats it; a path stays whole, and is cut by its parts where the message is."""
    return value if len(value) <= _MOST or ("/" in value and " " not in value) else f"{value[:_MOST]}…"


def _cut_path(text: str) -> str:
    body = text.strip(_AROUND)
    if len(body) <= _MOST or (len(body) == _MOST + 1 and body.endswith("…")):
        return text
    start = text.index(body)
    parts = "/".join(part if len(part) <= _MOST else f"{part[:_MOST]}…" for part in body.split("/"))
    whole = parts if len(parts) <= _PATH else f"{parts[:_MOST]}…"
    return f"{text[:start]}{whole}{text[start + len(body) :]}"


def plain(text: str) -> str:
    """The same text with control characters, but line ends, and lone surrogates as escapes."""
    return "".join(
        c if c.isprintable() or c == "\n" or (c.isspace() and c not in _MOVING) else _escape(c) for c in text
    )


def one_line(text: str) -> str:
    """The same as `plain`, in one line."""
    return plain(text).replace("\n", "\\n")


# White space that is more than a distance.
_MOVING = "\r\t\v\f\x1c\x1d\x1e\x1f\x85\u2028\u2029"


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode()


def counted(count: int, one: str, several: str | None = None) -> str:
    """A count with its noun, as ``1 cable`` and ``2,000 cables``; `several` is the plural if it is irregular."""
    return f"{count:,} {one if count == 1 else several or one + 's'}"


def are(count: int, one: str, several: str | None = None) -> str:
    """A count with its noun and a form of *be*, as ``1 cable is`` and ``2 cables are``."""
    return f"{counted(count, one, several)} {verb(count, 'is', 'are')}"


def verb(count: int, one: str, several: str) -> str:
    """The form of a verb that agrees with a count, as ``is`` or ``are``."""
    return one if count == 1 else several


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
