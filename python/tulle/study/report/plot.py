"""Plot distributions: a panel per grid point, a line per case, a band over seeds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tulle._internal.text import plain
from tulle.plot.sheet import available, figure, save
from tulle.plot.style import COLUMN, decades, grid, legend_columns, name_lines, step_style
from tulle.study.report.results import title
from tulle.study.report.verdict import half95

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from tulle.metric import Distribution
    from tulle.study.engine.plan import Plan

Sample = tuple["NDArray[Any]", "NDArray[Any]"]
"""Values and their counts."""

SUFFIXES = (".png", ".pdf", ".svg")
"""The formats of every plot of a study."""
# Height of a panel in inches; a panel is as wide as a column of a paper.
_HEIGHT = 2.7
_LINE = 0.17
# Maximum number of steps of a line. At the width of a panel, more steps cannot be told apart.
_STEPS = 400


def curve(parts: list[Sample]) -> tuple[NDArray[Any], NDArray[np.float64], NDArray[np.float64]]:
    """Return the distinct values, ascending; the share of samples at or below each; and the share's interval.

    The share is the mean over seeds that have samples. Its interval is given as half the width of its 95% interval; 0
    with a single seed.
    """
    parts = [(values, counts) for values, counts in parts if len(values)]
    if not parts:
        return np.zeros(0), np.zeros(0), np.zeros(0)
    values = np.unique(np.concatenate([values for values, _ in parts]))
    shares = np.empty((len(parts), len(values)))
    for share, (own, counts) in zip(shares, parts, strict=True):
        order = np.argsort(own, kind="stable")
        below = np.concatenate([[0], np.cumsum(counts[order])])
        share[:] = below[np.searchsorted(own[order], values, side="right")] / below[-1]
    half = np.zeros(len(values)) if len(parts) == 1 else half95(len(parts)) * shares.std(axis=0, ddof=1)
    return values, shares.mean(axis=0), half


def distributions(plan: Plan, samples: Mapping[tuple[Any, ...], list[Sample]], directory: Path) -> list[Path]:
    """Draw the plan's distributions over all seeds, as ``<key>.png``, ``.pdf`` and ``.svg``.

    The parameter `samples` has the samples of every seed, by the key of the distribution, the values of a point and the
    case. Equal samples give identical files. Nothing is written if matplotlib is not installed.
    """
    if not plan.plots or not available():
        return []
    return [path for distribution in plan.plots for path in _draw(plan, distribution, samples, directory)]


def _draw(
    plan: Plan, distribution: Distribution, samples: Mapping[tuple[Any, ...], list[Sample]], directory: Path
) -> list[Path]:
    points = plan.points
    rows, across = panels(len(points))
    width = COLUMN * across
    # A legend row has as many names as fit; each additional row makes the plot higher.
    names = [plain(case.name) for case in plan.study.case]
    columns = legend_columns(names, width)
    with figure(width, _HEIGHT * rows + _LINE * ((len(names) - 1) // columns)) as sheet:
        axes = sheet.subplots(rows, across, sharey=True, squeeze=False).ravel()
        for spare in axes[len(points) :]:
            spare.remove()
        lines: dict[str, Any] = {}
        for axis, point in zip(axes, points, strict=False):
            for at, case in enumerate(plan.study.case):
                values, share, half = thinned(*curve(samples[(distribution.key, *point.values(), case.name)]))
                if len(values) == 0:
                    continue
                style = step_style(at)
                (line,) = axis.step(values, share, where="post", **style)
                if half.any():
                    low, high = np.clip((share - half, share + half), 0, 1)
                    axis.fill_between(values, low, high, step="post", color=style["color"], alpha=0.25, linewidth=0)
                lines.setdefault(case.name, line)
            axis.set_title(plain(title(point, plan.study.words)))
            axis.set_xlabel(distribution.title)
            axis.set_ylim(-0.02, 1.02)
            if distribution.logarithmic:
                axis.set_xscale("log")
                decades(axis.xaxis)
            grid(axis)
        for first in axes[::across]:
            first.set_ylabel("share at or below")
        name_lines(sheet, list(lines.values()), list(lines), loc="outside lower center", ncols=columns)
        paths = [directory / f"{distribution.key}{suffix}" for suffix in SUFFIXES]
        for path in paths:
            save(sheet, path, path.suffix)
    return paths


def panels(points: int) -> tuple[int, int]:
    """Return the numbers of rows and columns of panels: at most three panels are in a row, and two if there are four.

    A plot with two columns is as wide as two columns of a paper.
    """
    across = points if points <= 3 else 2 if points == 4 else 3
    return -(-points // across), across


def thinned(*columns: NDArray[Any]) -> tuple[NDArray[Any], ...]:
    """Pick evenly spaced rows, with the first and the last one, if there are more than `_STEPS`."""
    rows = len(columns[0])
    if rows <= _STEPS:
        return columns
    kept = np.unique(np.linspace(0, rows - 1, _STEPS).round().astype(np.int64))
    return tuple(column[kept] for column in columns)
