"""The application: one file per command, one line each here."""

from typing import Annotated, Any

import typer

from tulle import __version__
from tulle.cli.analyze import analyze
from tulle.cli.exchange import exchange
from tulle.cli.fabric import fabric
from tulle.cli.features import features
from tulle.cli.flit import flit
from tulle.cli.list import list_kind
from tulle.cli.route import route
from tulle.cli.run import run
from tulle.cli.simulate import simulate
from tulle.cli.throughput import throughput
from tulle.cli.tune import tune
from tulle.cli.worsen import worsen

app = typer.Typer(
    name="tulle",
    help="Low-diameter networks: design, route, analyse and simulate them.",
    epilog="Specs read name:key=value,key=value, as slimfly:q=19 or permutation:bytes=1MiB; see tulle list.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("list")(list_kind)
app.command("features")(features)
app.command("fabric")(fabric)
app.command("route")(route)
app.command("analyze")(analyze)
app.command("throughput")(throughput)
app.command("worsen")(worsen)
app.command("tune")(tune)
app.command("simulate")(simulate)
app.command("flit")(flit)
app.command("exchange")(exchange)
app.command("run")(run)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"tulle {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Low-diameter networks: design, route, analyse and simulate them."""


def command() -> Any:
    """The application as a command."""
    return typer.main.get_command(app)
