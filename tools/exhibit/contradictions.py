"""Write docs/results/contradictions.md: claims that tulle contradicts, each with the alternatives that were tried.

contradictions.toml has the texts. Every figure is read from the stored results of a study, and `problems` finds numbers
in the answers that the section's figures do not have.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from functools import cache
from textwrap import fill
from typing import TYPE_CHECKING, Any

from exhibit.claims import figures as claim_figures
from exhibit.exhibits import ROOT, claims, content, folder
from exhibit.words import spread, table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tulle.study.claims.checks import Kept
    from tulle.study.claims.grading import Graded
    from tulle.study.report.baseline import BaselineCase

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_FILE = ROOT / "tools/contradictions.toml"
_WIDTH = 138
_KEYS = {"paper", "title", "name", "claims", "setup", "answer", "unknown", "columns", "tried"}
_COLUMN = {"figure", "title", "ratio"}
_TRIED = {"what", "study", "case", "point", "over", "over_study", "over_point"}
# A number in an answer, and its percent sign if it has one. A number that is part of a name, such as 2DNN or N50, is
# not a figure.
_NUMBER = re.compile(r"(?<![\w.])(\d+(?:,\d{3})*(?:\.\d+)?)(%?)(?!\w)")


@dataclass(frozen=True)
class Row:
    """A row of the table of alternatives: its cells, and the values that they show."""

    what: str
    where: str
    cells: tuple[str, ...]
    values: tuple[float, ...]


def page() -> str:
    """Return the generated part of docs/results/contradictions.md.

    Raises
    ------
    ValueError
        If contradictions.toml names an unknown key, claim, study, case or figure.
    """
    return "\n\n".join(_section(given) for given in sections())


@cache
def sections() -> tuple[dict[str, Any], ...]:
    """Return the sections of contradictions.toml."""
    found = tomllib.loads(_FILE.read_text(encoding="utf-8"))["section"]
    for given in found:
        _legal(given, _KEYS, given.get("title", "a section"))
        for column in given["columns"]:
            _legal(column, _COLUMN, given["title"])
        for row in given["tried"]:
            _legal(row, _TRIED, given["title"])
    return tuple(found)


def problems(of: tuple[dict[str, Any], ...] | None = None) -> Iterator[str]:
    """Yield the numbers of answers that neither the section's figures nor its quotes, names or set-up contain."""
    for given in sections() if of is None else of:
        found = rows(given)
        quotes = [text for claim in _claims(given) for text in (claim.claim.quote, *claim_figures(claim.counted))]
        named = " ".join([given["setup"], given["title"], *quotes, *(f"{row.what} {row.where}" for row in found)])
        written = {match[1] for match in _NUMBER.finditer(named)}
        values = [value for row in found for value in row.values]
        values += [check.ours for claim in _claims(given) for check in claim.counted if check.ours is not None]
        for part in ("answer", "unknown"):
            for match in _NUMBER.finditer(given[part]):
                if match[1] not in written and not any(_shows(match, value) for value in values):
                    yield f"tools/contradictions.toml: '{given['title']}': {match[0]} is not a figure of the section"


def section_of(paper: str, place: str) -> str:
    """Return the anchor of the section about a claim, or an empty string."""
    found = (given["name"] for given in sections() if given["paper"] == paper and place in given["claims"])
    return str(next(found, ""))


def rows(given: dict[str, Any]) -> list[Row]:
    """Return the alternatives of a section with their values."""
    return [_row(given, tried) for tried in given["tried"]]


def _shows(match: re.Match[str], value: float) -> bool:
    """Return whether a number in a text is the rounded value; a percentage can also be the difference to 100%."""
    text = match[1].replace(",", "")
    digits = len(text.partition(".")[2])
    shown = [100 * value, 100 * abs(value - 1)] if match[2] else [value]
    return any(abs(float(text) - one) <= 0.5 * 10**-digits * (1 + 1e-9) for one in shown)


