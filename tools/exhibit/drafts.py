"""Write the claims that no claims file has yet into the claims files, with the grades that follow from their checks."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from exhibit.exhibits import ROOT, content
from tulle.study.claims.grading import Folder

if TYPE_CHECKING:
    from pathlib import Path

    from tulle.study.claims.grading import Graded

_SUPPOSED = re.compile(r"reasoned|not explained|not measured|unexplained|suppos|probably|not known|unknown")
_HEAD = "# Claims of the paper, judged by the checks of the studies. docs/reference/study-file.md describes the keys.\n"


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
