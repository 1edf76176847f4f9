"""Draw a failure campaign: failed parts, changed entries and throughput over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tulle.plot.sheet import figure
from tulle.plot.style import PAGE, grid, line_style, step_style

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

_WEEK = 7 * 86_400.0
_HEIGHT = 4.2


def plot_campaign(changes: Mapping[str, NDArray[np.generic]], whole: float) -> Figure:
    """Draw three panels over the time in weeks.

    Parameters
    ----------
    changes
        The columns of `Campaign.changes`.
    whole
        The throughput of the intact network, which is drawn as a line.
    """
    weeks = np.asarray(changes["seconds"], np.float64) / _WEEK
    end = weeks[-1] + float(np.asarray(changes["duration"])[-1]) / _WEEK
    with figure(PAGE, _HEIGHT) as sheet:
        down, entries, rate = sheet.subplots(3, 1, sharex=True)
        for at, (name, label) in enumerate((("cables_down", "cables"), ("switches_down", "switches"))):
            _steps(down, weeks, end, np.asarray(changes[name]), at, label)
        down.set_ylabel("failed parts")
        drained = np.asarray(changes["drained"]) > 0
        changed = np.asarray(changes["entries_changed"])
        for at, (chosen, label) in enumerate(((~drained, "loaded in traffic"), (drained, "loaded without traffic"))):
            if chosen.any():
                style = {**line_style(at), "linestyle": "none"}
                entries.plot(weeks[chosen], changed[chosen], label=label, clip_on=False, **style)
        entries.set_ylabel("entries changed")
        _steps(rate, weeks, end, np.asarray(changes["throughput"]), 0, "all-to-all", whole)
        rate.axhline(whole, color="0.5", linewidth=0.8, linestyle=":", label="without failures")
        rate.set_ylabel("throughput")
        rate.set_xlabel("time (weeks)")
        for axes in (down, entries, rate):
            axes.set_ylim(0, 1.08 * max(axes.get_ylim()[1], 1e-9))
            axes.set_xlim(0, end)
            axes.legend(loc="lower right", bbox_to_anchor=(1, 0.98), ncols=2)
            grid(axes)
    return sheet


def _steps(
    axes: Axes,
    weeks: NDArray[np.float64],
    end: float,
    values: NDArray[np.generic],
    at: int,
    label: str,
    first: float = 0.0,
) -> None:
    """Draw a value that changes at the times `weeks`, from its `first` value at time 0 to the time `end`."""
    axes.step([0, *weeks, end], [first, *values, values[-1]], where="post", label=label, **step_style(at))
