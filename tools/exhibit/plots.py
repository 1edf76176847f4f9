"""Draw plots of exhibits as SVG: lines or rows of dots with 95% intervals, and the paper's values and bounds."""

from __future__ import annotations

import hashlib
import io
import json
import math
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from exhibit.exhibits import ROOT, exhibits
from exhibit.marks import drawing
from tulle.plot.sheet import figure, save
from tulle.plot.style import DARK, GREY, decades, grid, line_style, name_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from exhibit.exhibits import Exhibit
    from exhibit.marks import Drawing, Panel

PLOTS, DRAFT = ROOT / "target/exhibits", ROOT / "target/draft/exhibits"
_WIDTH = 6.4
_PANEL = 2.4
_ROW = 0.17


def drawings(one: Exhibit) -> dict[str, Drawing]:
    """Return the plots of an exhibit by file name.

    Raises
    ------
    ValueError
        If exhibits.toml describes a plot for which no values are stored.
    """
    found = {}
    for number, given in enumerate(one.plots):
        part = next(part for part in one.parts if part.name == given.get("study", part.name))
        found[f"{one.paper}-{one.anchor}{f'-{number + 1}' if number else ''}.svg"] = drawing(part, given)
    return found


def draw_all() -> list[Path]:
    """Draw all plots into target/exhibits and return the files.

    A plot takes half a second, so unchanged plots are not drawn again.
    """
    PLOTS.mkdir(parents=True, exist_ok=True)
    wanted = {PLOTS / name: shown for one in exhibits() for name, shown in drawings(one).items()}
    for path, shown in wanted.items():
        if not path.exists() or _stamp(shown) not in path.read_text("utf-8"):
            path.write_text(draw(shown), encoding="utf-8")
    return list(wanted)


def sketch_all() -> list[Path]:
    """Make all plots, but write only one of each form into target/draft/exhibits. The other files are empty.

    Writing takes most of the time of a plot. The parts of all plots are made, so wrong values are still found.
    """
    DRAFT.mkdir(parents=True, exist_ok=True)
    forms, found = set(), []
    for one in exhibits():
        for name, shown in drawings(one).items():
            form = (shown.lines, shown.log_x, len(shown.panels) > 1, any(panel.log for panel in shown.panels))
            found.append(DRAFT / name)
            found[-1].write_text(draw(shown, written=form not in forms), encoding="utf-8")
            forms.add(form)
    return found


def _stamp(shown: Drawing) -> str:
    """Return an SVG comment with a digest of the plot's values and of this script, to detect outdated files."""
    told = json.dumps(asdict(shown), sort_keys=True) + Path(__file__).read_text(encoding="utf-8")
    return f"<!-- {hashlib.sha256(told.encode()).hexdigest()[:16]} -->\n"


def draw(shown: Drawing, *, written: bool = True) -> str:
    """Return the plot as SVG. If it is not written, the SVG is empty."""
    import matplotlib as mpl

    panels = shown.panels
    across = 1 if len(panels) == 1 else 2
    down = math.ceil(len(panels) / across)
    names = list(dict.fromkeys(mark.series for panel in panels for mark in panel.marks))
    rows = list(dict.fromkeys(mark.at for panel in panels for mark in panel.marks))
    height = _PANEL if shown.lines else 0.75 + _ROW * max(len(rows) * max(1, 0.55 * len(names)), 3)
    columns = max(1, int(_WIDTH / (0.6 + 0.075 * max(len(name) for name in [*names, "paper's bound"]))))
    legend = 0.18 * math.ceil((len(names) + 1) / columns)
    # Text stays text in the SVG files, so that they are small and browsers use their own fonts.
    fonts: Any = {"svg.fonttype": "none", "font.family": ["DejaVu Sans", "sans-serif"]}
    with mpl.rc_context(fonts), figure(_WIDTH, down * height + legend) as sheet:
        axes = sheet.subplots(down, across, squeeze=False, sharey=not shown.lines)
        lines: dict[str, Any] = {}
        for axis, panel in zip(axes.flat, panels, strict=False):
            _fill(axis, panel, shown, names, rows, lines)
        for axis in axes.flat[len(panels) :]:
            axis.set_visible(False)
        named = {name: line for name, line in lines.items() if name}
        if named:
            name_lines(sheet, list(named.values()), list(named), loc="outside lower center", ncols=columns)
        if not written:
            return '<svg xmlns="http://www.w3.org/2000/svg"/>'
        file = io.BytesIO()
        save(sheet, file, ".svg")
    svg = file.getvalue().decode()
    return _stamp(shown) + svg[svg.index("<svg ") :]


