"""Draw properties of flows: distributions, and completion times by message size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tulle._internal.text import plain
from tulle.errors import InputError
from tulle.plot.sheet import axes_on, figure_of, not_a_choice
from tulle.plot.style import COLUMN, HEIGHT, decades, grid, line_style, step_style

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from contextlib import AbstractContextManager

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

OF = {
    "fct": "flow completion time (µs)",
    "slowdown": "slowdown (completion time / time of the flow alone)",
    "throughput": "throughput of a flow (Gb/s)",
}
"""Property of flows that a plot can show -> label of its axis."""
# Maximum number of bins. If flows have more different sizes, each bin covers a range of sizes, and bins have about
# equal numbers of flows.
_BINS = 10
_PERCENTILES = (50, 99)
# Maximum number of lines whose legend fits inside the plot, maximum length of their names, and height of a line of the
# legend in inches.
_INSIDE, _NAME, _LINE = 4, 28, 0.15
# Maximum number of steps of a line. In a plot as wide as a column of a printed paper, more steps cannot be told apart.
_STEPS = 1000


def read_of(of: str) -> str:
    """Check that `of` is a property of flows that a plot can show.

    Raises
    ------
    tulle.SpecError
        If `of` is not a key of `OF`.
    """
    if of not in OF:
        raise not_a_choice("of", of, ", ".join(OF))
    return of


def plot_cdf(values: NDArray[np.float64], of: str, label: str | None = None, *, ax: Axes | None = None) -> Figure:
    """Draw the share of flows with a value at or below x, on a logarithmic axis. NaN is a flow without a value.

    Flows without a value count in the total; if there are any, the line ends below 1. On the same axes, every further
    line gets the next colour and dash.

    Raises
    ------
    tulle.InputError
        If no flow has a value.
    """
    done = np.sort(values[~np.isnan(values)])
    if not len(done):
        raise InputError("no flow finished; legal: one or more")
    shares = np.arange(1, len(done) + 1) / len(values)
    kept = np.unique(np.linspace(0, len(done) - 1, _STEPS).round().astype(np.int64))
    with axes_on(ax, COLUMN, HEIGHT) as axes:
        style = step_style(len(axes.lines))
        # The line starts on the axis.
        at, height = np.concatenate([done[:1], done[kept]]), np.concatenate([[0.0], shares[kept]])
        axes.step(at, height, where="post", label=_label(label), **style)
        axes.set_xscale("log")
        decades(axes.xaxis)
        axes.set_xlabel(OF[of])
        axes.set_ylabel("share of flows at or below")
        axes.set_ylim(-0.02, 1.02)
        grid(axes)
        _legend(axes)
        return figure_of(axes)


def plot_by_size(
    sizes: NDArray[Any], values: NDArray[np.float64], of: str, label: str | None = None, *, ax: Axes | None = None
) -> Figure:
    """Draw the median and the 99th percentile of finished flows over their size, with one point per bin of sizes.

    Raises
    ------
    tulle.InputError
        If no flow finished.
    """
    done = ~np.isnan(values)
    if not done.any():
        raise InputError("no flow finished; legal: one or more")
    points = [
        (float(np.median(sizes[done][of_bin])), np.percentile(values[done][of_bin], _PERCENTILES))
        for of_bin in _bins(sizes[done])
    ]
    x = [size for size, _ in points]
    with axes_on(ax, COLUMN, HEIGHT) as axes:
        from tulle.plot.ticks import sizes as size_ticks

        first = len(axes.lines)
        for number, percentile in enumerate(_PERCENTILES):
            style = line_style(first + number)
            word = "median" if percentile == 50 else f"{percentile}th percentile"
            name = word if label is None else f"{label}, {word}"
            axes.plot(x, [found[number] for _, found in points], label=_label(name), clip_on=False, zorder=3, **style)
        axes.set_xscale("log")
        axes.set_yscale("log")
        shown = sorted({value for line in axes.lines for value in np.asarray(line.get_xdata()).tolist()})
        size_ticks(axes.xaxis, shown)
        if len(shown) == 1:
            # Without limits, a single size is near the edge.
            axes.set_xlim(shown[0] / 2, shown[0] * 2)
        else:
            axes.set_xlim(auto=True)
            axes.autoscale_view(scaley=False)
        decades(axes.yaxis)
        axes.set_xlabel("message size")
        axes.set_ylabel(OF[of].partition(" (completion")[0])
        grid(axes)
        _legend(axes)
        return figure_of(axes)


def plot_cdfs(values: Mapping[str, NDArray[np.float64]], of: str) -> Figure:
    """Draw the distributions of several runs by name; see `plot_cdf`."""
    with _axes_of(values, len(values)) as axes:
        for name, found in values.items():
            plot_cdf(found, of, name if len(values) > 1 else None, ax=axes)
        return _named(axes, values, len(values))


def plot_all_by_size(runs: Mapping[str, tuple[NDArray[Any], NDArray[np.float64]]], of: str) -> Figure:
    """Draw the sizes and values of several runs by name; see `plot_by_size`."""
    lines = len(_PERCENTILES) * len(runs)
    with _axes_of(runs, lines) as axes:
        for name, (sizes, values) in runs.items():
            plot_by_size(sizes, values, of, name if len(runs) > 1 else None, ax=axes)
        return _named(axes, runs, lines)


def _below(names: Iterable[str], lines: int) -> bool:
    """Return whether a legend of many lines, or of several long names, would hide the lines of the plot."""
    return lines > _INSIDE or (lines > 1 and max(map(len, names)) > _NAME)


def _axes_of(names: Mapping[str, object], lines: int) -> AbstractContextManager[Axes]:
    """Return the axes of a new figure, which is taller if the legend is below the plot."""
    return axes_on(None, COLUMN, HEIGHT + (_LINE * lines if _below(names, lines) else 0))


def _named(axes: Axes, names: Mapping[str, object], lines: int) -> Figure:
    """Move a large legend below the plot; return the figure."""
    sheet = figure_of(axes)
    if _below(names, lines) and (legend := axes.get_legend()) is not None:
        handles, labels = axes.get_legend_handles_labels()
        legend.remove()
        sheet.legend(handles, labels, loc="outside lower center")
    return sheet


def _bins(sizes: NDArray[Any]) -> list[NDArray[np.int64]]:
    """Return the flows of every bin: a bin per size if sizes are few, otherwise bins of about equally many flows."""
    different = np.unique(sizes)
    if len(different) <= _BINS:
        return [np.flatnonzero(sizes == size) for size in different]
    # A bin ends between two different sizes.
    edges = np.unique(np.quantile(sizes, np.linspace(0, 1, _BINS + 1)[1:-1]))
    number = np.searchsorted(edges, sizes, side="left")
    return [np.flatnonzero(number == at) for at in np.unique(number)]


def _label(label: str | None) -> str | None:
    # matplotlib leaves labels that begin with an underscore out of the legend.
    return None if label is None else f"\u200b{plain(label)}" if label.startswith("_") else plain(label)


def _legend(axes: Axes) -> None:
    if axes.get_legend_handles_labels()[0]:
        axes.legend()
