"""The command line: ``tulle COMMAND …``.

Results go to standard output, errors as one line to standard error. Exit codes: 0 done, 1 failed, 2 bad input or too
little memory, 130 stopped by Ctrl-C.
"""

from __future__ import annotations

import sys

# `typing` is not imported, because it loads slowly, and Ctrl-C prints a traceback until `main` handles it.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run a command and exit.

    If `arguments` are given, the caller is a program that handles its own signals. The command ends with `SystemExit`.
    """
    if arguments is not None:
        sys.exit(_run(arguments))
    from tulle.cli import interrupt

    try:
        interrupt.handle()
        code = _run(None)
        # The command is done. Only the interpreter's shutdown remains, which takes little time.
        interrupt.ignore()
    except KeyboardInterrupt:
        interrupt.end()
    sys.exit(code)


def _run(arguments: Sequence[str] | None) -> int:
    """Run a command and return its exit code. Print one line if a library does not load or memory runs out."""
    try:
        from tulle.cli.command import run

        return run(arguments)
    except ModuleNotFoundError:
        # A missing module is a bug of tulle or of its installation. The traceback shows which module is missing.
        raise
    except (ImportError, MemoryError) as error:
        from tulle.cli import unloadable

        return unloadable.print_problem(error)
