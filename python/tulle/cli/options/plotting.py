"""The options of commands that write a plot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from tulle.cli.options import destination
from tulle.cli.terminal.output import note
from tulle.errors import InputError

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


def write_plot(path: Path | None, draw: Callable[[], Figure], *, is_partial: bool = False) -> None:
    """Write the figure that `draw` returns, if the user named an output file.

    Commands call it last, so that a failure to draw does not lose results. If Ctrl-C left a partial result that has
    nothing to draw, only a note says so, because the command must end as after Ctrl-C.
    """
    if path is None:
        return
    from tulle.plot.sheet import save_plot

    try:
        figure = draw()
    except InputError as error:
        if not is_partial:
            raise
        note(f"{path} is not drawn: {str(error).partition('; legal')[0]}")
        return
    save_plot(figure, path)
