"""The output option of ``tulle plot``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tulle.cli.options.plotting import plot_option, write_plot
from tulle.cli.terminal.output import print_line

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Output = Annotated[Path, plot_option("to this file", "-o", "--output")]


def write(figure: Figure, output: Path) -> None:
    """Write a figure and print the name of the file."""
    write_plot(output, lambda: figure)
    print_line(str(output))
