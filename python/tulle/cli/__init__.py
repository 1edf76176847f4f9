"""The command line: ``tulle COMMAND …``.

Results go to standard output, errors as one line to standard error. Exit codes: 0 done, 1 failed, 2 bad input or too
little memory, 130 stopped by Ctrl-C.
"""

from __future__ import annotations

import sys

# Not from typing, which takes longer to load than this file: until `main` runs, a Ctrl-C meets Python's own handler.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Runs a command and exits; with `arguments`, in a program whose signals stay its own, by `SystemExit`."""
    if arguments is not None:
        sys.exit(_run(arguments))
    from tulle.cli import interrupt

    try:
        interrupt.handle()
        code = _run(None)
        # What is left is Python's own business, and short.
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
        # Nothing that tulle comes with or asks for is missing: who sees this has a use for where.
        raise
    except (ImportError, MemoryError) as error:
        from tulle.cli import unloadable

        return unloadable.tell(error)
