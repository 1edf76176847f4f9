"""Read the exhibits of exhibits.toml, each with the stored results of its studies."""

from __future__ import annotations

import re
import sys
from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from exhibit.claims import Claim, claims
from tulle.study import load
from tulle.study.report.baseline import BaselineSize, load_baseline

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tulle.study.engine.model import Size, StudyFile
    from tulle.study.report.baseline import BaselineCase

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[2]
State = Literal["agrees", "differs", "not reproducible", "missing"]
# Maximum number of characters of a reason in the table of all exhibits.
_SHORT = 90


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
    """A table or figure of a paper."""

    paper: str
    name: str
    shows: str
    because: str
    """The reason why no study exists."""
    short: str
    """The reason for a difference, as shown in the table of all exhibits."""
    listed: str
    """The name of another exhibit, below which the claims and values of this exhibit are listed."""
    studies: tuple[str, ...]
    parts: tuple[Part, ...]
    claims: tuple[Claim, ...]
    """Claims of the paper."""
    wishes: tuple[Claim, ...]
    """Requirements of this project, which are not claims of the paper."""
    plots: tuple[dict[str, Any], ...] = field(default=())

    @property
    def state(self) -> State:
        """Whether the exhibit's results agree with the paper."""
        if not self.claims:
            return "not reproducible" if self.because else "missing"
        return "agrees" if all(claim.agrees for claim in self.claims) else "differs"

    @property
    def why(self) -> str:
        """The reason why the results do not agree, in short form."""
        if self.state == "differs":
            return self.short or _cut(next(claim.why for claim in self.claims if not claim.agrees))
        return self.because if self.state == "not reproducible" else ""

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
    found = [claim for part in parts for claim in _claims(part.name) if chosen.search(_text(claim))]
    return Exhibit(
        paper=given["paper"],
        name=given["name"],
        shows=given["shows"],
        because=given.get("because", ""),
        short=given.get("why", ""),
        listed=given.get("listed", ""),
        studies=names,
        parts=parts,
        claims=tuple(claim for claim in found if claim.of_paper),
        wishes=tuple(claim for claim in found if not claim.of_paper),
        plots=tuple(given.get("plot", ())),
    )


def _text(claim: Claim) -> str:
    return f"{claim.where}; {claim.figure}; {claim.source}"


@cache
def _study(name: str) -> tuple[StudyFile, Size, BaselineSize] | None:
    study = load(ROOT / "studies" / f"{name}.toml")
    kept = load_baseline(study)
    if kept is None:
        return None
    if kept.paper is not None:
        return study, "paper", kept.paper
    return None if kept.small is None else (study.of_size("small"), "small", kept.small)


@cache
def _claims(name: str) -> tuple[Claim, ...]:
    found = _study(name)
    return () if found is None else tuple(claims(found[0], found[2]))


def _part(name: str, cases: str) -> Part | None:
    found = _study(name)
    if found is None:
        return None
    study, size, kept = found
    return Part(name, study, size, kept, tuple(case for case in kept.results if re.search(cases, case.case)))


def counts(of: Sequence[Exhibit]) -> str:
    """Return a sentence with the numbers of exhibits that agree, that differ, and so on."""
    states = Counter(one.state for one in of)
    return (
        f"Of {states.total()} tables and figures, {states['agrees']} agree in all judged claims, "
        f"{states['differs']} differ in some claims, {states['not reproducible']} cannot be reproduced, "
        f"and {states['missing']} have no study yet."
    )
