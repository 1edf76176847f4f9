"""``tulle deploy``: one file per command, ``deploy_NAME.py``, and a line each here."""

from __future__ import annotations

import typer

from tulle.cli.deploy_containerlab import containerlab
from tulle.cli.deploy_frr import frr
from tulle.cli.deploy_infiniband import infiniband
from tulle.cli.deploy_linux import linux
from tulle.cli.deploy_ovs import ovs
from tulle.cli.deploy_repair import repair
from tulle.cli.deploy_sonic import sonic
from tulle.cli.deploy_srv6 import srv6
from tulle.cli.deploy_verify import verify

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
