"""The command-line application, made by typer from the functions of the commands."""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from tulle import __version__
from tulle.cli.commands import COMMANDS
from tulle.cli.front import COMPLETE, SUMMARY, page
from tulle.cli.terminal.printing import Group, Printing

if TYPE_CHECKING:
    from collections.abc import Sequence


class Front(TyperGroup):
    """The group of all commands."""

    def format_help(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 - typer passes all arguments
        """Write the front page."""
        formatter.write(page())


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"tulle {__version__}")
        raise typer.Exit


def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Set the options of ``tulle`` itself."""


def application(arguments: Sequence[str]) -> typer.Typer:
    """Return the application. If `arguments` start with the name of a command, it has only this command.

    Reading the parameters of all commands would take longer than many commands need to run.
    """
    completing = COMPLETE in os.environ
    app = typer.Typer(
        name="tulle",
        cls=Front,
        help=SUMMARY,
        # Typer's own completion options edit the user's shell configuration, so they are off unless the shell asks for
        # completions.
        add_completion=completing,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
        # The callback keeps Typer from treating a single command as the whole application.
        callback=options,
    )
    named = arguments[0] if arguments and not completing else None
    for name in [named] if named in COMMANDS else COMMANDS:
        module, _, function = COMMANDS[name].partition(":")
        found = getattr(import_module(f"tulle.cli.{module}"), function)
        if isinstance(found, typer.Typer):
            for each in found.registered_commands:
                each.cls = Printing
            app.add_typer(found, name=name, cls=Group)
        else:
            app.command(name, cls=Printing)(found)
    return app


def command(arguments: Sequence[str]) -> Any:
    """Return the application as a click command, which can be run with arguments."""
    return typer.main.get_command(application(arguments))
