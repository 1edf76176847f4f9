"""Grade claims: compute the grade of each claim from its checks, and compare it with the declared grade."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from tulle.errors import StudyError
from tulle.study.claims.checks import Check, Kept, checks, largest, own_checks
from tulle.study.claims.model import Claim, Grade, claims_place, load_claims
from tulle.study.claims.sources import is_of_paper, split
from tulle.study.engine.model import load
from tulle.study.engine.shipped import CLAIMS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

# A claim about many cases agrees in direction if at least this fraction of its checks point in the claimed direction.
MOST = 0.75
# The parts of a study's name: text and the number after it.
_PARTS = re.compile(r"([^0-9]*)([0-9]*)")


@dataclass(frozen=True)
class Graded:
    """A claim with its checks."""

    claim: Claim
    home: str
    """The name of the study whose claims file declares the claim, or otherwise of the study of its first check."""
    declared: bool
    """Whether a claims file declares the claim. Otherwise the claim is made from the sources of checks."""
    counted: tuple[Check, ...]
    others: tuple[Check, ...] = field(repr=False)
    """Further checks of the same claim, for example at other sizes or with other schemes. They never affect the
    grade."""

    @cached_property
    def computed(self) -> Grade:
        """The grade that follows from the checks."""
        return grade(self.counted, self.claim)

    @property
    def grade(self) -> Grade:
        """The declared grade; for a claim that no file declares, the computed grade."""
        return self.claim.grade if self.declared else self.computed

    @property
    def place(self) -> str:
        """How headlines name the claim."""
        return f"{self.home}#{self.claim.name}"


def grade(counted: Sequence[Check], claim: Claim) -> Grade:
    """Return the grade that follows from the checks that count."""
    if not counted:
        return "cannot say"
    holding = [check.holds for check in counted]
    nearly = [check.holds_nearly(claim.near) for check in counted]
    if claim.needs == "one":
        return "agrees" if any(holding) else "agrees in direction" if any(nearly) else "contradicts"
    if all(holding):
        return "agrees"
    return "agrees in direction" if sum(nearly) >= MOST * len(nearly) else "contradicts"


def counted(claim: Claim, own: Sequence[Check], found: Sequence[Check]) -> list[Check]:
    """Return the checks that count: the claim's own, and those of references and comparisons.

    The claim's own checks always count. If `counts` is set, it selects checks of references and comparisons that also
    count. If a claim has neither `counts` nor own checks, the checks of the paper's schemes are used. Of these, a check
    counts if the paper prints its value, if it has the size ``paper``, or if its study has no check of this size.
    """
    if claim.counts is not None:
        chosen = re.compile(claim.counts)
        return [*own, *(check for check in found if chosen.search(check.text))]
    if own:
        return [*own]
    of_paper = [check for check in found if not check.is_own]
    with_large = {check.study for check in of_paper if check.is_large}
    return [check for check in of_paper if check.is_large or check.is_printed or check.study not in with_large]


def problems(graded: Graded, place: Path) -> Iterator[str]:
    """Yield the problems of a declared claim, one line each."""
    claim, computed = graded.claim, graded.computed
    where = f"{place}: claim '{claim.name}'"
    if claim.grade == "cannot say":
        return
    if claim.grade == "paper's slip":
        if graded.counted and computed == "agrees":
            yield f"{where}: graded as an error of the paper, but its checks agree"
        return
    if not graded.counted:
        yield f"{where}: no check counts; legal: a check, or the grade 'cannot say'"
    elif computed != claim.grade:
        failing = [check for check in graded.counted if not check.holds]
        told = (
            f"; first: {failing[0].where}: {failing[0].figure} is {failing[0].ours:g}"
            if failing and failing[0].ours is not None
            else ""
        )
        holding = len(graded.counted) - len(failing)
        yield (
            f"{where}: graded '{claim.grade}', but its checks give '{computed}' "
            f"({holding} of {len(graded.counted)} hold{told})"
        )


class Folder:
    """The studies of one folder, which belong to one paper, with their checks and claims."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._kept: dict[str, Kept | None] = {}
        self._checks: dict[str, list[Check]] = {}

    def kept(self, name: str) -> Kept | None:
        """Return a study at the largest size that has recorded results; None if it has none."""
        if name not in self._kept:
            self._kept[name] = largest(load(self.folder / f"{name}.toml"))
        return self._kept[name]

    def checks(self, name: str) -> list[Check]:
        """Return the checks of a study's references and comparisons."""
        if name not in self._checks:
            kept = self.kept(name)
            self._checks[name] = [] if kept is None else list(checks(kept))
        return self._checks[name]

    def homes(self) -> list[str]:
        """Return the names of the studies of all claims files."""
        return [path.name.removesuffix(CLAIMS) for path in sorted(self.folder.glob(f"*{CLAIMS}"))]

    def orphans(self) -> list[str]:
        """Return a line per claims file without its study."""
        every = self.studies()
        return [f"{self.place(home)}: no study {home}.toml is beside it" for home in self.homes() if home not in every]

    def studies(self) -> list[str]:
        """Return the names of the studies; numbers are in numeric order, so that figure-4 precedes figure-10."""
        names = (path.stem for path in self.folder.glob("*.toml") if not path.name.endswith(CLAIMS))
        return sorted(names, key=lambda name: [(text, int(part or 0)) for text, part in _PARTS.findall(name)])

    def place(self, home: str) -> Path:
        """Return the path of a claims file."""
        return claims_place(self.folder / f"{home}.toml")

    def graded(self, studies: Iterable[str] | None = None) -> list[Graded]:
        """Return the claims of the folder: the declared ones, then those that follow from checks without a claim.

        Parameters
        ----------
        studies
            Only claims with checks of these studies, without the files in `orphans`; None: all.

        Raises
        ------
        tulle.StudyError
            If a claims file is illegal or names a study, case or result that does not exist. If `studies` is None, also
            if a claims file has no study.
        """
        every = self.studies()
        wanted = every if studies is None else [*studies]
        found, taken = [], defaultdict(set)
        if studies is None and (orphans := self.orphans()):
            raise StudyError(orphans[0])
        for home in self.homes():
            # A claims file without its study must not fail the checks of other studies.
            for claim in load_claims(self.place(home)) if home in every else ():
                used = claim.studies or [home]
                unknown = [
                    name for name in [*used, *(each.study for each in claim.check if each.study)] if name not in every
                ]
                if unknown:
                    raise StudyError(
                        f"{self.place(home)}: claim '{claim.name}': unknown study '{unknown[0]}'; "
                        f"legal: {', '.join(every)}"
                    )
                if not {*used, home, *(each.study for each in claim.check)} & {*wanted}:
                    continue
                for name in used:
                    taken[name].update([claim.quote, *claim.sources])
                found.append(self._graded(claim, home, used))
        return _once(found) + list(self._undeclared(wanted, taken))

    def _graded(self, claim: Claim, home: str, used: Sequence[str]) -> Graded:
        words = {claim.quote, *claim.sources}
        there = [check for name in used for check in self.checks(name) if _words(check) & words]
        own: list[Check] = []
        for given in claim.check:
            kept = self.kept(given.study or home)
            if kept is None:
                where = f"{self.place(home)}: claim '{claim.name}'"
                raise StudyError(f"{where}: no recorded results of {given.study or home}")
            try:
                own += own_checks(kept, given, f'{claim.section}: "{claim.quote}"')
            except StudyError as error:
                raise StudyError(f"{self.place(home)}: claim '{claim.name}': {error}") from None
        counting = counted(claim, own, there)
        rest = tuple(check for check in there if check not in counting)
        return Graded(claim, home, declared=True, counted=tuple(counting), others=rest)

    def _undeclared(self, studies: Sequence[str], taken: dict[str, set[str]]) -> Iterator[Graded]:
        grouped: dict[str, list[Check]] = {}
        for name in studies:
            for check in self.checks(name):
                if is_of_paper(check.source) and not _words(check) & taken[name]:
                    grouped.setdefault(split(check.source).quote, []).append(check)
        names: set[str] = set()
        for quote, of in grouped.items():
            first = split(of[0].source)
            name = _name(quote, names)
            names.add(name)
            draft = Claim(
                name=name,
                quote=quote,
                section=first.section,
                reading=first.reading,
                studies=list(dict.fromkeys(check.study for check in of)),
                grade="agrees",
            )
            counting = counted(draft, [], of)
            failing = [check.why for check in [*counting, *of] if not check.holds and check.why]
            found = grade(counting, draft)
            draft = draft.model_copy(update={"grade": found, "why": "" if found == "agrees" else [*failing, ""][0]})
            rest = tuple(check for check in of if check not in counting)
            yield Graded(draft, of[0].study, declared=False, counted=tuple(counting), others=rest)


