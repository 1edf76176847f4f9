"""Write the table of all exhibits, and the parts of a paper's page that show its exhibits."""

from __future__ import annotations

import re
from textwrap import fill
from typing import TYPE_CHECKING

from exhibit.claims import Claim, reference
from exhibit.exhibits import Exhibit, Part, content, counts, exhibits
from exhibit.plots import drawings
from exhibit.words import folded, number, seconds, spread, table, where
from tulle.study.measurements.registry import measurement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tulle.study.report.baseline import BaselineCase

# A line below a heading of a page, in whose place the content of an exhibit is inserted.
_MARK = re.compile(r"^<!-- exhibit: (.+) -->$", re.MULTILINE)
_WIDTH = 138
# The page folds tables with more rows than this. A click opens them.
_ROWS = 8


def overview(of: Sequence[Exhibit]) -> str:
    """Return the table of all exhibits, with one part per paper."""
    parts = [counts(of)]
    titles = ["exhibit", "verdict", "claims that agree", "reason for differences"]
    titles += ["size", "run", "processor seconds", "studies"]
    for key, title in content()["papers"].items():
        rows = [_row(one, f"reproduction/{key}.md") for one in of if one.paper == key]
        parts += [f"**[{title}](reproduction/{key}.md)**", table(titles, rows)]
    return "\n\n".join(parts)


def _row(one: Exhibit, page: str) -> list[str]:
    judged = f"{sum(claim.agrees for claim in one.claims)} of {len(one.claims)}" if one.claims else ""
    took = seconds(one.processor_seconds[0], all_known=one.processor_seconds[1]) if one.parts else ""
    studies = ", ".join(f"`{name.split('/')[1]}`" for name in one.studies)
    named = f"[{one.name}]({page}#{one.anchor}), {one.shows}"
    return [named, one.state, judged, one.why, one.sizes, one.date, took, studies]


def marked(page: str) -> list[str]:
    """Return the names of the exhibits that are marked on a page, in the order of the page."""
    return _MARK.findall(page)


def filled(page: str, paper: str) -> str:
    """Return the text of a paper's page with its exhibits inserted at their marks."""
    own = {one.name: one for one in exhibits() if one.paper == paper}
    return _MARK.sub(lambda mark: _block(own[mark[1]]), page)


def _block(one: Exhibit) -> str:
    """Return the text below the heading of an exhibit."""
    parts = [_verdict(one)]
    parts += [f"![{one.name}: {one.shows}](plots/{name})" for name in drawings(one)]
    if one.listed:
        link = one.listed.lower().replace(". ", "-").replace(" ", "-")
        return "\n\n".join([*parts, f"The claims and figures are listed at [{one.listed}](#{link})."])
    differing = [claim for claim in one.claims if not claim.agrees]
    if differing:
        titles = ["differs: the paper", "where", "figure", "paper", "ours", "why"]
        rows = [[c.source, c.where, c.figure, c.wanted, c.ours, c.why] for c in differing]
        parts.append(table(titles, _once(rows, 0, -1)))
    agreeing = [claim for claim in one.claims if claim.agrees]
    if agreeing:
        parts.append(_claims("agrees: the paper", f"What agrees: {len(agreeing)} of {len(one.claims)}", agreeing))
    if one.wishes:
        parts.append(_claims("requirement of tulle", "Requirements of tulle", one.wishes))
    if one.parts:
        parts.append(folded("All figures", "\n\n".join(_figures(part, len(one.parts) > 1) for part in one.parts)))
    return "\n\n".join(parts)


