"""Invoke a command through typer. Usage errors become errors in tulle's style."""

from __future__ import annotations

import re
import warnings
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import typer

from tulle._internal import runtime
from tulle._internal.text import did_you_mean
from tulle.cli.app import command
from tulle.cli.terminal.numbers import plainly
from tulle.cli.terminal.output import CallProgress, note
from tulle.errors import FontWarning, InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["invoke", "note_warnings"]


def invoke(given: Sequence[str]) -> object:
    """Run the command of the arguments `given`, and return its exit code.

    Raises
    ------
    tulle.InputError
        For a usage error, for example an unknown option.
    KeyboardInterrupt
        On Ctrl-C in a prompt.
    """
    runtime.watcher = CallProgress().show
    note_warnings()
    root = command(given)
    # Without further arguments, a command group prints its help.
    is_group = len(given) == 1 and hasattr(root.commands.get(given[0]), "commands")
    try:
        # Without standalone mode, typer raises errors and returns exit codes instead of printing and exiting.
        return root.main(args=[*given, *(["--help"] if is_group else [])], prog_name="tulle", standalone_mode=False)
    except typer.TyperException as error:
        message = _unknown_command(error) or f"{_one_line(error.format_message())}{_after_flag(error, given)}"
        raise InputError(message) from None
    except typer.Abort:
        raise KeyboardInterrupt from None


class _Notes:
    """A function that prints tulle's own warnings as notes, and calls another function for other warnings."""

    def __init__(self, otherwise: Callable[..., None]) -> None:
        self._otherwise = otherwise

    def __call__(self, message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
        if issubclass(category, FontWarning):
            note(str(message))
        else:
            self._otherwise(message, category, *where, **more)


def note_warnings() -> None:
    """Print tulle's own warnings as notes, without the source line that Python adds to them."""
    # A program may run many commands. Each function added here would call the one of the command before.
    if not isinstance(warnings.showwarning, _Notes):
        warnings.showwarning = _Notes(warnings.showwarning)


def _unknown_command(error: typer.TyperException) -> str:
    """Return a message with suggestions if the error is about an unknown command; empty for other errors."""
    found = re.match("No such command '(.*?)'", error.format_message())
    commands = getattr(getattr(getattr(error, "ctx", None), "command", None), "commands", {})
    return f"no such command '{found[1]}'; {did_you_mean(found[1], [*commands])}" if found and commands else ""


def _after_flag(error: typer.TyperException, given: Sequence[str]) -> str:
    """Return a hint if an extra argument stands after an option without a value; empty for other errors."""
    found = re.match(r"Got unexpected extra argument\S* \((\S+)", error.format_message())
    if found is None:
        return ""
    extra = found[1].rstrip(")")
    parameters = getattr(getattr(getattr(error, "ctx", None), "command", None), "params", [])
    options = [option for each in parameters for option in each.opts]
    flags = {option for each in parameters if getattr(each, "is_flag", False) for option in each.opts}
    for flag, value in pairwise(given):
        if value == extra and flag in flags:
            longer = [f"; did you mean {option} {value}?" for option in options if option.startswith(f"{flag}-")]
            return f"; {flag} takes no value{''.join(longer[:1])}"
    return ""


def _one_line(message: str) -> str:
    """Return a usage error of typer in tulle's style: one line, first letter in lower case, without a full stop."""
    line = (
        plainly(" ".join(message.split()))
        .rstrip(".")
        .replace("Missing command", "Missing command; `tulle --help` lists all commands")
    )
    return line[:1].lower() + line[1:]
