"""Distributions as plots: a panel per point of the grid, a line per case."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tulle.study.report import title

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from tulle.study.plan import Plan

# Tell the lines apart without colour too.
_STYLES = ("-", "--", "-.", ":")
# Widths and heights in inches; a panel is readable at one column of a paper.
_WIDTH, _HEIGHT = 4.5, 3.6
# Ticks per decade: far enough apart for their labels, close enough that a narrow range has some.
_TICKS = (1, 1.5, 2, 3, 5, 7)


def available() -> bool:
    """Whether matplotlib, of ``tulle[plot]``, is installed."""
    from importlib.util import find_spec

    return find_spec("matplotlib") is not None


def distributions(plan: Plan, samples: Mapping[tuple[Any, ...], NDArray[Any]], directory: Path) -> list[Path]:
    """Writes the distribution of the measurement's column over all seeds as ``<column>.png`` and ``<column>.svg``.

    `samples` are by the values of a point and the case. The same samples give the same bytes. Nothing is written where
    the measurement has no such column or matplotlib is not installed.
    """
    figure = plan.measurement.distribution
    if figure is None or not available():
        return []
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    plain = FuncFormatter(lambda value, _: f"{value:g}")
    points = plan.points
    # A fixed salt: otherwise ids inside the SVG are random.
    with mpl.rc_context({"svg.hashsalt": "tulle", "font.size": 9}):
        canvas = Figure(figsize=(_WIDTH * len(points), _HEIGHT), layout="constrained")
        FigureCanvasAgg(canvas)
        axes = canvas.subplots(1, len(points), sharey=True, squeeze=False)[0]
        for axis, point in zip(axes, points, strict=True):
            for at, case in enumerate(plan.study.case):
                values = samples[(*point.values(), case.name)]
                values = np.sort(values[np.isfinite(values)])
                if len(values) == 0:
                    continue
                share = np.arange(1, len(values) + 1) / len(values)
                axis.step(values, share, where="post", linestyle=_STYLES[at % len(_STYLES)], label=case.name)
            axis.set_title(title(point), fontsize=9)
            axis.set_xlabel(figure.title)
            if figure.scale == "log":
                axis.set_xscale("log")
                axis.xaxis.set_major_locator(LogLocator(subs=_TICKS))
                axis.xaxis.set_major_formatter(plain)
                axis.xaxis.set_minor_locator(NullLocator())
            axis.grid(visible=True, alpha=0.3)
        axes[0].set_ylabel("share at or below")
        handles, labels = axes[0].get_legend_handles_labels()
        canvas.legend(handles, labels, loc="outside lower center", ncols=len(_STYLES), fontsize=8, frameon=False)
        paths = [directory / f"{figure.key}.png", directory / f"{figure.key}.svg"]
        canvas.savefig(paths[0], dpi=150, metadata={"Software": None})
        canvas.savefig(paths[1], metadata={"Date": None, "Creator": None})
    return paths
