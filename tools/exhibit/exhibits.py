"""Read the exhibits of exhibits.toml, each with the stored results of its studies."""

from __future__ import annotations

import re
import sys
from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tulle.study.claims.grading import Folder
from tulle.study.claims.sources import is_of_paper, section

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tulle.study.claims.checks import Check
    from tulle.study.claims.grading import Graded
    from tulle.study.claims.model import Grade
    from tulle.study.engine.model import Size, StudyFile
    from tulle.study.report.baseline import BaselineCase, BaselineSize

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[2]
_COUNT = {1: "one", 2: "two", 3: "three", 4: "four", 5: "five"}
# Maximum number of characters of a reason in the table of all exhibits.
_SHORT = 90
# Words for the grades after a number of claims.
GRADED: dict[Grade, str] = {
    "agrees": "agree",
    "agrees in direction": "agree in direction",
    "contradicts": "contradict",
    "paper's slip": "are the paper's slips",
    "cannot say": "cannot be judged",
}


@dataclass(frozen=True)
class Part:
    """A study of an exhibit, at the largest size with stored results."""

    name: str
    study: StudyFile
    size: Size
    kept: BaselineSize
    cases: tuple[BaselineCase, ...]
    """The cases that belong to the exhibit."""


@dataclass(frozen=True)
class Exhibit:
    """A table, figure or section of a paper."""

    paper: str
    name: str
    shows: str
    because: str
    """The reason why no study is compared with the exhibit; a study may measure it. It is empty if one is compared."""
    short: str
    """The reason for a difference, as shown in the table of all exhibits."""
    listed: str
    """The name of another exhibit, below which the claims and values of this exhibit are listed."""
    studies: tuple[str, ...]
    parts: tuple[Part, ...]
    checks: tuple[Check, ...]
    """The checks of the paper's claims that belong to the exhibit."""
    wishes: tuple[Check, ...]
    """Requirements of this project, which are not claims of the paper."""
    plots: tuple[dict[str, Any], ...] = field(default=())

    @property
    def claims(self) -> tuple[Graded, ...]:
        """The claims that are listed below the exhibit; each claim of a paper is listed once."""
        return tuple(claim for claim, home in claims(self.paper) if home == self.name)

    @property
    def elsewhere(self) -> tuple[str, ...]:
        """The exhibits, other than this one, whose lists have claims about this one."""
        own = {id(check) for check in self.checks}
        found = [home for claim, home in claims(self.paper) if own & {id(check) for check in claim.counted}]
        return tuple(dict.fromkeys(home for home in found if home != self.name))

    @property
    def state(self) -> str:
        """The number of claims of each grade, in words."""
        if self.claims:
            return tally(claim.grade for claim in self.claims)
        if self.elsewhere:
            return f"judged at {', '.join(self.elsewhere)}"
        if not self.because:
            return "missing"
        return "measured, nothing to compare with" if self.parts else "cannot be reproduced"

    @property
    def why(self) -> str:
        """The reason why not all results agree, in short form."""
        differing = [claim for claim in self.claims if claim.grade not in ("agrees", "paper's slip")]
        if differing:
            return self.short or _cut(next((claim.claim.why for claim in differing if claim.claim.why), ""))
        return self.because if not self.claims else ""

    @property
    def anchor(self) -> str:
        """The anchor of the exhibit's heading."""
        return re.sub(r"[^a-z0-9]+", "-", self.name.lower()).strip("-")

    @property
    def sizes(self) -> str:
        """The sizes that have stored results."""
        return ", ".join(dict.fromkeys(part.size for part in self.parts))

    @property
    def date(self) -> str:
        """The day of the last run."""
        return max((case.date for part in self.parts for case in part.cases), default="")

    @property
    def processor_seconds(self) -> tuple[float, bool]:
        """The sum of the known processor seconds of the cases, and whether they are known for all cases."""
        found = [case.processor_seconds for part in self.parts for case in part.cases]
        return sum(one for one in found if one is not None), None not in found


def _cut(why: str) -> str:
    """Shorten a long reason."""
    if len(why) <= _SHORT:
        return why
    return re.sub(r"[\s,;:(]+\S*$", "", why[:_SHORT]) + " …"