def _section(given: dict[str, Any]) -> str:
    papers = content()["papers"]
    quoted = []
    for claim in _claims(given):
        theirs, ours = claim_figures(claim.counted)
        place = f" ({claim.claim.section})" if claim.claim.section != claim.claim.quote else ""
        text = f"> “{claim.claim.quote}”{place}"
        quoted.append(f"{text}\n>\n> paper: {theirs}; tulle: {ours}; **{claim.grade}**")
    paper = f"[{papers[given['paper']]}](reproduction/{given['paper']}.md)"
    titles = ["alternative", *(column["title"] for column in given["columns"]), "study, case"]
    body = [[row.what, *row.cells, row.where] for row in rows(given)]
    return "\n\n".join(
        [
            f"## {given['title']} {{ #{given['name']} }}",
            _filled(f"{paper}. {given['setup']}"),
            "\n\n".join(quoted),
            _filled(f"**Answer.** {given['answer']}"),
            table(titles, body),
            _filled(f"**Unknown.** {given['unknown']}"),
        ]
    )


def _filled(text: str) -> str:
    return fill(text, _WIDTH, break_long_words=False, break_on_hyphens=False)


def _claims(given: dict[str, Any]) -> list[Graded]:
    found = {claim.place: claim for claim, _ in claims(given["paper"])}
    missing = [name for name in given["claims"] if name not in found]
    if missing:
        raise ValueError(f"tools/contradictions.toml: no claim '{missing[0]}' of {given['paper']}")
    return [found[name] for name in given["claims"]]


def _row(given: dict[str, Any], tried: dict[str, Any]) -> Row:
    point = tried.get("point", {})
    case = _case(given, tried["study"], tried["case"], point)
    below = tried.get("over_study", tried["study"])
    over = _case(given, below, tried["over"], tried.get("over_point", point)) if "over" in tried else None
    cells, values = [], []
    for column in given["columns"]:
        key = column["figure"]
        mean, half = case.figures.get(key, (None, None))
        if column.get("ratio"):
            base = None if over is None else over.figures.get(key, (None, None))[0]
            ratio = mean / base if mean is not None and base else None
            cells.append("" if ratio is None else f"{ratio:.2f}")
            values += [] if ratio is None else [ratio]
        else:
            cells.append(spread(mean, half) if mean is not None else "none" if key in case.figures else "")
            values += [one for one in (mean, half) if one is not None]
    if not any(cells):
        raise ValueError(f"tools/contradictions.toml: '{given['title']}': no figure of '{tried['what']}' is stored")
    return Row(tried["what"], _where(given["paper"], tried), tuple(cells), tuple(values))


def _where(paper: str, tried: dict[str, Any]) -> str:
    point = "".join(f", {name}={value}" for name, value in tried.get("point", {}).items())
    study = f" of `{paper}/{tried['over_study']}`" if "over_study" in tried else ""
    over = f", divided by “{tried['over']}”{study}" if "over" in tried else ""
    return f"`{paper}/{tried['study']}`, “{tried['case']}”{point}{over}"


def _case(given: dict[str, Any], study: str, name: str, point: dict[str, str]) -> BaselineCase:
    found = [case for case in _kept(given, study).results.results if case.case == name and case.point == point]
    if not found:
        at = "".join(f", {key}={value}" for key, value in point.items())
        raise ValueError(f"tools/contradictions.toml: no stored results of {given['paper']}/{study}, case '{name}'{at}")
    return found[0]


def _kept(given: dict[str, Any], study: str) -> Kept:
    found = folder(given["paper"]).kept(study)
    if found is None:
        raise ValueError(f"tools/contradictions.toml: {given['paper']}/{study} has no stored results")
    return found


def _legal(given: dict[str, Any], keys: set[str], where: str) -> None:
    unknown = set(given) - keys
    if unknown:
        raise ValueError(f"tools/contradictions.toml: {where}: unknown keys {sorted(unknown)}; legal: {sorted(keys)}")
