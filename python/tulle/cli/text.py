"""Values as people read them, and text folded at the width of a terminal."""

from __future__ import annotations

import math
import re
import shutil
import sys
from typing import Any

from tulle._words import one_line

# Digits of a number that is not whole, and the magnitudes within which it is written without an exponent.
_DIGITS, _SMALLEST, _LARGEST = 4, 1e-6, 1e15


def text(value: Any) -> str:
    """A value for people: whole numbers in full, others rounded to four digits, lists joined, a dash for None.

    A number of 1000 and more is rounded to a whole one; an exponent stands only below 10⁻⁶ and from 10¹⁵ on.
    """
    match value:
        case None:
            return "-"
        case bool():
            return "yes" if value else "no"
        case float():
            return _number(value)
        case dict():
            return ", ".join(f"{key}={text(item)}" for key, item in value.items())
        case list() | tuple():
            return ", ".join(map(text, value))
    return str(value)


def _number(value: float) -> str:
    size = abs(value)
    if math.isnan(value):
        # JSON has null for it.
        return "-"
    if value == 0 or math.isinf(value):
        return f"{value:.3f}"
    if not _SMALLEST <= size < _LARGEST:
        return f"{value:.{_DIGITS - 1}e}"
    # Rounded first: 999.96 has no decimals left.
    exponent = int(f"{size:.{_DIGITS - 1}e}".partition("e")[2])
    return f"{value:.{max(0, _DIGITS - 1 - exponent)}f}"


def note(message: str) -> None:
    """A line beside the results, on standard error."""
    print(f"tulle: {one_line(message)}", file=sys.stderr)


class Screen:
    """What the text of this process is printed on."""

    wide = False
    """Whether ``--wide`` is set: lines may be longer than the terminal is wide."""

    @classmethod
    def width(cls) -> int | None:
        """Characters of a line on standard output; None where there is no limit."""
        if cls.wide or not sys.stdout.isatty():
            return None
        return shutil.get_terminal_size().columns


def cells_of(shown: str) -> int:
    """Columns of a terminal that a text takes."""
    if shown.isascii():
        return len(shown)
    from rich.cells import cell_len

    return cell_len(shown)


def fold(shown: str, width: int | None, indent: int = 0) -> list[str]:
    """The lines of a text, broken at spaces; a word that is longer than a line stays whole.

    Lines but the first start with `indent` spaces.
    """
    lines = []
    for paragraph in shown.split("\n"):
        line = ""
        # A run of spaces, such as the one between the name and the value of a field, is kept.
        for gap, word in re.findall(r"( *)([^ ]+)", paragraph):
            if width is not None and line.strip() and cells_of(line) + len(gap) + cells_of(word) > width:
                lines.append(line)
                line = " " * indent + word
            else:
                line += gap + word
        lines.append(line)
    return lines


def shorten(shown: str, width: int) -> str:
    """A name in `width` columns of a terminal, with an ellipsis where it is longer; no number in it is cut."""
    if cells_of(shown) <= width:
        return shown
    kept = ""
    for character in shown:
        if cells_of(kept + character) > max(width - 1, 0):
            break
        kept += character
    if re.match(r"[\w.]", shown[len(kept) :]):
        # What starts with a digit is shown whole or not at all: q=11 is not q=1….
        kept = re.sub(r"(?<![\w.])[+-]?\d[\w.,]*$", "", kept)
    return f"{kept}…"
