"""Write docs/results.md: the headline claims with their grades, all claims by exhibit, and errors of the papers."""

from __future__ import annotations

import re
import sys
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, Any

from exhibit.claims import figures, reason
from exhibit.contradictions import section_of
from exhibit.exhibits import ROOT, claims, content, exhibits, tally
from exhibit.words import table
from tulle.study.claims.model import GRADES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from exhibit.exhibits import Exhibit
    from tulle.study.claims.grading import Graded

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_FILE = ROOT / "tools/headlines.toml"
# Maximum number of characters of a reason. The paper's page has the whole reason.
_LINE = 110
# Maximum number of different figures in a row. The paper's page has all figures.
_FIGURES = 2


@cache
def _content() -> dict[str, Any]:
    return tomllib.loads(_FILE.read_text(encoding="utf-8"))


def results() -> str:
    """Return the generated part of docs/results.md.

    Raises
    ------
    ValueError
        If headlines.toml names a claim that does not exist.
    """
    papers = content()["papers"]
    rows = [
        [f"[{title}](#{_anchor(title)})", *_by_grade([claim for claim, _ in claims(key)])]
        for key, title in papers.items()
    ]
    total = [claim for key in papers for claim, _ in claims(key)]
    parts = [table(["paper", "claims", *GRADES], [*rows, ["all", *_by_grade(total)]])]
    for key, title in papers.items():
        parts += [f"## {title}", *_paper(key)]
    return "\n\n".join(parts)


def headline_grades() -> list[Graded]:
    """Return the claims of all headlines."""
    return [_claim(given) for given in _content()["headline"]]


def _paper(key: str) -> list[str]:
    headlines = [given for given in _content()["headline"] if given["paper"] == key]
    graded = [_claim(given) for given in headlines]
    rows = [_headline(given, claim) for given, claim in zip(headlines, graded, strict=True)]
    own = [one for one in exhibits() if one.paper == key]
    slips = [given for given in _content().get("slip", []) if given["paper"] == key]
    page = f"results/reproduction/{key}.md"
    parts = [
        f"Of {len(graded)} headline claims, {tally(claim.grade for claim in graded)}.",
        table(["claim", "grade", "paper", "tulle", "why"], rows),
        f"Claims by exhibit ([details]({page})):",
        table(["exhibit", *GRADES], [_exhibit(one, page) for one in own if one.claims and not _agrees(one)]),
    ]
    # An exhibit without any difference needs no row, which keeps the section of a paper short.
    if agreeing := [f"{_link(one, page)} ({len(one.claims)}), {one.shows}" for one in own if _agrees(one)]:
        parts.append(f"All claims agree: {'; '.join(agreeing)}.")
    unjudged = [f"{one.name} ({one.because})" for one in own if one.because and not one.claims]
    if unjudged:
        parts.append(f"Not judged: {'; '.join(unjudged)}.")
    if slips:
        lines = "\n".join(f"* **{given['where']}**: {given['says']}" for given in slips)
        parts.append(f"What the paper gets wrong:\n\n{lines}")
    return parts


def _claim(given: dict[str, Any]) -> Graded:
    found = {claim.place: claim for claim, _ in claims(given["paper"])}
    if given["claim"] not in found:
        raise ValueError(f"{_FILE.relative_to(ROOT)}: no claim '{given['claim']}' of {given['paper']}")
    return found[given["claim"]]


def _headline(given: dict[str, Any], claim: Graded) -> list[str]:
    home = next(home for other, home in claims(given["paper"]) if other is claim)
    theirs, ours = figures(claim.counted, _FIGURES)
    anchor = re.sub(r"[^a-z0-9]+", "-", home.lower()).strip("-")
    said = f"[{given['says']}](results/reproduction/{given['paper']}.md#{anchor})"
    tried = section_of(given["paper"], claim.place)
    more = f" ([alternatives](results/contradictions.md#{tried}))" if tried else ""
    return [said, f"**{claim.grade}**", given.get("printed", theirs), ours, _cut(reason(claim)) + more]


def _cut(text: str) -> str:
    supposed = " *(supposed)*"
    plain = text.removesuffix(supposed)
    short = plain if len(plain) <= _LINE else re.sub(r"[\s,;:(]+\S*$", "", plain[:_LINE]) + " …"
    return short + (supposed if text.endswith(supposed) else "")


def _exhibit(one: Exhibit, page: str) -> list[str]:
    return [f"{_link(one, page)}, {one.shows}", *_by_grade(one.claims)[1:]]


def _link(one: Exhibit, page: str) -> str:
    return f"[{one.name}]({page}#{one.anchor})"


def _agrees(one: Exhibit) -> bool:
    return bool(one.claims) and all(claim.grade == "agrees" for claim in one.claims)


def _by_grade(of: Sequence[Graded]) -> list[str]:
    counted = Counter(claim.grade for claim in of)
    return [str(len(of)), *(str(counted[grade] or "") for grade in GRADES)]


def _anchor(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
