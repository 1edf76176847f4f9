"""The options of commands that write a plot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from tulle.cli.options import destination

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from matplotlib.figure import Figure


def plot_option(what: str, *flags: str) -> Any:
    """Return a typer option for the file of a plot. `flags` are its names; default: ``--plot``."""
    return typer.Option(
        *(flags or ("--plot",)),
        metavar="FILE",
        callback=destination.plot,
        help=f"Draw {what}: .pdf, .png or .svg.",
    )


def write_plot(path: Path | None, draw: Callable[[], Figure]) -> None:
    """Write the figure that `draw` returns, if the user named an output file.

    Commands call it last, so that a failure to draw does not lose results.
    """
    if path is not None:
        from tulle.plot.sheet import save_plot

        save_plot(draw(), path)
