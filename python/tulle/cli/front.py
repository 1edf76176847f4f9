"""The front page, ``tulle --help``, and ``tulle --version``. Both are printed without typer, which loads slowly."""

from __future__ import annotations

import os

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["COMPLETE", "SUMMARY", "is_asked", "page", "show"]

COMPLETE = "_TULLE_COMPLETE"
"""Environment variable that the scripts of ``tulle completion`` set. They run ``tulle`` without arguments."""

SUMMARY = "Low-diameter networks: design, route, analyse and simulate them."
_HELP, _VERSION = ("-h", "--help"), "--version"
# In characters: the width of a line, the indentation of the text, and the width of the column of command names.
_WIDTH, _INDENT, _NAMES = 80, 2, 12
_TEXT = (
    "Specs have the form name:key=value,key=value, for example slimfly:q=19 or permutation:bytes=1MiB; see tulle list. "
    "tulle COMMAND --help describes a command."
)
_EXAMPLES = ("tulle demo", "tulle fabric slimfly:q=19", "tulle simulate slimfly:q=9 --routing spread:layers=20")


def is_asked(given: Sequence[str]) -> bool:
    """Return whether the arguments of ``tulle`` ask for the front page or the version."""
    if COMPLETE in os.environ:
        return False
    return not given or given[0] in (*_HELP, _VERSION) or [*given] == ["help"]


def show(given: Sequence[str]) -> None:
    """Print the version if the arguments ask for it, otherwise the front page."""
    if given and given[0] == _VERSION:
        from tulle import __version__

        print(f"tulle {__version__}")
        return
    from tulle.cli.terminal.text import Screen

    print(page(Screen.width() or _WIDTH))


def page(width: int = _WIDTH) -> str:
    """Return the front page: usage, the commands in groups, options and examples. No line exceeds `width` columns.

    Lines have at most 80 columns, because longer lines are hard to read.
    """
    from tulle.cli.commands import GROUPS
    from tulle.cli.terminal.text import fold

    indent = " " * _INDENT
    lines = ["Usage: tulle [OPTIONS] COMMAND [ARGS]...", "", f"{indent}{SUMMARY}"]
    for group, commands in GROUPS.items():
        lines += ["", f"{group}:", *(f"{indent}{name:<{_NAMES}}{clause}" for name, (_, clause) in commands.items())]
    options = {"--version": "Print the version.", ", ".join(_HELP): "Show this message and exit."}
    lines += ["", "Options:", *(f"{indent}{name:<{_NAMES}}{what}" for name, what in options.items())]
    lines += ["", "Examples:", *(indent + example for example in _EXAMPLES), "", indent + _TEXT]
    return "\n".join(
        part
        for line in lines
        for part in fold(line, min(width, _WIDTH), _INDENT if line.strip() == _TEXT else _INDENT + _NAMES)
    )
