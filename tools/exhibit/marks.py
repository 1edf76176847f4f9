"""Collect the content of an exhibit's plot from stored values: the marks of every panel and series.

A plot in exhibits.toml has these keys:

figure    the metric to plot, or a list of metrics with one panel each
study     the study to use if the exhibit has several
select    a regular expression; a stored value is plotted only if its "case @ point" matches
x         for line plots: a number in "case @ point", or a metric; if x is missing, the plot has rows of dots
row       for rows of dots: the name of a row; default: the case
series    the name of a line or colour
panel     the name of a panel; default: the point of the grid
over      a reference series; values of all other series are divided by its values
names     the names to display in place of names found by the regular expressions
label     the label of the metric's axis
xlabel    for line plots: the label of the other axis
log       a list of the axes with a logarithmic scale: "x", names of metrics

x, row, series and panel are regular expressions that are searched in "case @ point"; the found groups are the name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from exhibit.claims import reference
from exhibit.words import in_words
from tulle.study.engine.model import shown
from tulle.study.measurements.registry import measurement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from exhibit.exhibits import Part
    from tulle.study.engine.model import Reference, StudyFile
    from tulle.study.report.baseline import BaselineCase

_KEYS = {"figure", "study", "select", "x", "row", "series", "panel", "over", "names", "label", "xlabel", "log"}


@dataclass(frozen=True)
class Mark:
    """A measured value, and the paper's value for it."""

    at: str | float
    """The name of the mark's row, or its position on the x axis."""
    series: str
    value: float
    half95: float
    paper: float | None = None
    tolerance: float = 0.0
    least: float | None = None
    most: float | None = None


@dataclass
class Panel:
    """Marks with the same axes."""

    title: str
    label: str
    log: bool
    marks: list[Mark] = field(default_factory=list)


@dataclass(frozen=True)
class Drawing:
    """A plot."""

    panels: tuple[Panel, ...]
    lines: bool
    xlabel: str
    log_x: bool


def drawing(part: Part, given: dict[str, Any]) -> Drawing:
    """Build a plot from its description in exhibits.toml.

    Raises
    ------
    ValueError
        If a key or metric in the description is unknown, or no stored value matches it.
    """
    unknown = set(given) - _KEYS
    if unknown:
        raise ValueError(f"exhibits.toml: plot of {part.name}: unknown keys {sorted(unknown)}; legal: {sorted(_KEYS)}")
    keys = [given["figure"]] if isinstance(given["figure"], str) else given["figure"]
    log = given.get("log", [])
    titles = {figure.key: figure.title for figure in measurement(part.study).figures}
    panels: dict[tuple[str, str], Panel] = {}
    chosen = [case for case in part.cases if re.search(given.get("select", ""), _name(part.study, case))]
    sizes = {_size(part.study, case) for case in chosen}
    for key in keys:
        if key not in titles:
            raise ValueError(f"exhibits.toml: plot of {part.name}: no metric '{key}'; legal: {', '.join(titles)}")
        for case in chosen:
            mark = _mark(part.study, case, key, given)
            if mark is not None:
                size = f"{_size(part.study, case)} size" if len(sizes) > 1 else ""
                title = ", ".join(filter(None, [_panel(part.study, case, given), size]))
                panels.setdefault((key, title), Panel(title, given.get("label", titles[key]), key in log)).marks.append(
                    mark
                )
    if not panels:
        raise ValueError(
            f"exhibits.toml: plot of {part.name}: no stored values of {keys}, {given.get('select', 'all')}"
        )
    if "over" in given:
        for panel in panels.values():
            panel.marks = list(_multiples(panel.marks, given["over"]))
    return Drawing(tuple(panels.values()), "x" in given, given.get("xlabel", ""), "x" in log)


def _mark(study: StudyFile, case: BaselineCase, key: str, given: dict[str, Any]) -> Mark | None:
    mean, half = case.figures.get(key, (None, None))
    if mean is None:
        return None
    name = _name(study, case)
    at: str | float
    if "x" in given:
        x = _x(case, name, given["x"])
        if x is None:
            return None
        at = x
    else:
        at = _found(given["row"], name, given) if "row" in given else case.case
    series = _found(given["series"], name, given) if "series" in given else ""
    paper = {} if "over" in given else _paper(reference(study, case), key)
    return Mark(at, series, mean, half or 0.0, **paper)


def _x(case: BaselineCase, name: str, wanted: str) -> float | None:
    if wanted in case.figures:
        return case.figures[wanted][0]
    found = re.search(wanted, name)
    return None if found is None else float(found[1].replace(",", ""))


def _paper(given: Reference | None, key: str) -> dict[str, Any]:
    """Return the paper's value, its tolerance and its bounds; nothing if the paper gives none."""
    if given is None:
        return {}
    return {
        "paper": given.paper.get(key),
        "tolerance": given.tolerance.get(key, 0.0),
        "least": given.least.get(key),
        "most": given.most.get(key),
    }


def _multiples(marks: Sequence[Mark], over: str) -> list[Mark]:
    """Return the marks of all series except `over`, divided by the value of `over` at the same position."""
    of = {mark.at: mark.value for mark in marks if mark.series == over}
    return [
        Mark(mark.at, mark.series, mark.value / of[mark.at], mark.half95 / of[mark.at])
        for mark in marks
        if mark.series != over and of.get(mark.at)
    ]


def _name(study: StudyFile, case: BaselineCase) -> str:
    """Return "case @ point", the text in which the regular expressions are searched."""
    return f"{case.case} @ {in_words(case.point, study.words)}"


def _panel(study: StudyFile, case: BaselineCase, given: dict[str, Any]) -> str:
    name = _name(study, case)
    return _found(given["panel"], name, given) if "panel" in given else name.split(" @ ")[1]


def _found(expression: str, name: str, given: dict[str, Any]) -> str:
    """Return the name that the expression's groups (or its whole match) give, for display; "" if nothing matches."""
    found = re.search(expression, name)
    parts = () if found is None else (found.groups() or (found[0],))
    text = " ".join(filter(None, parts))
    return str(given.get("names", {}).get(text, text))


def _size(study: StudyFile, case: BaselineCase) -> str:
    large = {(name, shown(value)) for name, values in study.paper.items() for value in values}
    of_case = next(own.size for own in study.case if own.name == case.case)
    return "paper" if large & set(case.point.items()) else of_case
