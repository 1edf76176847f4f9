"""Distributions as plots: a panel per point of the grid, a line per case."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tulle.study.report import title

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from tulle.study.measurement import Distribution
    from tulle.study.plan import Plan

Sample = tuple["NDArray[Any]", "NDArray[Any]"]

# Tell the lines apart without colour too.
_STYLES = ("-", "--", "-.", ":")
# Widths and heights in inches; a panel is readable at one column of a paper.
_WIDTH, _HEIGHT = 4.5, 3.6
_LINE = 0.18
# Ticks per decade: far enough apart for their labels, close enough that a narrow range has some.
_TICKS = (1, 1.5, 2, 3, 5, 7)


def available() -> bool:
    """Whether matplotlib, of ``tulle[plot]``, is installed."""
    from importlib.util import find_spec

    return find_spec("matplotlib") is not None


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
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    points = plan.points
    # A fixed salt: otherwise ids inside the SVG are random.
    with mpl.rc_context({"svg.hashsalt": "tulle", "font.size": 9}):
        # Two names fit under a panel; every line of names beyond the first makes the plot higher.
        columns = min(len(_STYLES), 2 * len(points))
        height = _HEIGHT + _LINE * ((len(plan.study.case) - 1) // columns)
        canvas = Figure(figsize=(_WIDTH * len(points), height), layout="constrained")
        FigureCanvasAgg(canvas)
        axes = canvas.subplots(1, len(points), sharey=True, squeeze=False)[0]
        for axis, point in zip(axes, points, strict=True):
            for at, case in enumerate(plan.study.case):
                values, share = samples[(distribution.key, *point.values(), case.name)]
                if len(values) == 0:
                    continue
                axis.step(values, share, where="post", linestyle=_STYLES[at % len(_STYLES)], label=case.name)
            axis.set_title(title(point), fontsize=9)
            axis.set_xlabel(distribution.title)
            if distribution.logarithmic:
                _decades(axis)
            axis.grid(visible=True, alpha=0.3)
        axes[0].set_ylabel("share at or below")
        handles, labels = axes[0].get_legend_handles_labels()
        canvas.legend(handles, labels, loc="outside lower center", ncols=columns, fontsize=8, frameon=False)
        paths = [directory / f"{distribution.key}.png", directory / f"{distribution.key}.svg"]
        canvas.savefig(paths[0], dpi=150, metadata={"Software": None})
        canvas.savefig(paths[1], metadata={"Date": None, "Creator": None})
    return paths


def _decades(axis: Any) -> None:
    """A logarithmic axis with plain numbers."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    axis.set_xscale("log")
    axis.xaxis.set_major_locator(LogLocator(subs=_TICKS))
    axis.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.xaxis.set_minor_locator(NullLocator())
