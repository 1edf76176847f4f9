"""Draw curves: metrics over a parameter of the grid, with a line per case and 95% intervals over seeds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tulle._internal.text import plain
from tulle.plot.latency_load import draw_line
from tulle.plot.sheet import available, figure, save
from tulle.plot.style import PAGE, decades, grid, legend_columns, name_lines
from tulle.study.report.plot import SUFFIXES
from tulle.study.report.results import title

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tulle.metric import Curves
    from tulle.study.engine.plan import Plan
    from tulle.study.report.results import Result
    from tulle.study.report.verdict import Spread

# Heights of a row of panels and of a line of the legend, in inches.
_HEIGHT, _LINE = 2.3, 0.17


def curves(plan: Plan, found: Sequence[Result], directory: Path) -> list[Path]:
    """Draw the plan's curves, as ``<key>.png``, ``.pdf`` and ``.svg``.

    Equal results give identical files. Nothing is written if matplotlib is not installed.
    """
    if not available():
        return []
    return [path for each in plan.curves for path in _draw(plan, each, found, directory)]


def _draw(plan: Plan, shown: Curves, found: Sequence[Result], directory: Path) -> list[Path]:
    rows: dict[str, list[Result]] = {}
    for result in found:
        rest = {name: value for name, value in result.point.items() if name != shown.over}
        rows.setdefault(title(rest, plan.study.words), []).append(result)
    names = [case.name for case in plan.study.case]
    columns = legend_columns(names, PAGE)
    height = _HEIGHT * len(rows) + _LINE * -(-len(names) // columns)
    with figure(PAGE, height) as sheet:
        panels = sheet.subplots(len(rows), len(shown.panels), squeeze=False)
        lines: dict[str, Any] = {}
        for of_row, (name, results) in zip(panels, rows.items(), strict=True):
            for axes, (key, label) in zip(of_row, shown.panels.items(), strict=True):
                lines |= {case: _line(axes, at, results, case, shown, key) for at, case in enumerate(names)}
                axes.set_xlabel(shown.title)
                axes.set_ylabel(label)
                axes.set_title(plain(name))
                axes.set_xlim(left=0)
                if key in shown.logarithmic:
                    axes.set_yscale("log")
                    decades(axes.yaxis)
                else:
                    axes.set_ylim(bottom=0)
                grid(axes)
        name_lines(sheet, [*lines.values()], [*lines], loc="outside lower center", ncols=columns)
        paths = [directory / f"{shown.key}{suffix}" for suffix in SUFFIXES]
        for path in paths:
            save(sheet, path, path.suffix)
    return paths


def _line(axes: Any, at: int, results: Sequence[Result], case: str, shown: Curves, key: str) -> Any:
    """Draw the line of a case in one panel."""
    own = sorted((each for each in results if each.case == case), key=lambda each: _number(each.point[shown.over]))
    x = np.array([_number(each.point[shown.over]) for each in own])
    bands = np.array([_band(each.figures[key]) for each in own])
    beyond = np.array([shown.beyond is not None and bool(each.figures[shown.beyond].max) for each in own])
    means, low, high = bands.reshape(-1, 3).T
    return draw_line(axes, at, x, means, low, high, beyond)


def _band(spread: Spread) -> tuple[float, float, float]:
    """Return the mean, and the two ends of its 95% interval."""
    mean, half = _number(spread.mean), _number(spread.half95 or 0)
    return mean, mean - half, mean + half


def _number(value: Any) -> float:
    return float("nan") if value is None else float(value)