def _verdict(one: Exhibit) -> str:
    # The first letter becomes a capital letter, unless the text starts with a symbol such as ρ or k_min.
    shows = one.shows if re.match(r"[^a-z]|._", one.shows) else one.shows[:1].upper() + one.shows[1:]
    if not one.parts:
        return fill(f"{shows}. **{one.state.capitalize()}**: {one.because or 'no study yet'}.", _WIDTH)
    agreeing = sum(claim.agrees for claim in one.claims)
    claims = f"{agreeing} of {len(one.claims)} claims agree" if agreeing < len(one.claims) else "all claims agree"
    took = seconds(one.processor_seconds[0], all_known=one.processor_seconds[1])
    told = f"Size {one.sizes}, run on {one.date}, processor seconds: {took}."
    text = f"{shows}. **{one.state.capitalize()}**: {claims}. {told}"
    commands = [
        f"    tulle run studies/{part.name}.toml{' --size paper' if part.size == 'paper' else ''}" for part in one.parts
    ]
    return fill(text, _WIDTH) + "\n\n" + "\n".join(commands)


def _claims(title: str, summary: str, claims: Sequence[Claim]) -> str:
    """Return a table of claims.

    Claims with the same source and case share a row, because one sentence of a paper often makes several claims.
    """
    together: dict[tuple[str, str], list[Claim]] = {}
    for claim in claims:
        together.setdefault((claim.source, claim.where), []).append(claim)
    rows = []
    for (source, place), of in together.items():
        told = [f"{claim.figure} {claim.ours} ({'' if claim.agrees else 'not '}{claim.wanted})" for claim in of]
        rows.append([source, place, "; ".join(told)])
    text = table([title, "where", f"ours ({'paper' if claims[0].of_paper else 'wanted'})"], _once(rows, 0))
    return text if len(rows) <= _ROWS else folded(summary, text)


def _once(rows: list[list[str]], *columns: int) -> list[list[str]]:
    """Return the rows; in the given columns, a ditto mark replaces a value that is equal to the value above."""
    found = [list(row) for row in rows]
    for above, row, shown in zip(rows, rows[1:], found[1:], strict=False):
        for column in columns:
            if row[column] and row[column] == above[column]:
                shown[column] = "″"
    return found


def _figures(part: Part, named: bool) -> str:
    given = [reference(part.study, case) for case in part.cases]
    shown = {*part.study.figures, *(key for one in given if one is not None for key in one.paper)}
    keys = [
        key
        for key in dict.fromkeys(key for case in part.cases for key in case.figures)
        if _says(part, key) and (key in shown or not part.study.figures)
    ]
    titles = {figure.key: figure.title for figure in measurement(part.study).figures}
    axes = list(part.study.axes)
    if len(keys) == 1 and axes:
        text = _crossed(part, keys[0], axes[-1], titles[keys[0]])
    else:
        rows = [
            [where(case.case, case.point, part.study.words), *(_cell(part, case, key) for key in keys)]
            for case in part.cases
        ]
        text = table(["case", *(titles[key] for key in keys)], rows)
    return f"`{part.name.split('/')[1]}`:\n\n{text}" if named else text


def _says(part: Part, key: str) -> bool:
    return any(case.figures.get(key, (None, None))[0] not in (None, 0) for case in part.cases)


def _crossed(part: Part, key: str, across: str, title: str) -> str:
    """Return the values of a metric as a table with one column per value of the grid axis `across`."""
    values = list(dict.fromkeys(case.point[across] for case in part.cases))
    rows: dict[str, dict[str, str]] = {}
    for case in part.cases:
        rest = {name: value for name, value in case.point.items() if name != across}
        rows.setdefault(where(case.case, rest, part.study.words), {})[case.point[across]] = _cell(part, case, key)
    head = [f"{title}, by {across}", *(part.study.words.get(value, value) for value in values)]
    return table(head, [[name, *(cells.get(value, "") for value in values)] for name, cells in rows.items()])


def _cell(part: Part, case: BaselineCase, key: str) -> str:
    if key not in case.figures:
        return ""
    given = reference(part.study, case)
    theirs = "" if given is None or key not in given.paper else f" (paper {number(given.paper[key])})"
    return spread(*case.figures[key]) + theirs
