"""``tulle deploy``: a command per registered target, then ``verify`` and ``repair``."""

from __future__ import annotations

import typer

from tulle.cli.deploy.repair import repair
from tulle.cli.deploy.target import command
from tulle.cli.deploy.verify import verify
from tulle.deploy.targets import targets

deploy = typer.Typer(
    help="Loads routings into networks, and compares what is there with what was meant.", rich_markup_mode=None
)

for target in targets():
    deploy.command(target.name)(command(target))
deploy.command("verify")(verify)
deploy.command("repair")(repair)