def _once(found: Sequence[Graded]) -> list[Graded]:
    """Show each check once: in the claim for which it counts, otherwise in the first claim that lists it."""
    taken = {id(check) for one in found for check in one.counted}
    shown = []
    for one in found:
        others = tuple(check for check in one.others if id(check) not in taken)
        taken.update(map(id, others))
        shown.append(replace(one, others=others))
    return shown


def _words(check: Check) -> set[str]:
    return {check.source, split(check.source).quote}


def _name(quote: str, taken: set[str]) -> str:
    """Return a short name for a claim from its first words."""
    words = re.sub(r"[^a-z0-9]+", "-", quote.lower()).strip("-")
    short = words if len(words) <= 48 else words[:48].rpartition("-")[0]
    base = short or "claim"
    name, number = base, 1
    while name in taken:
        number += 1
        name = f"{base}-{number}"
    return name


@dataclass(frozen=True)
class CheckedClaims:
    """The result of checking the claims about one study."""

    checked: int
    """The number of declared claims that use the study's checks."""
    problems: list[str]
    """The problems of these claims, one line each."""
    notes: list[str]
    """Claims files that were not read, one line each."""


def check_claims(study: Path) -> CheckedClaims:
    """Check the grades of the declared claims that use a study's checks."""
    folder = Folder(study.parent)
    notes = [f"{line}; its claims are not checked" for line in folder.orphans()]
    try:
        found = [one for one in folder.graded([study.stem]) if one.declared]
    except StudyError as error:
        return CheckedClaims(0, [str(error)], notes)
    return CheckedClaims(len(found), [line for one in found for line in problems(one, folder.place(one.home))], notes)
