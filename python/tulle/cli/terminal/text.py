"""Write values for people, and wrap text at the width of a terminal."""

from __future__ import annotations

import math
import os
import re
import shutil
import sys
from contextlib import suppress
from decimal import Decimal
from typing import Any

from tulle._internal.text import abridged, one_line

# Significant digits of floats below 1000, and the range of magnitudes in which floats are shown without an exponent.
_DIGITS, _SMALLEST, _LARGEST = 4, 1e-6, 1e15
# Significant digits that survive rounding errors, so that 1.0625 and the nearest other floats print the same.
_SOUND = 13


def text(value: Any) -> str:
    """Format a value for people. Whole numbers are shown in full, floats are rounded to four digits, None is a dash.

    A float of 1000 or more is rounded to a whole number. An exponent appears only below 10⁻⁶ and from 10¹⁵ on.
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
        # NaN means a missing value, like null in JSON.
        return "-"
    if value == 0 or math.isinf(value):
        return f"{value:.3f}"
    if not _SMALLEST <= size < _LARGEST:
        return f"{value:.{_DIGITS - 1}e}"
    value = float(f"{value:.{_SOUND}g}")
    # The number is rounded first, because 999.96 becomes 1000, which has no decimals.
    exponent = int(f"{size:.{_DIGITS - 1}e}".partition("e")[2])
    return f"{value:.{max(0, _DIGITS - 1 - exponent)}f}"


def span(low: float, high: float) -> str:
    """Return minimum and maximum as text. Return an empty text if the shown digits are equal."""
    least, most = text(low), text(high)
    return "" if least == most else f"{least} to {most}"


def note(message: str) -> None:
    """Print a one-line note on standard error."""
    width = _columns(sys.stderr.fileno()) if sys.stderr.isatty() else None
    print("\n".join(fold(f"tulle: {one_line(abridged(message))}", width)), file=sys.stderr)


def exact(value: float) -> str:
    """Write a number with twelve digits, without an exponent and without trailing zeros."""
    return format(Decimal(f"{value:.12g}"), "f")


def money(value: float) -> str:
    """Write an amount with cents if it has any, so that count times price is the printed sum."""
    return f"{value:.0f}" if float(value).is_integer() else f"{value:.2f}"


class Screen:
    """Properties of the screen: whether ``--wide`` is set, and the width of standard output."""

    wide = False
    """Whether ``--wide`` is set, so that lines may be longer than the width of the terminal."""

    @classmethod
    def width(cls) -> int | None:
        """Return the width of standard output in characters; None if there is no limit."""
        if cls.wide or not sys.stdout.isatty():
            return None
        return _columns(sys.stdout.fileno())


def _columns(terminal: int) -> int:
    """Return the width of a terminal in characters, at most the value of ``COLUMNS`` if the user has set it."""
    reported = shutil.get_terminal_size().columns
    with suppress(OSError):
        there = os.get_terminal_size(terminal).columns
        # A terminal that does not know its width reports 0. Wider lines would be split by the terminal.
        return min(reported, there) if there else reported
    return reported


def cells_of(shown: str) -> int:
    """Return the number of terminal columns that a text takes."""
    if shown.isascii():
        return len(shown)
    from rich.cells import cell_len

    return cell_len(shown)


def fold(shown: str, width: int | None, indent: int = 0) -> list[str]:
    """Return the lines of a text, wrapped at spaces, and for long words after commas between parameters.

    A long word without such commas, for example the path of a file, is not broken. All lines except the first start
    with `indent` spaces.
    """
    if width is None:
        return shown.split("\n")
    lines = []
    for paragraph in shown.split("\n"):
        line = ""
        for gap, word in re.findall(r"( *)([^ ]+)", paragraph):
            fits = cells_of(word) <= width - indent
            parts = [word] if fits else parts_of(word)
            for space, part in zip([gap, *[""] * len(parts)], parts, strict=False):
                if line.strip() and cells_of(line + space + part) > width and cells_of(part) <= width - indent:
                    lines.append(line)
                    line = " " * indent + part
                else:
                    line += space + part
        lines.append(line)
    return lines


def parts_of(word: str) -> list[str]:
    """Return the parts of a spec, split after the commas between its parameters."""
    return re.findall(r"(?:[^,]|,(?=\d|$))+,?", word)


def shorten(shown: str, width: int) -> str:
    """Shorten a name to `width` terminal columns with an ellipsis. Numbers in the name are never cut."""
    if cells_of(shown) <= width:
        return shown
    kept = ""
    for character in shown:
        if cells_of(kept + character) > max(width - 1, 0):
            break
        kept += character
    if re.search(r"[\w.]$", kept) or re.match(r",\d", kept[-1:] + shown[len(kept) :]):
        # A number at the cut is removed, because q=1… could mean q=11 or q=12.
        kept = re.sub(r"(?<![\w.])[+-]?\d[\w.]*(,\d[\w.]*)*,?$", "", kept)
    return f"{kept}…"
