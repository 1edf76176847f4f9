"""Plots of a frame: distributions, curves and heat maps."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tulle._internal.text import did_you_mean, plain
from tulle.errors import InputError
from tulle.plot.sheet import check_plot, figure, save_plot
from tulle.plot.style import COLUMN, HEAT, decades, grid, line_style, name_lines, step_style
from tulle.study.report import plot

if TYPE_CHECKING:
    from os import PathLike

    from matplotlib.figure import Figure

    from tulle.metric import Metric
    from tulle.study.report.frame import Combination, Frame

# Height of a plot, height of a legend line, and size of a cell of a heat map, in inches.
_HEIGHT, _LINE, _CELL = 2.7, 0.15, 0.6
# Number of characters that fit beside the vertical axis in one line.
_LONGEST = 36


class Plots:
    """The plots of a frame. Each method returns a Matplotlib figure, which notebooks show.

    If `path` is given, the method also writes a file; its suffix ``.pdf``, ``.png`` or ``.svg`` gives the format. Equal
    frames give equal files. Drawing needs matplotlib, which ``tulle[plot]`` installs. All methods raise

    * `tulle.MissingDependencyError` without matplotlib,
    * `tulle.FileError` for another suffix, or a file that cannot be written,
    * `tulle.InputError` for an unknown metric or parameter.
    """

    def __init__(self, frame: Frame) -> None:
        self._frame = frame

    def cdf(self, path: str | PathLike[str] | None = None, of: str | None = None) -> Figure:
        """Draw the cumulative distribution of a quantity of the rows: one line per combination, over all its seeds.

        Bands are 95% intervals of the share over seeds.

        Parameters
        ----------
        path
            The file; None: no file.
        of
            A distribution of the measurement, for example ``fct_us``; None: the first distribution.
        """
        frame = self._frame
        known = {each.key: each for each in frame.plan.measurement.distributions}
        if not known:
            raise InputError(f"{frame.plan.measurement.name} has no distributions; legal: curve, heatmap")
        key = next(iter(known)) if of is None else of
        if key not in known:
            raise InputError(f"of={key}: unknown distribution; {did_you_mean(key, [*known])}")
        distribution = known[key]
        _check(path)
        samples = [
            [distribution.sample(frame.store.get(run).table) for run in each.runs] for each in frame.combinations
        ]

        with figure(COLUMN, _height(len(samples))) as sheet:
            axes = sheet.add_subplot()
            lines = []
            for at, parts in enumerate(samples):
                values, share, half = plot.thinned(*plot.curve(parts))
                (line,) = axes.step(values, share, where="post", **step_style(at))
                low, high = np.clip((share - half, share + half), 0, 1)
                axes.fill_between(values, low, high, step="post", color=line.get_color(), alpha=0.25, linewidth=0)
                lines.append(line)
            axes.set_xlabel(distribution.title)
            axes.set_ylabel("share at or below")
            axes.set_ylim(-0.02, 1.02)
            if distribution.logarithmic:
                axes.set_xscale("log")
                decades(axes.xaxis)
            _finish(sheet, axes, lines, [_title(frame, each, ()) for each in frame.combinations])
        return _written(sheet, path)

    def curve(self, path: str | PathLike[str] | None = None, *, x: str, y: str) -> Figure:
        """Draw a metric over a parameter: one line per combination of the other parameters.

        Bands are 95% intervals of the mean over seeds. Over values that are not numbers, the plot has points with error
        bars instead of lines.

        Parameters
        ----------
        path
            The file; None: no file.
        x
            A parameter of the grid.
        y
            A metric, for example ``fct_mean_us``.
        """
        frame, metric = self._frame, self._metric(y)
        values = frame.values(x)
        numeric = all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values)
        lines: dict[str, list[Combination]] = {}
        for each in frame.combinations:
            lines.setdefault(_title(frame, each, (x,)), []).append(each)

        _check(path)
        with figure(COLUMN, _height(len(lines))) as sheet:
            axes = sheet.add_subplot()
            drawn: list[Any] = []
            for at, (_, rows) in enumerate(lines.items()):
                places = [row.names[x] if numeric else values.index(row.names[x]) for row in rows]
                means = np.array([_number(row.result.figures[y].mean) for row in rows])
                half = np.array([_number(row.result.figures[y].half95 or 0) for row in rows])
                order = np.argsort(places, kind="stable")
                at_x = np.array(places, dtype=float)[order]
                if not numeric:
                    # A line between values without an order would suggest a trend. Points are drawn side by side.
                    at_x += (at - (len(lines) - 1) / 2) * min(0.12, 0.6 / len(lines))
                    style = {**line_style(at), "linestyle": "none"}
                    drawn.append(axes.errorbar(at_x, means[order], half[order], clip_on=False, **style))
                    continue
                (line,) = axes.plot(at_x, means[order], clip_on=False, **line_style(at))
                low, high = (means - half)[order], (means + half)[order]
                axes.fill_between(at_x, low, high, color=line.get_color(), alpha=0.25, linewidth=0)
                drawn.append(line)
            if not numeric:
                axes.set_xticks(range(len(values)), [plain(str(value)) for value in values])
            axes.set_xlabel(plain(x))
            axes.set_ylabel(_lines(plain(_quantity(metric))))
            _finish(sheet, axes, drawn, [*lines])
        return _written(sheet, path)

    def heatmap(self, path: str | PathLike[str] | None = None, *, x: str, y: str, value: str) -> Figure:
        """Draw the means of a metric as coloured cells over two parameters.

        Parameters
        ----------
        path
            The file; None: no file.
        x, y
            Two parameters of the grid. The others must have one value each; `Frame.where` selects it.
        value
            A metric, for example ``fct_mean_us``.
        """
        frame, metric = self._frame, self._metric(value)
        across, down = frame.values(x), frame.values(y)
        if x == y:
            raise InputError(f"x={x} and y={y} are the same; legal: two parameters")
        for name in frame.parameters:
            if name not in (x, y) and len(frame.values(name)) > 1:
                raise InputError(
                    f"{name} has {len(frame.values(name))} values; legal: one, as in frame.where({name}=…)"
                )
        cells = np.full((len(down), len(across)), np.nan)
        for each in frame.combinations:
            cells[down.index(each.names[y]), across.index(each.names[x])] = _number(each.result.figures[value].mean)

        _check(path)
        longest = max(len(str(each)) for each in down)
        width = max(COLUMN, _CELL * len(across) + 0.06 * longest + 1.2)
        with figure(width, max(2.0, _CELL * len(down) + 0.7)) as sheet:
            axes = sheet.add_subplot()
            image: Any = axes.imshow(cells, cmap=HEAT, aspect="auto")
            middle = (image.norm.vmin + image.norm.vmax) / 2 if np.isfinite(cells).any() else 0.0
            for row, column in np.argwhere(np.isfinite(cells)):
                cell = cells[row, column]
                colour = "white" if cell > middle else "black"
                axes.text(column, row, _digits(cell), ha="center", va="center", fontsize=7, color=colour)
            axes.set_xticks(range(len(across)), [plain(str(each)) for each in across])
            axes.set_yticks(range(len(down)), [plain(str(each)) for each in down])
            axes.set_xlabel(plain(x))
            axes.set_ylabel(plain(y))
            sheet.colorbar(image, label=plain(_quantity(metric)))
        return _written(sheet, path)

    def _metric(self, key: str) -> Metric:
        known = {each.key: each for each in self._frame.plan.measurement.figures}
        if key not in known:
            raise InputError(f"unknown metric '{key}'; {did_you_mean(key, [*known])}")
        return known[key]


def _check(path: str | PathLike[str] | None) -> None:
    if path is not None:
        check_plot(Path(path))


def _written(sheet: Figure, path: str | PathLike[str] | None) -> Figure:
    if path is not None:
        save_plot(sheet, Path(path))
    return sheet


def _height(names: int) -> float:
    return _HEIGHT + (_LINE * names if names > 1 else 0)


def _digits(value: float) -> str:
    """Return a number with four digits, or as a whole number from 1000 on, as in tables."""
    return f"{value:.0f}" if abs(value) >= 1000 or value == 0 else f"{value:#.4g}".rstrip(".")


def _quantity(metric: Metric) -> str:
    title = f"{metric.title} ({metric.unit})" if metric.unit else metric.title
    return title.replace("(us)", "(µs)")


def _lines(label: str) -> str:
    """Return the label of an axis with its unit on a line of its own, if one line would be longer than the axis."""
    return label if len(label) <= _LONGEST else label.replace(" (", "\n(")


def _finish(sheet: Any, axes: Any, lines: list[Any], names: list[str]) -> None:
    grid(axes)
    if len(lines) > 1:
        name_lines(sheet, lines, names, loc="outside lower center")


def _title(frame: Frame, each: Combination, without: tuple[str, ...]) -> str:
    """Name a combination by its case and by the values of the parameters that vary in the frame."""
    shown = []
    for name, value in each.names.items():
        if name in without or len(frame.values(name)) == 1:
            continue
        shown.append(str(value) if isinstance(value, str) else f"{name} {value}")
    return ", ".join(shown)


def _number(value: float | None) -> float:
    return float("nan") if value is None else value
