"""Describe checks and graded claims in words: what the paper says, tulle's figures, and the reason for a difference."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from exhibit.words import number, spread
from tulle.study.engine.plan import points
from tulle.study.report.baseline import point_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tulle.study.claims.checks import Check
    from tulle.study.claims.grading import Graded
    from tulle.study.engine.model import Reference, StudyFile
    from tulle.study.report.baseline import BaselineCase

# A cell of a table lists at most this many metrics of a claim, and at most this many expected values of a metric. If
# there are more, it has their number or range.
_LISTED = 3


def reference(study: StudyFile, case: BaselineCase) -> Reference | None:
    """Return the paper's values for a recorded case; None if the study has none."""
    return study.reference_at(case.case, next(point for point in points(study) if point_words(point) == case.point))


def wanted(check: Check) -> str:
    """Format the expected value: the paper's value with its tolerance, or bounds of the value or ratio."""
    if check.tolerance is not None:
        return f"{number(check.paper)} ± {number(check.tolerance)}" if check.tolerance else number(check.paper)
    low, high = check.least, check.most
    bounds = [f"≥ {number(low)}"] if low is not None else []
    bounds += [f"≤ {number(high)}"] if high is not None else []
    if low is not None and high is not None:
        bounds = [f"{number(low)} to {number(high)}"]
    return ", ".join(bounds + (["intervals apart"] if check.apart else []))


def ours(check: Check) -> str:
    """Format tulle's value or ratio."""
    return spread(check.ours, check.half95) + (" times" if check.over else "")


def figures(of: Sequence[Check], most: int = _LISTED) -> tuple[str, str]:
    """Return the paper's and tulle's figures of the checks of one claim, in a few words each.

    With more than ``most`` different figures, the texts have the number of checks and the range of all ratios.
    """
    groups: dict[tuple[str, bool], list[Check]] = defaultdict(list)
    for check in of:
        groups[check.title, bool(check.over)].append(check)
    if not of:
        return "", ""
    if len(groups) > most:
        ratios = f"{_range(of)}, " if all(check.over for check in of) else ""
        return f"{len(of)} checks", ratios + _holding(of)
    theirs, found = [], []
    before = ""
    for (title, is_ratio), checks in groups.items():
        # If a figure's ratios follow its values, its name stands once.
        again = is_ratio and title == before
        name = "" if (is_ratio and len(groups) == 1) or again else f"{title}: "
        before = title
        theirs.append(name + _all_wanted(checks) + (" times" if again else ""))
        several = f", {_holding(checks)}" if len(checks) > 1 else ""
        found.append(name + _range(checks) + several)
    return "; ".join(theirs), "; ".join(found)


def _all_wanted(checks: Sequence[Check]) -> str:
    """Format the expected values of several checks: each one, or how many there are and their range."""
    each = list(dict.fromkeys(wanted(check) for check in checks))
    if len(each) <= _LISTED:
        return " or ".join(each)
    values = sorted(check.paper for check in checks if check.tolerance is not None and check.paper is not None)
    if len(values) < len(checks):
        return f"{len(each)} bounds"
    return f"{len(each)} values, {number(values[0])} to {number(values[-1])}"


def _holding(checks: Sequence[Check]) -> str:
    return f"{sum(check.holds for check in checks)} of {len(checks)} hold"


def _range(checks: Sequence[Check]) -> str:
    if len(checks) == 1:
        return ours(checks[0])
    values = sorted(check.ours for check in checks if check.ours is not None)
    if not values:
        return "no value"
    low, high = number(values[0]), number(values[-1])
    return (low if low == high else f"{low} to {high}") + (" times" if checks[0].over else "")


def quoted(one: Graded) -> str:
    """Return the claim in the paper's words, with its section and its interpretation (reading)."""
    claim = one.claim
    reading = f"; read as: {claim.reading}" if claim.reading else ""
    if claim.quote == claim.section:
        return f"{claim.quote}{reading}"
    return f"“{claim.quote}” ({claim.section}{reading})" if claim.section else f"“{claim.quote}”{reading}"


def reason(one: Graded) -> str:
    """Return the reason for a grade in words: why, and whether that was measured; the proof; or what is needed."""
    claim = one.claim
    if one.grade == "paper's slip":
        return claim.proof
    if one.grade == "cannot say":
        return f"needed: {claim.needed}"
    return f"{claim.why} *(supposed)*" if claim.why and claim.basis == "supposed" else claim.why
