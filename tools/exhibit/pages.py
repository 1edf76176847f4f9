"""Write the table of all exhibits, and the parts of a paper's page that show its exhibits.

An exhibit is a table or figure of a paper.
"""

from __future__ import annotations

import re
from textwrap import fill
from typing import TYPE_CHECKING

from exhibit import contradictions
from exhibit.claims import figures, ours, quoted, reason, reference, wanted
from exhibit.exhibits import Exhibit, Part, content, counts, exhibits
from exhibit.plots import drawings
from exhibit.words import folded, number, seconds, spread, table, where
from tulle.study.claims.sources import section
from tulle.study.measurements.registry import measurement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tulle.study.claims.checks import Check
    from tulle.study.claims.grading import Graded
    from tulle.study.report.baseline import BaselineCase

# A mark below a heading of a page. The exhibit's title is added to the heading, and its content replaces the mark.
_MARK = re.compile(r"^<!-- exhibit: (.+) -->$", re.MULTILINE)
_HEADING = re.compile(r"^## (.+?)(?: \{.+\})?(?=\n\n<!-- exhibit: \1 -->$)", re.MULTILINE)
_WIDTH = 138


def overview(of: Sequence[Exhibit]) -> str:
    """Return the table of all exhibits, with one part per paper."""
    parts = [counts(of)]
    titles = ["exhibit", "claims by grade", "reason for differences", "size", "processor seconds", "studies"]
    for key, title in content()["papers"].items():
        rows = [_row(one, f"reproduction/{key}.md") for one in of if one.paper == key]
        parts += [f"## {title}", f"[All claims and plots](reproduction/{key}.md)", table(titles, rows)]
    return "\n\n".join(parts)


def _row(one: Exhibit, page: str) -> list[str]:
    took = seconds(one.processor_seconds[0], all_known=one.processor_seconds[1]) if one.parts else ""
    studies = ", ".join(f"`{name.split('/')[1]}`" for name in one.studies)
    named = f"[{one.name}]({page}#{one.anchor}), {one.shows}"
    return [named, one.state, one.why, one.sizes, took, studies]


def marked(page: str) -> list[str]:
    """Return the names of the exhibits that are marked on a page, in the order of the page."""
    return _MARK.findall(page)


def filled(page: str, paper: str) -> str:
    """Return the text of a paper's page with its exhibits inserted at their marks."""
    own = {one.name: one for one in exhibits() if one.paper == paper}
    page = _HEADING.sub(lambda match: f"## {match[1]}: {own[match[1]].shows} {{ #{own[match[1]].anchor} }}", page)
    return _MARK.sub(lambda mark: _block(own[mark[1]]), page)


def _block(one: Exhibit) -> str:
    """Return the text below the heading of an exhibit: its plots, then its claims, then folded tables."""
    parts = [f"![{one.name}: {one.shows}](plots/{name})" for name in drawings(one)]
    parts.append(_verdict(one))
    if one.listed:
        return "\n\n".join([*parts, f"The claims and figures are listed at {_link(one.listed)}."])
    if one.claims:
        titles = ["no.", "claim", "grade", "paper", "tulle", "why"]
        rows = [
            [str(at), quoted(claim), claim.grade, *figures(claim.counted), reason(claim)]
            for at, claim in enumerate(one.claims, 1)
        ]
        parts.append(_without_empty(titles, _once(rows, -1)))
    found = {contradictions.section_of(one.paper, claim.place) for claim in one.claims}
    tried = [f"[{title}](../contradictions.md#{name})" for name, title in _titles().items() if name in found]
    if tried:
        parts.append(f"Alternatives that were tried: {', '.join(tried)}.")
    if one.claims and one.elsewhere:
        parts.append(f"Further claims about this exhibit are listed at {_links(one.elsewhere)}.")
    several = [(at, claim) for at, claim in enumerate(one.claims, 1) if len(claim.counted) > 1 or claim.others]
    if several:
        parts.append(folded("The checks behind the claims", _checks(several)))
    if one.wishes:
        parts.append(folded("Requirements of tulle", _wishes(one.wishes)))
    if one.parts:
        parts.append(folded("All figures", "\n\n".join(_figures(part, len(one.parts) > 1) for part in one.parts)))
    return "\n\n".join(parts)


def _titles() -> dict[str, str]:
    return {given["name"]: given["title"] for given in contradictions.sections()}


def _link(name: str) -> str:
    return f"[{name}](#{name.lower().replace('. ', '-').replace(' ', '-')})"


def _links(names: Sequence[str]) -> str:
    return ", ".join(map(_link, names))


def _verdict(one: Exhibit) -> str:
    if not one.parts:
        return fill(f"**Cannot be reproduced**: {one.because or 'no study yet'}.", _WIDTH)
    took = seconds(one.processor_seconds[0], all_known=one.processor_seconds[1])
    state = f"Claims: {one.state}" if one.claims else f"Claims: judged at {_links(one.elsewhere)}"
    if one.because:
        state = f"{one.state.capitalize()}: {one.because}"
    text = f"**{state}.** Size {one.sizes}, run on {one.date}, processor seconds: {took}."
    commands = [
        f"    tulle run studies/{part.name}.toml{' --size paper' if part.size == 'paper' else ''}" for part in one.parts
    ]
    return fill(text, _WIDTH) + "\n\n" + "\n".join(commands)


def _checks(claims: Sequence[tuple[int, Graded]]) -> str:
    """Return a table of the checks of each claim: first the checks that count for its grade, then the others."""
    rows = []
    for at, claim in claims:
        for is_counted, checks in ((True, claim.counted), (False, claim.others)):
            for check in checks:
                holds = ("holds" if check.holds else "does not hold") if is_counted else "does not count"
                why = "" if check.holds else check.why
                rows.append([str(at), check.where, check.title, wanted(check), ours(check), holds, why])
    return _without_empty(["no.", "where", "figure", "paper", "tulle", "result", "why"], _once(rows, 0, -1))


def _wishes(checks: Sequence[Check]) -> str:
    rows = [
        [
            section(check.source),
            check.where,
            f"{check.title} {ours(check)} ({'' if check.holds else 'not '}{wanted(check)})",
        ]
        for check in checks
    ]
    return table(["requirement of tulle", "where", "tulle (wanted)"], _once(rows, 0))


def _without_empty(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table without the columns in which all cells are empty."""
    shown = [at for at in range(len(titles)) if any(row[at] for row in rows)]
    return table([titles[at] for at in shown], [[row[at] for at in shown] for row in rows])


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
