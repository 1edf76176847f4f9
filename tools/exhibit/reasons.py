"""Compare numbers of reasons with the stored results that the reasons explain.

A reason is the `why` of a claim, reference or comparison. `problems` compares three kinds of numbers:

* the numbers with which a reason begins, for example "1.20 and 1.36 times: …" or "0.62 over 0.87: …". Each must be a
  value of the reason's checks, or a stored figure of their cases;
* multiples and percentages in a clause with the word "(tulle)", for example "2.6 times with a choice per packet
  (tulle)". Each must be the value of a check of the same claim;
* counts of checks in the reason of a claim, for example "11 of 16 checks hold".

Other numbers are not compared: they often come from other cases and studies, and most wrong numbers are close to the
ratio of some two stored figures. A reason with the words "not stored" is not compared either.
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache
from typing import TYPE_CHECKING

from exhibit.exhibits import ROOT, folder
from exhibit.words import in_words
from tulle.study.claims.sources import split

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tulle.study.claims.checks import Check
    from tulle.study.claims.grading import Graded

_NUMBER = r"\d+(?:,\d{3})*(?:\.\d+)?"
_SPREAD = rf"{_NUMBER}(?: ± {_NUMBER})?"
# The numbers with which a reason begins, and what follows them.
_FIRST = re.compile(
    rf"(?:equal(?: within)?[:,]? )?({_SPREAD}(?:(?: to | and ){_SPREAD})*)"
    r"(\s?%| times\b| in\b| over\b| with\b|[:,;]|$)"
)
# A multiple or percentage, in a clause.
_FACTOR = re.compile(rf"(?<![\w.,])({_NUMBER})(?=(?: ± {_NUMBER})?(?:,?(?: and| to)? {_NUMBER})*( times\b|\s?%))")
_CLAUSE = re.compile(r"[;:]\s")
_OWN = "(tulle)"
_COUNT = re.compile(r"(\d+) of (\d+) checks? holds?( or agree in direction)?")
_UNSTORED = "not stored"


def problems(paper: str) -> Iterator[str]:
    """Yield the numbers of a paper's reasons that contradict the stored results, one line each."""
    studies = folder(paper)
    for one in studies.graded():
        if one.declared:
            where = f"{studies.place(one.home).relative_to(ROOT)}: claim '{one.claim.name}'"
            yield from (f"{where}: {problem}" for problem in _of_claim(paper, one))
    for name in studies.studies():
        yield from (f"studies/{paper}/{name}.toml: {problem}" for problem in _of_study(paper, studies.checks(name)))


def _of_claim(paper: str, one: Graded) -> Iterator[str]:
    checks = [*one.counted, *one.others]
    yield from miscounted(one.claim.why, one.counted, one.claim.near)
    yield from _unlike(one.claim.why, unlike_numbers(one.claim.why, [*_values(paper, checks)]))
    yield from _unlike(one.claim.why, unlike_own(one.claim.why, checks))


def _of_study(paper: str, found: Sequence[Check]) -> Iterator[str]:
    by_reason: dict[str, list[Check]] = defaultdict(list)
    for check in found:
        by_reason[check.why].append(check)
    for why, checks in by_reason.items():
        quotes = {split(check.source).quote for check in checks}
        yield from _unlike(why, unlike_numbers(why, [*_values(paper, checks)]))
        yield from _unlike(why, unlike_own(why, [check for check in found if split(check.source).quote in quotes]))


def miscounted(why: str, checks: Sequence[Check], near: float) -> Iterator[str]:
    """Yield the counts of checks in a reason that differ from the checks that count for the claim."""
    for found in _COUNT.finditer(why):
        holds = sum(check.holds_nearly(near) if found[3] else check.holds for check in checks)
        if (int(found[1]), int(found[2])) != (holds, len(checks)):
            yield f"'{found[0]}', but it is {holds} of {len(checks)}"


def _unlike(why: str, numbers: Sequence[str]) -> Iterator[str]:
    if numbers:
        yield f"'{why}': no check or case of the reason has the value {' or '.join(numbers)}"


def unlike_numbers(why: str, values: Sequence[float]) -> list[str]:
    """Return the numbers at the beginning of a reason that equal none of the values.

    A number with one significant digit is not compared. A percentage may also be the difference of a ratio to 1.
    """
    found = _FIRST.match(why)
    if found is None or _UNSTORED in why:
        return []
    of_hundred = found[2].strip() == "%"
    return [one for one in re.findall(_NUMBER, found[1]) if _misses(one, values, of_hundred=of_hundred)]


def unlike_own(why: str, checks: Sequence[Check]) -> list[str]:
    """Return the multiples and percentages in clauses about tulle's scheme that equal no value of the checks."""
    values = [one for check in checks for one in (check.ours, check.half95) if one is not None]
    clauses = [] if _UNSTORED in why else [one for one in _CLAUSE.split(why) if _OWN in one]
    found = [one for clause in clauses for one in _FACTOR.finditer(clause)]
    return [one[1] for one in found if _misses(one[1], values, of_hundred=one[2].strip() == "%")]


def _misses(number: str, values: Sequence[float], *, of_hundred: bool) -> bool:
    """Return whether a number has two or more significant digits and equals none of the values."""
    digits = re.sub(r"[,.]", "", number).lstrip("0")
    return len(digits) > 1 and not any(_shows(number, value, of_hundred=of_hundred) for value in values)


def _shows(number: str, value: float, *, of_hundred: bool) -> bool:
    """Return whether a number is the rounded value or its reciprocal. A percentage may also be a difference to 1."""
    text = number.replace(",", "")
    forms = [value, 1 / value] if value else [value]
    if of_hundred:
        forms += [100 * value, *(100 * abs(one - 1) for one in forms)]
    unit = 10 ** -len(text.partition(".")[2])
    return any(abs(float(text) - one) <= 0.5 * unit * (1 + 1e-6) for one in forms)


def _values(paper: str, checks: Sequence[Check]) -> Iterator[float]:
    """Yield the values of checks, and the stored figures of their cases."""
    for check in checks:
        yield from (one for one in (check.ours, check.half95, check.paper) if one is not None)
        for case in (check.case, check.over):
            figures = _stored(paper, check.study).get((case, check.point), {})
            yield from (one for one in figures.get(check.figure, ()) if one is not None)


@cache
def _stored(paper: str, study: str) -> dict[tuple[str, str], dict[str, tuple[float | None, float | None]]]:
    """Return the stored figures of a study by case and by grid point in words."""
    kept = folder(paper).kept(study)
    if kept is None:
        return {}
    return {(one.case, in_words(one.point, kept.study.words)): one.figures for one in kept.results.results}
