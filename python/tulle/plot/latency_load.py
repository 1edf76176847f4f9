"""Draw latency and accepted load over offered load."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tulle.errors import InputError
from tulle.plot.sheet import axes_on, figure, figure_of, not_a_choice
from tulle.plot.style import COLUMN, HEIGHT, PAGE, decades, grid, line_style, name_lines

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    Curves = Mapping[str, Mapping[str, NDArray[Any]]]

OF = {"latency": ("latency_mean", "mean latency (cycles)"), "accepted": ("accepted", "accepted load")}
"""Name of a panel -> the column of results that it shows, and the label of its axis."""
LOAD = "offered load (flits per cycle and endpoint)"


def plot_latency_load(curves: Curves, of: str | None = None, *, ax: Axes | None = None) -> Figure:
    """Draw results of `tulle.flit.curve`; the parameters are those of `tulle.flit.plot_latency_load`."""
    if of is not None and of not in OF:
        raise not_a_choice("of", of, f"{', '.join(OF)}, or None for both side by side")
    if not curves:
        raise InputError("no curves; legal: one or more")
    if of is None and ax is None:
        with figure(PAGE, HEIGHT) as sheet:
            panels = sheet.subplots(1, 2)
            for panel, key in zip(panels, OF, strict=True):
                lines = _draw(panel, curves, key)
            _name(panels[1], lines, curves, "best")
        return sheet
    key = of or "latency"
    with axes_on(ax, COLUMN, HEIGHT) as axes:
        _name(axes, _draw(axes, curves, key), curves, "best")
        return figure_of(axes)


def _name(axes: Axes, lines: list[Any], curves: Curves, place: str) -> None:
    if any(curves):
        name_lines(axes, lines, list(curves), loc=place)


def _draw(axes: Axes, curves: Curves, key: str) -> list[Any]:
    """Draw means over seeds, with bands from minimum to maximum. Points beyond saturation are hollow."""
    column, label = OF[key]
    lines = []
    first = len(axes.lines)
    for number, columns in enumerate(curves.values()):
        loads = np.unique(columns["load"])
        parts = [columns["load"] == load for load in loads]
        means, low, high = (
            np.array([_over(reduce, columns[column][part]) for part in parts]) for reduce in (np.mean, np.min, np.max)
        )
        saturated = columns.get("saturated", np.zeros(len(columns["load"])))
        beyond = np.array([bool(saturated[part].any()) for part in parts])
        lines.append(draw_line(axes, first + number, loads, means, low, high, beyond))
    if key == "latency":
        axes.set_yscale("log")
        decades(axes.yaxis)
    else:
        axes.set_ylim(bottom=0)
    axes.set_xlim(left=0)
    axes.set_xlabel(LOAD)
    axes.set_ylabel(label)
    grid(axes)
    return lines


def draw_line(
    axes: Axes,
    number: int,
    x: NDArray[Any],
    means: NDArray[np.float64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    beyond: NDArray[np.bool_],
) -> Any:
    """Draw and return line `number`, with a band from `low` to `high`; markers are hollow where `beyond` is true."""
    style = line_style(number)
    (line,) = axes.plot(x, means, clip_on=False, zorder=3, **style)
    if np.any(low < high):
        axes.fill_between(x, low, high, alpha=0.2, color=style["color"], linewidth=0)
    if beyond.any():
        hollow = {"marker": style["marker"], "color": style["color"], "markerfacecolor": "white"}
        axes.plot(x[beyond], means[beyond], linestyle="none", clip_on=False, zorder=4, **hollow)
    return line


def _over(reduce: Any, values: NDArray[Any]) -> float:
    """Apply a function to the values that are known; NaN if there are none."""
    known = values[~np.isnan(values)]
    return float(reduce(known)) if len(known) else float("nan")
