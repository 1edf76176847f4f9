"""The style of all plots: sizes, colours, dashes, markers, fonts, and the ticks of logarithmic axes.

This module does not import matplotlib, so that its constants load quickly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tulle._internal.text import plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

COLUMN, PAGE = 3.5, 7.16
"""Widths in inches: one column and two columns of a paper in the layouts of IEEE and ACM."""
HEIGHT = 2.5
"""Height in inches of a plot with one panel."""
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Colours that colour-blind readers can tell apart (Okabe and Ito). Yellow is left out: it is too light on paper."""
DASHES = ("-", "--", "-.", ":", (0, (6, 1.5, 1, 1.5, 1, 1.5)), (0, (8, 2)), (0, (3, 1)))
"""Dashes distinguish lines in prints without colour."""
MARKERS = "os^Dv<>pP*X"
"""Markers distinguish points in prints without colour."""
DARK, GREY, LIGHT = "#333333", "#888888", "#C8C8C8"
"""Grey for text and outlines, for secondary marks, and for the background of a drawing."""
BEHIND_NAMES = {"boxstyle": "square,pad=0.05", "facecolor": "white", "edgecolor": "none", "alpha": 0.75}
"""A white box that keeps names readable over lines. An outline of the letters would make SVG files much larger."""
HEAT = "cividis_r"
"""Colour map of loads: light is low and dark is high, also in prints without colour."""
# Width of an entry of a legend in inches: of its line sample, and of each character.
_SAMPLE, _CHARACTER = 0.6, 0.065

SETTINGS: dict[str, Any] = {
    # Dollar signs in names must not start formulas.
    "text.parse_math": False,
    "font.size": 8,
    "axes.titlesize": 8,
    "axes.labelsize": 8,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "legend.fontsize": 7,
    "legend.frameon": False,
    "legend.handlelength": 2.6,
    "axes.linewidth": 0.6,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "lines.linewidth": 1.2,
    "lines.markersize": 3.5,
    "grid.linewidth": 0.5,
    "grid.alpha": 0.3,
}
"""Settings of matplotlib for figures that tulle creates."""


def line_style(at: int) -> dict[str, Any]:
    """Return colour, dash and marker of the line number `at`. The first 77 lines differ in colour or marker."""
    return {**step_style(at), "marker": MARKERS[at % len(MARKERS)]}


def step_style(at: int) -> dict[str, Any]:
    """Return colour and dash of the line number `at`, for lines with too many points for markers.

    The first 49 lines differ in colour or dash.
    """
    return {"color": COLOURS[at % len(COLOURS)], "linestyle": DASHES[(at + at // len(COLOURS)) % len(DASHES)]}


def name_lines(legend_of: Any, lines: Sequence[Any], names: Sequence[str], **settings: Any) -> None:
    """Add a legend that names every line. By itself, matplotlib omits names that begin with an underscore."""
    legend = legend_of.legend(lines, [str(at) for at in range(len(names))], **settings)
    for text, name in zip(legend.get_texts(), names, strict=True):
        text.set_text(plain(name))


def legend_columns(names: Sequence[str], width: float) -> int:
    """Return how many names fit side by side into a legend of this width in inches."""
    return min(len(names), max(1, int(width / (_SAMPLE + _CHARACTER * max(map(len, names))))))


def grid(axes: Axes) -> None:
    """Draw a grid behind the lines."""
    axes.grid(visible=True)
    axes.set_axisbelow(True)


def decades(axis: Any) -> None:
    """Label the ticks of a logarithmic axis with plain round numbers instead of powers of ten."""
    from matplotlib.ticker import NullLocator

    from tulle.plot.ticks import RoundLocator, thousands

    axis.set_major_locator(RoundLocator())
    axis.set_major_formatter(thousands())
    axis.set_minor_locator(NullLocator())
