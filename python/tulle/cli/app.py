"""The application: one file per command, or group of commands, and one line each here."""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tulle import __version__
from tulle.cli.terminal.printing import Printing

if TYPE_CHECKING:
    from collections.abc import Sequence

# Set by the scripts of tulle completion.
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
    """The application; if `arguments` name one of its commands, only with that command.

    Reading the parameters of all commands would take longer than many commands run.
    """
    completing = COMPLETE in os.environ
    app = typer.Typer(
        name="tulle",
        help="Low-diameter networks: design, route, analyse and simulate them.",
        epilog="Specs have the form name:key=value,key=value, for example slimfly:q=19 or permutation:bytes=1MiB; "
        "see tulle list.",
        # tulle completion prints the scripts: typer has options for that, which would edit a shell's configuration.
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
    """The same as a command."""
    return typer.main.get_command(application(arguments))
