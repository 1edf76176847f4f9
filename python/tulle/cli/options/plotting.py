"""The options of commands that write a plot."""

from __future__ import annotations

from typing import Any

import typer

from tulle.cli.options import destination

FORMATS = ".pdf, .png or .svg"


def plot_option(what: str, *flags: str) -> Any:
    """Return a typer option for the file of a plot. `flags` are its names; default: ``--plot``."""
    return typer.Option(
        *(flags or ("--plot",)), metavar="FILE", callback=destination.plot, help=f"Draw {what}: {FORMATS}."
    )
