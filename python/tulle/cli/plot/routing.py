"""``tulle plot paths`` and ``tulle plot load``: draw the paths of a pair, and the load of all channels."""

from __future__ import annotations

from typing import Annotated

import typer

from tulle.cli.network.fabric import FailFirst, Link, Spec, build, routing_of
from tulle.cli.plot.options import Output, write
from tulle.cli.routing.path import Destination, Source  # noqa: TC001 - typer reads it
from tulle.cli.routing.route import Scheme  # noqa: TC001 - typer reads it
from tulle.cli.terminal.output import Seed  # noqa: TC001 - typer reads it

_ON = ("drawing", "matrix")
On = Annotated[
    str | None,
    typer.Option(
        "--on",
        metavar="WHERE",
        help="Where loads are shown: drawing or matrix; default: both side by side.",
        autocompletion=lambda incomplete: [word for word in _ON if word.startswith(incomplete)],
    ),
]


def paths(
    spec: Spec,
    routing: Scheme,
    source: Source,
    destination: Destination,
    output: Output,
    seed: Seed = 0,
    link: Link = None,
    fail: FailFirst = None,
) -> None:
    """Draws the paths of all layers between two switches."""
    from tulle.routing.trace import ends_of

    built = build(spec, seed, fail, link)
    # Names are checked first, because a routing takes longer to compute.
    ends_of(built, source, destination)
    write(routing_of(built, routing, seed).plot_paths(source, destination), output)


def load(
    spec: Spec,
    routing: Scheme,
    output: Output,
    on: On = None,
    seed: Seed = 0,
    link: Link = None,
    fail: FailFirst = None,
) -> None:
    """Draws the number of paths over every channel as a heat map.

    tulle simulate --plot-load draws measured loads.
    """
    write(routing_of(build(spec, seed, fail, link), routing, seed).plot_load(on), output)
