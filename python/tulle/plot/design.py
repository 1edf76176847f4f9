"""Draw a line per family of networks: cost over throughput, or endpoints over radix."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle.plot.names import family_name
from tulle.plot.sheet import figure
from tulle.plot.style import COLUMN, decades, grid, line_style, name_lines

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.figure import Figure

    Line = tuple[str, Sequence[tuple[float, float]]]

_WIDTH, _HEIGHT = 1.55 * COLUMN, 3.2
# Height of an entry of the legend in inches.
_ENTRY = 0.15


def plot_families(lines: Mapping[str, Line], x: str, y: str, title: str) -> Figure:
    """Draw the points of every line, with a logarithmic y axis.

    Parameters
    ----------
    lines
        Text of every line in the legend -> family and points of the line. In the text, the family's name in papers
        replaces the family.
    x, y
        Labels of the axes, with units.
    title
        The title of the plot.
    """
    with figure(_WIDTH, max(_HEIGHT, _ENTRY * (len(lines) + 1))) as sheet:
        axes = sheet.add_subplot()
        drawn, names = [], []
        for at, (words, (family, points)) in enumerate((words, line) for words, line in lines.items() if line[1]):
            drawn += axes.plot(*zip(*points, strict=True), clip_on=False, zorder=3, **line_style(at))
            names.append(words.replace(family, family_name(family), 1))
        axes.set_xlabel(x)
        axes.set_ylabel(y)
        axes.set_yscale("log")
        decades(axes.yaxis)
        axes.set_title(title)
        grid(axes)
        name_lines(sheet, drawn, names, loc="outside right upper")
    return sheet
