"""The command group ``tulle deploy``: a command per registered target, and the commands for existing bundles."""

from __future__ import annotations

import typer

from tulle.cli.deploy.repair import repair
from tulle.cli.deploy.rollback import rollback, versions
from tulle.cli.deploy.target import command
from tulle.cli.deploy.verify import verify
from tulle.deploy.targets import targets

deploy = typer.Typer(
    help="Writes a routing as files for a network, verifies the running network against them, and repairs them "
    "after failures.",
    rich_markup_mode=None,
)

for target in targets():
    deploy.command(target.name)(command(target))
deploy.command("verify")(verify)
deploy.command("repair")(repair)
deploy.command("rollback")(rollback)
deploy.command("versions")(versions)
