"""The command line: ``tulle COMMAND …``.

Results go to standard output, errors as one line to standard error. Exit codes: 0 done, 1 failed, 2 bad input or too
little memory, 130 stopped by Ctrl-C.
"""

from __future__ import annotations

import sys

# `typing` is not imported here because it loads slowly: until `main` runs, Ctrl-C meets Python's own handler.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run a command and exit.

    With `arguments`, run inside a program that handles its own signals, and end by `SystemExit`.
    """
    if arguments is not None:
        sys.exit(_run(arguments))
    from tulle.cli import interrupt

    try:
        interrupt.handle()
        code = _run(None)
        # Only the interpreter's own start-up and exit are left, and they are short.
        interrupt.ignore()
    except KeyboardInterrupt:
        interrupt.end()
    sys.exit(code)


def _run(arguments: Sequence[str] | None) -> int:
    """The exit code; one line, too, where what a command needs cannot be loaded or does not fit into memory."""
    try:
        from tulle.cli.command import run

        return run(arguments)
    except ModuleNotFoundError:
        # The missing module is neither tulle's nor a dependency, so this is a bug, and the traceback shows its place.
        raise
    except (ImportError, MemoryError) as error:
        from tulle.cli import unloadable

        return unloadable.tell(error)