def _fill(
    axis: Any, panel: Panel, drawing: Drawing, names: list[str], rows: list[str | float], lines: dict[str, Any]
) -> None:
    for at, name in enumerate(names):
        marks = [mark for mark in panel.marks if mark.series == name]
        if not marks:
            continue
        style = {**line_style(at), "capsize": 2, "elinewidth": 0.9}
        halves = [mark.half95 for mark in marks]
        values = [mark.value for mark in marks]
        if drawing.lines:
            marks.sort(key=lambda mark: float(mark.at))
            halves, values = [mark.half95 for mark in marks], [mark.value for mark in marks]
            at_x = [mark.at for mark in marks]
            drawn = axis.errorbar(at_x, values, halves, **style)
        else:
            places = [_place(rows, mark.at, at, len(names)) for mark in marks]
            drawn = axis.errorbar(values, places, xerr=halves, **{**style, "linestyle": "none"})
        lines.setdefault(name, drawn)
    for name, drawn in _of_paper(axis, panel, drawing, names, rows):
        lines.setdefault(name, drawn)
    axis.set_title(panel.title)
    grid(axis)
    value_axis, other = (axis.yaxis, axis.xaxis) if drawing.lines else (axis.xaxis, axis.yaxis)
    value_axis.set_label_text(panel.label)
    if drawing.lines:
        other.set_label_text(drawing.xlabel)
    else:
        axis.set_yticks(range(len(rows)), [str(row) for row in rows])
        axis.set_ylim(len(rows) - 0.4, -0.6)
    if panel.log:
        (axis.set_yscale if drawing.lines else axis.set_xscale)("log")
        decades(value_axis)
    elif all(mark.value >= 0 for mark in panel.marks):
        ends = [max(mark.value + mark.half95, mark.paper or 0.0) for mark in panel.marks]
        (axis.set_ylim if drawing.lines else axis.set_xlim)(0, 1.06 * max(ends) or 1)
    if drawing.log_x:
        axis.set_xscale("log")
        _ticks_at(other, [float(mark.at) for mark in panel.marks])
    elif drawing.lines and all(float(mark.at).is_integer() for mark in panel.marks):
        other.get_major_locator().set_params(integer=True)


def _ticks_at(axis: Any, values: list[float]) -> None:
    """Set the ticks of a logarithmic axis at its values, if they are at most six and well separated."""
    from matplotlib.ticker import FixedLocator

    decades(axis)
    few = sorted(set(values))
    if len(few) <= 6 and all(above > 1.4 * below for below, above in pairwise(few)):
        axis.set_major_locator(FixedLocator(few))


def _place(rows: list[str | float], row: str | float, series: int, of: int) -> float:
    """Return the position of a mark in its row; marks of different series are next to each other."""
    return rows.index(row) + (series - (of - 1) / 2) * 0.7 / max(of, 2)


def _of_paper(
    axis: Any, panel: Panel, drawing: Drawing, names: list[str], rows: list[str | float]
) -> Iterator[tuple[str, Any]]:
    for mark in panel.marks:
        at = mark.at if drawing.lines else _place(rows, mark.at, names.index(mark.series), len(names))
        if mark.paper is not None:
            wide = {"yerr": mark.tolerance} if drawing.lines else {"xerr": mark.tolerance}
            place = (at, mark.paper) if drawing.lines else (mark.paper, at)
            style = {"marker": "d", "markersize": 7, "markerfacecolor": "none", "color": DARK, "linestyle": "none"}
            yield "paper", axis.errorbar(*place, **wide, **style, elinewidth=0.9, zorder=1)
        elif mark.least is not None or mark.most is not None:
            low = mark.least if mark.least is not None else min(0.0, mark.value)
            high = mark.most if mark.most is not None else max(1.25 * mark.value, low)
            bar = axis.vlines if drawing.lines else axis.hlines
            yield "paper's bound", bar(at, low, high, color=GREY, alpha=0.45, linewidth=5, zorder=0)
