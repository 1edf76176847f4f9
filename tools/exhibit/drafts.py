"""Help to grade claims: add the claims that no claims file has yet, and print a claim with its checks."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from exhibit.claims import ours, quoted, wanted
from exhibit.exhibits import ROOT, content, folder
from tulle.study.claims.grading import Folder

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from tulle.study.claims.grading import Graded

_SUPPOSED = re.compile(r"reasoned|not explained|not measured|unexplained|suppos|probably|not known|unknown")
_HEAD = "# Claims of the paper, graded by checks of study results. docs/reference/study-file.md describes the keys.\n"


def add_claims() -> list[Path]:
    """Add the claims that no file declares; return the changed files."""
    changed: dict[Path, None] = {}
    for paper in content()["papers"]:
        folder = Folder(ROOT / "studies" / paper)
        for one in folder.graded():
            if not one.declared:
                place = folder.place(one.home)
                text = place.read_text(encoding="utf-8") if place.exists() else _HEAD
                place.write_text(f"{text}\n{_table(one)}", encoding="utf-8")
                changed[place] = None
    return [*changed]


def shown(places: Sequence[str]) -> Iterator[str]:
    """Yield the lines that describe claims: the grade, the paper's words, and the checks with their bounds.

    Parameters
    ----------
    places
        The beginnings of the claims' names, in the form ``PAPER/STUDY#CLAIM``.

    Raises
    ------
    ValueError
        If no claim begins with one of these texts.
    """
    for place in places:
        found = [
            one
            for paper in content()["papers"]
            if place.startswith(f"{paper}/")
            for one in folder(paper).graded()
            if f"{paper}/{one.place}".startswith(place)
        ]
        if not found:
            raise ValueError(
                f"no claim '{place}'; legal: the beginning of PAPER/STUDY#CLAIM, for example fatpaths/figure-2#latency"
            )
        for one in found:
            yield f"{one.place}: {one.grade} (from its checks: {one.computed})"
            yield f"  {quoted(one)}"
            for mark, checks in (("counts", one.counted), ("does not count", one.others)):
                for check in checks:
                    what = f"{check.study}; {check.where}; {check.figure}"
                    holds = "holds" if check.holds else "does not hold"
                    yield f"  {mark}: {what}: {ours(check)}, wanted {wanted(check)}: {holds}"


def _table(one: Graded) -> str:
    """Return a claim as TOML."""
    claim, lines = one.claim, ["[[claim]]"]
    given: dict[str, object] = {
        "name": claim.name,
        "section": claim.section.partition(", of Fig")[0],
        "quote": claim.quote,
        "reading": claim.reading,
        "studies": [] if claim.studies == [one.home] else claim.studies,
        "grade": one.computed,
    }
    if one.computed == "cannot say":
        given["needed"] = "a check at the paper's size, of the paper's own scheme"
    elif one.computed != "agrees":
        given["why"] = claim.why
        given["basis"] = "supposed" if _SUPPOSED.search(claim.why) else "measured"
    lines += [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in given.items() if value]
    return "\n".join(lines) + "\n"
