"""Make texts of messages short and safe for a terminal, and write cells of CSV files."""

from __future__ import annotations

import csv
import io
import re

# The module typing is not imported, because it takes longer to load than this file.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    import numpy as np


# A message quotes at most _MOST characters of a value and _PATH characters of a path. Each part of a path is one value.
_MOST, _PATH = 60, 255
# Punctuation around a value, and a value in single quotes. A quote inside a word is an apostrophe.
_AROUND = "'\"()[],.:;?!"
_COMMAND = re.compile(r"(`tulle [^`]*`)")
_QUOTED = re.compile(r"(?<!\w)'(.*?)'(?!\w)", re.DOTALL)


def abridged(message: str, values: Iterable[str] = ()) -> str:
    """Shorten every value in a message that is longer than 60 characters to 60 characters and an ellipsis.

    A value is one of `values`, a text in single quotes, or a text without spaces. Each part of a path is one value.
    Commands of tulle in backticks stay complete, so that users can copy them.
    """
    return "".join(part if _COMMAND.fullmatch(part) else _abridged(part, values) for part in _COMMAND.split(message))


def _abridged(message: str, values: Iterable[str]) -> str:
    for value in values:
        if len(value) > _MOST:
            message = message.replace(value, brief(value))
    message = _QUOTED.sub(lambda found: f"'{brief(found[1])}'", message)
    return re.sub(rf"\S{{{_MOST + 1},}}", lambda found: _cut_path(found[0]), message)


def brief(value: str) -> str:
    """Shorten a value for a message. Paths are returned unchanged, because `abridged` shortens each of their parts."""
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
    """Escape control characters and lone surrogates; line ends are not changed."""
    return "".join(
        c if c.isprintable() or c == "\n" or (c.isspace() and c not in _MOVING) else _escape(c) for c in text
    )


def one_line(text: str) -> str:
    """Escape control characters and line ends, so that the text stays on one line."""
    return plain(text).replace("\n", "\\n")


# White space that moves the cursor to another line or column.
_MOVING = "\r\t\v\f\x1c\x1d\x1e\x1f\x85\u2028\u2029"


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode()


def counted(count: int, one: str, several: str | None = None) -> str:
    """Return a count with its noun, for example ``2,000 cables``. `several` is the plural if it is irregular."""
    return f"{count:,} {one if count == 1 else several or one + 's'}"


def listed(names: Sequence[str], most: int = 6) -> str:
    """Return at most `most` names, separated by commas, and how many more there are."""
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def are(count: int, one: str, several: str | None = None) -> str:
    """Return a count with its noun and *is* or *are*, for example ``1 cable is`` or ``2 cables are``."""
    return f"{counted(count, one, several)} {verb(count, 'is', 'are')}"


def verb(count: int, one: str, several: str) -> str:
    """Return `one` if the count is 1, otherwise `several`; for example *is* or *are*."""
    return one if count == 1 else several


# With this line end, the csv module also quotes values that contain a carriage return. `csv_row` removes the line end.
_END = "\r\n"
# Kinds of numpy types whose values never need quotes: truth values and numbers.
_PLAIN = "biuf"
# A spreadsheet reads texts with these first characters as formulas, except numbers that start with a sign.
_FORMULA, _NUMBER = re.compile(r"[=+\-@\t\r]"), re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]")
_TURNING = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def csv_row(values: Iterable[object]) -> str:
    """Return a row of a CSV file, without its line end."""
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator=_END).writerow(map(_neutral, values))
    return buffer.getvalue().removesuffix(_END)


def csv_cells(texts: Sequence[str], dtype: np.dtype[Any]) -> Sequence[str]:
    """Return the cells of a column whose values have the type `dtype`."""
    # The csv module would quote an empty text that is alone in its row.
    return texts if dtype.kind in _PLAIN else [csv_row([text]) if text else "" for text in texts]


def csv_number(value: float | None) -> object:
    """Return the CSV cell of a number. Whole numbers have no decimals; None gives an empty cell."""
    if value is None:
        return ""
    return int(value) if float(value).is_integer() and abs(value) < 1 << 53 else value


def _neutral(value: object) -> object:
    if not isinstance(value, str):
        return value
    value = _TURNING.sub(lambda found: found.group().encode("unicode_escape").decode(), value)
    return f"'{value}" if _FORMULA.match(value) and not _NUMBER.fullmatch(value) else value


def tulle_command(*words: object) -> str:
    """Return a command of tulle that users can copy: words with spaces or other special characters are quoted."""
    # Imported here because it is needed only for messages.
    import shlex

    return shlex.join(["tulle", *map(str, words)])


def did_you_mean(name: str, names: Sequence[str]) -> str:
    """Return ``did you mean a or b?`` if some of `names` are similar to `name`, otherwise ``legal: `` and all names.

    If one of the names contains a comma, the list has all names in quotes. Names of a study's cases often contain
    commas.
    """
    # Imported here because it is needed only for errors.
    from difflib import get_close_matches

    if not names:
        return "legal: none"
    near = get_close_matches(name, names, n=3, cutoff=0.6)
    if near:
        return f"did you mean {' or '.join(near)}?"
    quote = "'" if any("," in name for name in names) else ""
    return f"legal: {', '.join(f'{quote}{name}{quote}' for name in names)}"
