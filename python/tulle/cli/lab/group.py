"""The command group ``tulle lab``. Each command has a file ``lab/NAME.py`` and a line in this file."""

from __future__ import annotations

import typer

from tulle.cli.lab.down import down
from tulle.cli.lab.exec import execute
from tulle.cli.lab.fail import fail
from tulle.cli.lab.fib import fib
from tulle.cli.lab.load import load
from tulle.cli.lab.probe import probe
from tulle.cli.lab.traffic import traffic
from tulle.cli.lab.up import up

lab = typer.Typer(
    help="Runs bundles of tulle deploy linux on this machine's kernel, in a sandbox without access to other networks.",
    rich_markup_mode=None,
)

lab.command("up")(up)
lab.command("probe")(probe)
lab.command("traffic")(traffic)
lab.command("fail")(fail)
lab.command("load")(load)
lab.command("fib")(fib)
# Options after the name of the switch or host belong to the command that runs in the lab.
lab.command("exec", context_settings={"allow_interspersed_args": False})(execute)
lab.command("down")(down)
