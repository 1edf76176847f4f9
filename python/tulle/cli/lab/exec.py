"""``tulle lab exec``: run a command on a switch or a host of a lab."""

from __future__ import annotations

from typing import Annotated

import typer

from tulle.cli.lab.up import BundlePath  # noqa: TC001 - typer reads it

Name = Annotated[str, typer.Argument(metavar="NAME", help="Name of a switch or a host in the bundle.")]
Command = Annotated[list[str], typer.Argument(metavar="COMMAND...", help="Command to run, with its options.")]


def execute(bundle: BundlePath, name: Name, command: Command) -> None:
    """Runs a command in the namespace of a switch or a host, in the current folder, and exits with its exit code."""
    from tulle.lab.lab import find

    code = find(bundle).execute(name, command)
    if code:
        raise typer.Exit(code)
