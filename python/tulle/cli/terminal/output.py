"""Print results as one JSON object, or as tables and fields for people. Notes and progress go to standard error."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tulle._internal.text import one_line
from tulle.cli.terminal.progress import CallProgress, Forecast, ProgressLine, user_seconds
from tulle.cli.terminal.table import Column, print_table
from tulle.cli.terminal.text import Screen, cells_of, fold, note, span, text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = [
    "CallProgress",
    "Column",
    "Forecast",
    "Json",
    "ProgressLine",
    "Seed",
    "note",
    "print_fields",
    "print_json",
    "print_line",
    "print_some",
    "print_table",
    "span",
    "text",
    "user_seconds",
]

# Minimum width of a field's value, in characters.
_VALUE = 20
# Maximum number of lines of a list.
_LINES = 20

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Seed = Annotated[int, typer.Option("--seed", metavar="N", help="Seed of all random choices.")]


def print_json(value: Mapping[str, Any]) -> None:
    """Print one JSON object. Characters that the encoding of the output does not have become JSON escapes."""
    utf8 = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    print(json.dumps(value, indent=2, ensure_ascii=not utf8, allow_nan=False))


def print_fields(fields: Mapping[str, Any]) -> None:
    """Print one line per field, with name and value. Long values are wrapped at the width of the terminal."""
    names = max(map(cells_of, fields))
    width = Screen.width()
    indent = names + 2 if width is None or width >= names + 2 + _VALUE else 2
    for name, value in fields.items():
        for line in fold(f"{name}{' ' * (names - cells_of(name))}  {one_line(text(value))}", width, indent):
            print(line)


def print_some(lines: Sequence[str]) -> None:
    """Print the first 20 lines with numbers, and the count of further lines. The JSON output has all lines."""
    for number, line in enumerate(lines[:_LINES], 1):
        print_line(f"{number}. {line}")
    if len(lines) > _LINES:
        print_line(f"… and {len(lines) - _LINES:,} more; --json has all")


def print_line(shown: str) -> None:
    """Print a line of text. It is wrapped at spaces if the terminal is narrower."""
    for line in fold(one_line(shown), Screen.width()):
        print(line)
