"""The command group ``tulle export``: one command per registered scheduler."""

from __future__ import annotations

import typer

from tulle.cli.schedulers.scheduler import command
from tulle.schedulers.formats import schedulers

export = typer.Typer(
    help="Describes a network to schedulers: switches, groups and hosts, grouped by measured throughput.",
    rich_markup_mode=None,
)

for scheduler in schedulers():
    export.command(scheduler.name)(command(scheduler))
