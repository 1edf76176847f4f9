"""``tulle plot fabric`` and ``tulle plot adjacency``: draw a fabric, and its adjacency matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from tulle.cli.network.fabric import Fail, Link, Spec, build, routing_of
from tulle.cli.options import complete
from tulle.cli.plot.options import Output, write
from tulle.cli.terminal.output import Seed  # noqa: TC001 - typer reads it

if TYPE_CHECKING:
    import tulle

_COLOURS = ("level", "group", "role", "load")
Colour = Annotated[
    str | None,
    typer.Option(
        "--colour",
        "--color",
        metavar="WHAT",
        help="What colours show: level, group, role or load; default: the fabric's roles, levels or groups.",
        autocompletion=lambda incomplete: [word for word in _COLOURS if word.startswith(incomplete)],
    ),
]
Routing = Annotated[
    str | None,
    complete.option(
        "--routing", "-r", metavar="R", what="With --colour load: the routing whose paths are counted", kind="routings"
    ),
]
Names = Annotated[
    bool | None,
    typer.Option(
        "--names/--no-names",
        help="Print the names of switches; default: only if the fabric has at most 24 switches.",
        show_default=False,
    ),
]


def fabric(
    spec: Spec,
    output: Output,
    colour: Colour = None,
    routing: Routing = None,
    names: Names = None,
    seed: Seed = 0,
    link: Link = None,
    fail: Fail = None,
) -> None:
    """Draws a fabric in a layout of its family.

    The layouts are rings of groups, a single ring, grids, a row per level, and for all other fabrics a spectral layout.
    """
    if (colour == "load") != (routing is not None):
        raise typer.BadParameter("--colour load and --routing go together; legal: both or neither")
    built = build(spec, seed, fail, link)
    write(built.plot(colour, names=names, **_loads(built, routing, seed)), output)


def _loads(built: tulle.Fabric, routing: str | None, seed: int) -> dict[str, Any]:
    if routing is None:
        return {}
    return {"load": routing_of(built, routing, seed).paths_over(), "load_label": "paths over the channel"}


def adjacency(spec: Spec, output: Output, seed: Seed = 0, fail: Fail = None) -> None:
    """Draws the adjacency matrix of a fabric.

    Each channel class has its own colour.
    """
    write(build(spec, seed, fail, None).plot_adjacency(), output)
