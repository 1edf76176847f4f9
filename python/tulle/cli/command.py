"""Run a command: print its error as one line, and return its exit code."""

from __future__ import annotations

import os
import re
import sys
from io import TextIOWrapper
from pathlib import Path

from tulle._internal.text import abridged, one_line
from tulle.cli import front
from tulle.cli.terminal.pipes import discard_unread
from tulle.errors import ConstructionError, DrawingError, FormatError, MissingDependencyError, TulleError

# The module typing is not imported, because it loads slowly, and the front page does not need it.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["run"]

_SIGNS = re.compile("[=:@]")

FAILED, BAD_INPUT, STOPPED = 1, 2, 130


def run(arguments: Sequence[str] | None) -> int:
    """Run a command, and return its exit code.

    Raises
    ------
    KeyboardInterrupt
        On Ctrl-C.
    """
    # If standard output or standard error is closed, its text is discarded.
    sys.stdout = sys.stdout or Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - open until the end
    sys.stderr = sys.stderr or Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - likewise
    # Characters that the encoding of the output does not have are escaped. File names may contain invalid characters.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    with discard_unread():
        return _run([*(sys.argv[1:] if arguments is None else arguments)])


def _run(given: Sequence[str]) -> int:
    try:
        if front.is_asked(given):
            front.show(given)
            code: object = 0
        else:
            from tulle.cli.invoke import invoke

            code = invoke(given)
        sys.stdout.flush()
    except (ConstructionError, DrawingError, MissingDependencyError) as error:
        return _fail(str(error), FAILED, given)
    except FormatError as error:
        return _fail(f"{error}{_import_hint(str(error), given)}", BAD_INPUT, given)
    except TulleError as error:
        return _fail(str(error), BAD_INPUT, given)
    except OSError as error:
        # An error with a file name comes from a plug-in. Otherwise writing to standard output failed, for example
        # because the disk is full.
        if error.filename is not None:
            return _fail(f"{error.filename}: {error.strerror or error}", BAD_INPUT, given)
        _drop_output()
        return _fail(f"standard output: {error.strerror or error}", BAD_INPUT)
    # typer returns this exit code for Ctrl-C.
    if code == STOPPED:
        raise KeyboardInterrupt
    return code if isinstance(code, int) else 0


def _import_hint(error: str, given: Sequence[str]) -> str:
    """Return the end of an error about a fabric's file that another tool wrote; otherwise an empty text."""
    found = [text for text in given if text.startswith("file:edges=")]
    if not found or "; the file is" in error:
        return ""
    from tulle.cabling.networks import import_hint

    # A spec can have further parameters after the file.
    paths = {spec.removeprefix("file:edges=").partition(",")[0].strip('"') for spec in found}
    return next((import_hint("", Path(path)) for path in paths if error.startswith(f"{path}:")), "")


def _drop_output() -> None:
    """Discard pending output, so that Python does not try to write it again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fail(message: str, code: int, given: Sequence[str] = ()) -> int:
    # The message shows the first 60 characters of each value that the user typed. A value is a whole argument, or the
    # text after one of the signs = : @, for example in --fail links=5%, @routing, file:edges=x.csv.
    joined = [" ".join(text.split()) for text in given]
    values = [text[at:] for text in (*given, *joined) for at in (0, *(found.end() for found in _SIGNS.finditer(text)))]
    print(f"tulle: {one_line(abridged(message, values))}", file=sys.stderr)
    return code
