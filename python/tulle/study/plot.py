"""Distributions as plots: a panel per point of the grid, a line per case."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tulle._drawing import available, canvas, decades, name_lines, save
from tulle._words import plain
from tulle.study.report import title

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from tulle._figures import Distribution
    from tulle.study.plan import Plan

Sample = tuple["NDArray[Any]", "NDArray[Any]"]

# Tell the lines apart without colour too.
_STYLES = ("-", "--", "-.", ":")
# Widths and heights in inches; a panel is readable at one column of a paper.
_WIDTH, _HEIGHT = 4.5, 3.6
_LINE = 0.18


def pool(parts: list[Sample]) -> Sample:
    """The samples of all seeds as one: values ascending, and the share at or below each."""
    values = np.concatenate([values for values, _ in parts])
    counts = np.concatenate([counts for _, counts in parts])
    order = np.argsort(values, kind="stable")
    below = np.cumsum(counts[order])
    return values[order], below / below[-1] if len(below) else below.astype(np.float64)


def distributions(plan: Plan, samples: Mapping[tuple[Any, ...], Sample], directory: Path) -> list[Path]:
    """Writes the distributions that the plan plots, over all seeds, as ``<key>.png`` and ``<key>.svg``.

    `samples` are pooled ones by the key of the distribution, the values of a point and the case. The same samples give
    the same bytes. Nothing is written where matplotlib is not installed.
    """
    if not plan.plots or not available():
        return []
    return [path for distribution in plan.plots for path in _draw(plan, distribution, samples, directory)]


def _draw(
    plan: Plan, distribution: Distribution, samples: Mapping[tuple[Any, ...], Sample], directory: Path
) -> list[Path]:
    points = plan.points
    # Two names fit under a panel; every line of names beyond the first makes the plot higher.
    columns = min(len(_STYLES), 2 * len(points))
    height = _HEIGHT + _LINE * ((len(plan.study.case) - 1) // columns)
    with canvas(_WIDTH * len(points), height) as figure:
        axes = figure.subplots(1, len(points), sharey=True, squeeze=False)[0]
        lines: dict[str, Any] = {}
        for axis, point in zip(axes, points, strict=True):
            for at, case in enumerate(plan.study.case):
                values, share = samples[(distribution.key, *point.values(), case.name)]
                if len(values) == 0:
                    continue
                style = {"color": f"C{at}", "linestyle": _STYLES[at % len(_STYLES)]}
                (line,) = axis.step(values, share, where="post", **style)
                lines.setdefault(case.name, line)
            axis.set_title(plain(title(point)), fontsize=9)
            axis.set_xlabel(distribution.title)
            if distribution.logarithmic:
                axis.set_xscale("log")
                decades(axis.xaxis)
            axis.grid(visible=True, alpha=0.3)
        axes[0].set_ylabel("share at or below")
        name_lines(figure, list(lines.values()), list(lines), loc="outside lower center", ncols=columns)
        paths = [directory / f"{distribution.key}{suffix}" for suffix in (".png", ".svg")]
        for path in paths:
            save(figure, path, path.suffix)
    return paths
