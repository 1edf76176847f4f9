"""``tulle deploy``: one file per command, ``deploy/NAME.py``, and a line each here."""

from __future__ import annotations

import typer

from tulle.cli.deploy.containerlab import containerlab
from tulle.cli.deploy.frr import frr
from tulle.cli.deploy.infiniband import infiniband
from tulle.cli.deploy.linux import linux
from tulle.cli.deploy.ovs import ovs
from tulle.cli.deploy.repair import repair
from tulle.cli.deploy.sonic import sonic
from tulle.cli.deploy.srv6 import srv6
from tulle.cli.deploy.verify import verify

deploy = typer.Typer(
    help="Loads routings into networks, and compares what is there with what was meant.", rich_markup_mode=None
)

deploy.command("infiniband")(infiniband)
deploy.command("linux")(linux)
deploy.command("frr")(frr)
deploy.command("sonic")(sonic)
deploy.command("ovs")(ovs)
deploy.command("containerlab")(containerlab)
deploy.command("srv6")(srv6)
deploy.command("verify")(verify)
deploy.command("repair")(repair)
