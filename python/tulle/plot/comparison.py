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
# Larger ratios are printed as numbers beyond this limit; otherwise one bad value would hide all differences.
_FAR = 4.0
# The width of such a ratio on the logarithmic axis, as a factor; its size in points; and the number of ratios of a row
# that fit at this size. More ratios are printed smaller.
_TEXT, _SIZE, _BESIDE = 1.45, 6.0, 4


class Compared(NamedTuple):
    """A row of the plot."""

    head: str
    best: float
    ratios: tuple[tuple[float, float, float] | None, ...]
    """For every fabric, the factors by which its median, minimum and maximum are worse than the best median."""


def plot_comparison(fabrics: Sequence[str], rows: Sequence[Compared]) -> Figure:
    """Draw medians over seeds with their ranges; the best value of each row is printed to the right of the row."""
    from tulle.plot.ticks import RoundLocator

    names = short_names(fabrics)
    with figure(COLUMN * 1.5, 0.75 + _ROW * (len(rows) + (len(names) - 1) // 3)) as sheet:
        axes = sheet.add_subplot()
        least = min([1.0, *(low for row in rows for found in row.ratios if found for low in found[1:2])])
        most = max([1.0, *(found[2] for row in rows for found in row.ratios if found)])
        right = min(max(1.2, most * 1.03), _FAR)
        beyond = max([0, *(sum(found is not None and found[0] > right for found in row.ratios) for row in rows)])
        axes.set_xscale("log")
        # Ratios beyond the limit are printed beside each other, in their own space to the right of it.
        axes.set_xlim(max(least * 0.98, 0.5), right * _TEXT ** min(beyond, _BESIDE))
        axes.set_ylim(len(rows) - 0.4, -0.6)
        for place in range(len(rows)):
            axes.axhline(place + 0.5, color=LIGHT, linewidth=0.4, zorder=0)
        axes.axvline(1, color=GREY, linewidth=0.8, zorder=0)
        lines = [_draw(axes, rows, at, len(names), right) for at in range(len(names))]
        axes.set_yticks(range(len(rows)), [plain(row.head) for row in rows])
        axes.tick_params(axis="y", length=0)
        decades(axes.xaxis)
        axes.set_xticks(RoundLocator().tick_values(least, right))
        axes.set_xlabel("times worse than the best fabric (logarithmic)")
        if beyond:
            axes.axvline(right, color=GREY, linewidth=0.6, linestyle=":", zorder=0)
        for place, row in enumerate(rows):
            _draw_beyond(axes, row, place, right, min(1.0, _BESIDE / max(beyond, 1)))
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
            continue
        axes.plot([low, min(high, right)], [height, height], color=colour, linewidth=0.8)
        axes.plot(median, height, marker=mark, color=colour, linestyle="none", clip_on=False, zorder=3)
    return axes.plot([], [], color=colour, marker=mark, linestyle="none")[0]


def _draw_beyond(axes: Axes, row: Compared, place: int, right: float, scale: float) -> None:
    """Print the ratios of a row that are greater than `right` beside each other, in the colours of their fabrics."""
    found = [(at, ratios[0]) for at, ratios in enumerate(row.ratios) if ratios is not None and ratios[0] > right]
    for order, (at, median) in enumerate(found):
        text = f"{median:.3g}×" if median < 1e6 else "zero"
        x = right * _TEXT ** ((order + 0.5) * scale)
        colour = COLOURS[at % len(COLOURS)]
        axes.text(x, place, text, fontsize=_SIZE * scale, color=colour, va="center", ha="center")
