"""Draw samples of links over time: the queue of the port, and the utilisation of the link."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tulle.errors import InputError
from tulle.plot.sheet import axes_on, figure, figure_of, not_a_choice
from tulle.plot.style import COLUMN, HEIGHT, grid, legend_columns, name_lines, step_style

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    Samples = Mapping[str, NDArray[Any]]

OF = {"queue": "queue (kB)", "utilisation": "utilisation (%)"}
"""Panel -> label of its axis."""
_KILOBYTE = 1e3
_MICROSECOND, _MILLISECOND = 1e6, 1e9
# If the axis ends at this time in picoseconds or later, its unit is milliseconds.
_LONG = 1e10


def plot_timeseries(
    samples: Samples, of: str | None = None, *, labels: Callable[[int], str] = str, ax: Axes | None = None
) -> Figure:
    """Draw samples of links, with a line per link. `labels` returns the name of a switch.

    The columns of `samples` are those of `tulle.Simulation.link_samples`; the other parameters are those of
    `tulle.Simulation.plot_timeseries`.
    """
    if of is not None and of not in OF:
        raise not_a_choice("of", of, f"{', '.join(OF)}, or None for both")
    if of is None and ax is not None:
        raise InputError("ax has room for one panel only; legal: of='queue' or of='utilisation' with ax=")
    if not len(samples["time"]):
        raise InputError("no samples of links; legal: a simulation with sample= and sample_links=")
    names = _names(samples, labels)
    if of is None:
        with figure(COLUMN, HEIGHT + 0.9) as sheet:
            panels = sheet.subplots(2, 1, sharex=True)
            for axes, key in zip(panels, OF, strict=True):
                lines = _panel(axes, samples, key)
            panels[0].set_xlabel("")
            name_lines(sheet, lines, names, loc="outside upper center", ncols=legend_columns(names, COLUMN))
        return sheet
    with axes_on(ax, COLUMN, HEIGHT) as axes:
        name_lines(axes, _panel(axes, samples, of), names)
        return figure_of(axes)


def _names(samples: Samples, labels: Callable[[int], str]) -> list[str]:
    """Return the name of every link: its two ends, and its number if parallel links have the same ends."""
    rows = {int(link): at for at, link in reversed([*enumerate(samples["link"])])}
    links = dict.fromkeys(samples["link"].tolist())
    names = []
    for link in links:
        source, target, endpoint = (int(samples[key][rows[int(link)]]) for key in ("source", "target", "endpoint"))
        names.append(f"{labels(source)} → {labels(target) if endpoint < 0 else f'endpoint {endpoint}'}")
    return [
        f"{name} (channel {int(link)})" if names.count(name) > 1 else name
        for name, link in zip(names, links, strict=True)
    ]


def _panel(axes: Axes, samples: Samples, key: str) -> list[Any]:
    unit, name = (_MICROSECOND, "µs") if samples["time"].max() < _LONG else (_MILLISECOND, "ms")
    lines = []
    first = len(axes.lines)
    for number, link in enumerate(dict.fromkeys(samples["link"].tolist())):
        rows = samples["link"] == link
        times = np.concatenate([[0.0], samples["time"][rows] / unit])
        style = step_style(first + number)
        if key == "queue":
            # All queues are empty at the start.
            values = np.concatenate([[0.0], samples["queue"][rows] / _KILOBYTE])
            (line,) = axes.plot(times, values, **style)
        else:
            # Each utilisation is the mean since the previous sample.
            values = 100 * samples["utilisation"][rows]
            (line,) = axes.step(times, np.concatenate([values[:1], values]), where="pre", **style)
        lines.append(line)
    axes.set_ylim(bottom=0)
    if key == "utilisation":
        axes.set_ylim(-2, 102)
    axes.set_xlim(0, axes.dataLim.x1)
    axes.set_xlabel(f"time ({name})")
    axes.set_ylabel(OF[key])
    grid(axes)
    return lines
