"""The command-line application. Each command, or group of commands, has a file and a line in this file."""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tulle import __version__
from tulle.cli.terminal.printing import Printing

if TYPE_CHECKING:
    from collections.abc import Sequence

# Name of an environment variable that the scripts of tulle completion set.
COMPLETE = "_TULLE_COMPLETE"

# Command -> the module and function that run it, in the order of the help.
COMMANDS = {
    "list": "reference.list:list_kind",
    "completion": "reference.completion:completion",
    "help": "reference.help:show_help",
    "features": "reference.features:features",
    "design": "design.design:design",
    "compare": "design.compare:compare",
    "fabric": "network.fabric:fabric",
    "import": "network.import_network:import_network",
    "layout": "network.layout:layout",
    "prices": "design.prices:prices",
    "cabling": "network.cabling:cabling",
    "deploy": "deploy.group:deploy",
    "lab": "lab.group:lab",
    "route": "routing.route:route",
    "path": "routing.path:path",
    "analyze": "analysis.analyze:analyze",
    "throughput": "analysis.throughput:throughput",
    "resilience": "analysis.resilience:resilience",
    "stress": "analysis.stress:stress",
    "tune": "routing.tune:tune",
    "simulate": "simulation.simulate:simulate",
    "flit": "simulation.flit:flit",
    "exchange": "simulation.exchange:exchange",
    "run": "study.run:run",
    "report": "reference.report:report",
}


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"tulle {__version__}")
        raise typer.Exit


def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Low-diameter networks: design, route, analyse and simulate them."""


def application(arguments: Sequence[str]) -> typer.Typer:
    """Return the application. If `arguments` start with the name of a command, it has only this command.

    The parameters of all commands take long to read, longer than many commands run.
    """
    completing = COMPLETE in os.environ
    app = typer.Typer(
        name="tulle",
        help="Low-diameter networks: design, route, analyse and simulate them.",
        epilog="Specs have the form name:key=value,key=value, for example slimfly:q=19 or permutation:bytes=1MiB; "
        "see tulle list.",
        # Typer's own completion options are off, because they edit the user's shell configuration.
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
            app.add_typer(found, name=name)
        else:
            app.command(name, cls=Printing)(found)
    return app


def command(arguments: Sequence[str]) -> Any:
    """Return the application as a click command, which can be run with arguments."""
    return typer.main.get_command(application(arguments))
