"""Write a report as one HTML file: text and tables as HTML, charts and networks as data that scripts draw.

The file contains the style, the scripts and the drawing libraries, and loads nothing. Text and tables can be read
without scripts.
"""

from __future__ import annotations

import json
import re
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from tulle import __version__
from tulle.report_html.model import Chart, Drawing, Picture, Table
from tulle.report_html.wording import percent, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tulle.report_html.document import Page
    from tulle.report_html.model import Cell, Column, Part, Section

_LIBRARIES = ("d3-7.9.0.min.js", "plot-0.6.17.umd.min.js")
_SCRIPTS = ("tables.js", "charts.js", "forwarding.js", "view.js", "network.js", "main.js")
_BREAK = re.compile("(?<=[,:])(?=.)")
# A table with more rows than this has a text field that filters it.
_FILTERED = 8
# Names of the columns of a chart's data, as readers see them.
_HEADS = {"name": "series", "value": "value", "low": "minimum", "high": "maximum", "x": "at", "part": "part"}


def html(page: Page) -> str:
    """Return a report as HTML; equal reports give equal text."""
    charts: list[dict[str, Any]] = []
    drawings: list[dict[str, Any]] = []
    sections = [
        _section(f"section-{at}", section, charts, drawings) for at, section in enumerate(page.sections, start=1)
    ]
    links = [(f"section-{at}", section.title) for at, section in enumerate(page.sections, start=1)]
    links.append(("manifest", "Manifest"))
    data = {"charts": charts, "networks": drawings}
    values = {
        "title": escape(page.title),
        "style": _file("page", "page.css"),
        "links": "\n".join(f'<li><a href="#{place}">{escape(title)}</a></li>' for place, title in links),
        "summary": "\n".join(f"<li>{escape(line)}</li>" for line in page.summary),
        "sections": "\n".join(sections),
        "manifest": "\n".join(
            f'<tr><th scope="row">{escape(name)}</th><td>{_code(escape(shown(value)))}</td></tr>'
            for name, value in page.manifest
        ),
        "version": escape(__version__),
        # In a script element, "<" could end the script.
        "data": json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c"),
        "libraries": "\n".join(f"<script>{_file('vendor', name)}</script>" for name in _LIBRARIES),
        "scripts": "\n".join(f"<script>\n{_file('page', name)}</script>" for name in _SCRIPTS),
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda found: values[found[1]], _file("page", "page.html"))


def _file(folder: str, name: str) -> str:
    return (files("tulle.report_html") / folder / name).read_text(encoding="utf-8")


def _section(place: str, section: Section, charts: list[dict[str, Any]], drawings: list[dict[str, Any]]) -> str:
    lines = [f'<section id="{place}" aria-labelledby="{place}-title">']
    lines.append(f'<h2 id="{place}-title">{escape(section.title)}</h2>')
    lines += [f"<p>{escape(text)}</p>" for text in section.text]
    # Neighbouring charts stand side by side if there is room.
    open_grid = False
    for part in section.parts:
        in_grid = isinstance(part, Chart) and part.kind in ("bars", "curves") and "part" not in part.rows[0]
        if in_grid != open_grid:
            lines.append('<div class="grid">' if in_grid else "</div>")
            open_grid = in_grid
        lines.append(_part(part, charts, drawings))
    return "\n".join([*lines, *(["</div>"] if open_grid else []), "</section>"])


def _part(part: Part, charts: list[dict[str, Any]], drawings: list[dict[str, Any]]) -> str:
    if isinstance(part, Table):
        return _table(part)
    if isinstance(part, Picture):
        return (
            f'<figure class="picture"><figcaption>{escape(part.title)}</figcaption><div class="scroll" tabindex="0" '
            f'role="region" aria-label="{escape(part.title)}">{part.svg}</div></figure>'
        )
    if isinstance(part, Drawing):
        drawings.append({"title": part.title, **part.data})
        return (
            f'<div class="network" data-network="{len(drawings) - 1}"><h3>{escape(part.title)}</h3>'
            "<noscript><p>The drawing of the network needs scripts.</p></noscript></div>"
        )
    return _chart(part, charts)


def _chart(chart: Chart, charts: list[dict[str, Any]]) -> str:
    """Return the element in which a script draws a chart. A folded table has the data for readers without scripts."""
    number = len(charts)
    rows = [dict(row) for row in chart.rows]
    charts.append({"kind": chart.kind, "title": chart.title, "x": chart.x, "y": chart.y, **chart.options, "rows": rows})
    keys = list(dict.fromkeys(key for row in rows for key in row))
    heads = "".join(f'<th scope="col">{escape(_HEADS.get(key, key))}</th>' for key in keys)
    body = "".join(f"<tr>{''.join(f'<td>{escape(shown(row.get(key)))}</td>' for key in keys)}</tr>\n" for row in rows)
    note = f'<p class="note">{escape(chart.note)}</p>' if chart.note else ""
    return (
        f'<figure class="chart" data-chart="{number}"><figcaption>{escape(chart.title)}</figcaption>'
        f'<div class="plot"></div>{note}<details><summary>Data of this chart</summary><div class="scroll">'
        f'<table class="data"><caption>{escape(chart.title)}</caption><thead><tr>{heads}</tr></thead>'
        f"<tbody>{body}</tbody></table></div></details></figure>"
    )


def _table(table: Table) -> str:
    heads = "".join(f'<th scope="col" class="{column.kind}">{escape(column.head)}</th>' for column in table.columns)
    body = "\n".join(_row(table.columns, row) for row in table.rows)
    note = f'<p class="note">{escape(table.note)}</p>' if table.note else ""
    inner = (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(table.title)}">'
        f"<table><caption>{escape(table.title)}</caption><thead><tr>{heads}</tr></thead>"
        f"<tbody>\n{body}\n</tbody></table></div>{note}"
    )
    classes = "table filtered" if len(table.rows) > _FILTERED else "table"
    if not table.folded:
        return f'<div class="{classes}">{inner}</div>'
    return (
        f'<details class="{classes}"><summary>{escape(table.title)}, {shown(len(table.rows))} rows</summary>'
        f"{inner}</details>"
    )


def _code(text: str) -> str:
    """Return escaped text in a fixed-width font. Lines break after commas and colons of specs, not inside words."""
    # A character reference, for example of a quotation mark, has no comma or colon.
    return f"<code>{_BREAK.sub('<wbr>', text)}</code>"


def _row(columns: Sequence[Column], row: Iterable[Cell]) -> str:
    cells = []
    for column, cell in zip(columns, row, strict=True):
        # Scripts sort by the exact value, not by the rounded text.
        value = f' data-value="{cell!r}"' if isinstance(cell, (int, float)) and not isinstance(cell, bool) else ""
        text = escape(percent(cell) if column.kind == "percent" and isinstance(cell, float) else shown(cell))
        cells.append(f'<td class="{column.kind}"{value}>{_code(text) if column.kind == "code" else text}</td>')
    return f"<tr>{''.join(cells)}</tr>"
