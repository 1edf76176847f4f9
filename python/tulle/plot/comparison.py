"""Draw a comparison of fabrics: how far every fabric is from the best one of each row."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tulle._internal.text import plain
from tulle.plot.names import short_names
from tulle.plot.sheet import figure
from tulle.plot.style import COLOURS, COLUMN, DARK, GREY, LIGHT, MARKERS, decades, name_lines
from tulle.plot.ticks_text import plain_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Height of a row in inches.
_ROW = 0.19
# Larger ratios are drawn at the edge, with an arrow and the ratio; otherwise one bad value would hide all differences.
_FAR = 4.0


class Compared(NamedTuple):
    """A row of the plot."""

    head: str
    best: float
    ratios: tuple[tuple[float, float, float] | None, ...]
    """For every fabric, the factors by which its median, minimum and maximum are worse than the best median."""


def plot_comparison(fabrics: Sequence[str], rows: Sequence[Compared]) -> Figure:
    """Draw medians over seeds with their ranges; the best value of each row is printed to the right of the row."""
    names = short_names(fabrics)
    with figure(COLUMN * 1.5, 0.75 + _ROW * (len(rows) + (len(names) - 1) // 3)) as sheet:
        axes = sheet.add_subplot()
        least = min([1.0, *(low for row in rows for found in row.ratios if found for low in found[1:2])])
        most = max([1.0, *(found[2] for row in rows for found in row.ratios if found)])
        right = min(max(1.2, most * 1.03), _FAR)
        axes.set_xscale("log")
        axes.set_xlim(max(least * 0.98, 0.5), right)
        axes.set_ylim(len(rows) - 0.4, -0.6)
        for place in range(len(rows)):
            axes.axhline(place + 0.5, color=LIGHT, linewidth=0.4, zorder=0)
        axes.axvline(1, color=GREY, linewidth=0.8, zorder=0)
        lines = [_draw(axes, rows, at, len(names), right) for at in range(len(names))]
        axes.set_yticks(range(len(rows)), [plain(row.head) for row in rows])
        axes.tick_params(axis="y", length=0)
        decades(axes.xaxis)
        axes.set_xlabel("times worse than the best fabric (logarithmic)")
        beside = axes.secondary_yaxis("right")
        beside.set_yticks(range(len(rows)), [plain_number(float(f"{row.best:.4g}")) for row in rows])
        beside.tick_params(axis="y", length=0)
        axes.set_title("best value", loc="right", fontsize=7, color=DARK)
        name_lines(sheet, lines, names, loc="outside lower center", ncols=3, handletextpad=0.3)
    return sheet


def _draw(axes: Axes, rows: Sequence[Compared], at: int, of: int, right: float) -> object:
    colour, mark = COLOURS[at % len(COLOURS)], MARKERS[at % len(MARKERS)]
    # Fabrics of a row are at different heights, so that equal values do not hide each other.
    shift = (at - (of - 1) / 2) * 0.7 / max(of, 2)
    for place, row in enumerate(rows):
        found = row.ratios[at]
        if found is None:
            continue
        median, low, high = found
        height = place + shift
        if median > right:
            arrow = {"arrowstyle": "->", "color": colour, "linewidth": 0.8, "shrinkA": 0, "shrinkB": 0}
            text = f"{median:.3g}×" if median < 1e6 else "zero"
            axes.annotate(
                text, (right, height), (-16, 0), textcoords="offset points", fontsize=6, color=colour, va="center",
                ha="right", arrowprops=arrow,
            )  # fmt: skip
            continue
        axes.plot([low, min(high, right)], [height, height], color=colour, linewidth=0.8)
        axes.plot(median, height, marker=mark, color=colour, linestyle="none", clip_on=False, zorder=3)
    return axes.plot([], [], color=colour, marker=mark, linestyle="none")[0]