@cache
def content() -> dict[str, Any]:
    """Return the content of exhibits.toml."""
    return tomllib.loads((ROOT / "tools/exhibits.toml").read_text(encoding="utf-8"))


@cache
def exhibits() -> tuple[Exhibit, ...]:
    """Return all exhibits, in the order of the file."""
    return tuple(_exhibit(given) for given in content()["exhibit"])


def _exhibit(given: dict[str, Any]) -> Exhibit:
    names = tuple(given.get("studies", ()))
    parts = tuple(part for name in names if (part := _part(name, given.get("cases", ""))) is not None)
    chosen = re.compile(given.get("claims", ""))
    found = [check for part in parts for check in _checks(part.name) if chosen.search(_text(check))]
    return Exhibit(
        paper=given["paper"],
        name=given["name"],
        shows=given["shows"],
        because=given.get("because", ""),
        short=given.get("why", ""),
        listed=given.get("listed", ""),
        studies=names,
        parts=parts,
        checks=tuple(check for check in found if is_of_paper(check.source)),
        wishes=tuple(check for check in found if not is_of_paper(check.source)),
        plots=tuple(given.get("plot", ())),
    )


def _text(check: Check) -> str:
    return f"{check.where}; {check.title}; {section(check.source)}"


@cache
def folder(paper: str) -> Folder:
    """Return the studies of a paper."""
    return Folder(ROOT / "studies" / paper)


@cache
def claims(paper: str) -> tuple[tuple[Graded, str], ...]:
    """Return the claims of a paper, each with the name of the exhibit that lists it.

    This is the first exhibit with a check that counts for the claim. Without such an exhibit, it is the first with
    another check of the claim, and otherwise the first with the claim's study. The name is empty if no exhibit has the
    study.
    """
    own = [(given, _ids(given)) for given in content()["exhibit"] if given["paper"] == paper and "listed" not in given]

    def home(claim: Graded) -> str:
        for checks in (claim.counted, claim.others):
            ids = {id(check) for check in checks}
            for given, of in own:
                if ids & of:
                    return str(given["name"])
        name = f"{paper}/{claim.home}"
        return next((str(given["name"]) for given, _ in own if name in given.get("studies", ())), "")

    return tuple((claim, home(claim)) for claim in folder(paper).graded())


def _ids(given: dict[str, Any]) -> set[int]:
    """Return the identities of the checks that belong to an exhibit. Checks are collected once per study."""
    chosen = re.compile(given.get("claims", ""))
    return {id(check) for name in given.get("studies", ()) for check in _checks(name) if chosen.search(_text(check))}


def _checks(name: str) -> list[Check]:
    paper, _, study = name.partition("/")
    return folder(paper).checks(study)


def _part(name: str, cases: str) -> Part | None:
    paper, _, study = name.partition("/")
    found = folder(paper).kept(study)
    if found is None:
        return None
    chosen = tuple(case for case in found.results.results if re.search(cases, case.case))
    return Part(name, found.study, found.size, found.results, chosen)


def tally(grades: Iterable[Grade]) -> str:
    """Return the number of claims of each grade in words, for example ``3 agree, 1 contradicts``."""
    counted = Counter(grades)
    singular = {
        "agree": "agrees",
        "agree in direction": "agrees in direction",
        "contradict": "contradicts",
        "are the paper's slips": "is the paper's slip",
    }
    shown = [(counted[grade], words) for grade, words in GRADED.items() if counted[grade]]
    return ", ".join(f"{count} {singular.get(words, words) if count == 1 else words}" for count, words in shown)


def counts(of: Sequence[Exhibit]) -> str:
    """Return a sentence with the number of claims of each grade, over all papers."""
    papers = dict.fromkeys(one.paper for one in of)
    grades = [claim.grade for paper in papers for claim, _ in claims(paper)]
    without = sum(not one.parts for one in of)
    return (
        f"Of {len(grades)} claims of the {_COUNT[len(papers)]} papers, {tally(grades)}. "
        f"Of {len(of)} tables, figures and sections with numbers, {without} cannot be reproduced."
    )
