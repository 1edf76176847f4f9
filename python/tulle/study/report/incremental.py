"""Find the runs of a study that have no recorded results yet, and combine new results with recorded results.

A study at a paper's size takes hours. So if a case is added or a claim changes, the other runs are not repeated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle.study.engine.model import holds_at
from tulle.study.report.baseline import BaselineComparison, BaselineSize, digests, place_of, rounded_for_baseline
from tulle.study.report.verdict import Spread, judge, judge_ratio

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tulle.study.engine.model import Comparison, Reference
    from tulle.study.engine.plan import Plan
    from tulle.study.report.baseline import At, BaselineCase

_Pairs = dict[tuple[str, str, str], BaselineComparison]
"""The key of a recorded ratio: the digests of both cases, and the name of the result."""


def missing_cases(plan: Plan, kept: BaselineSize | None) -> Plan:
    """Return the cases of a plan that must run: their runs changed, or a recorded metric that they need is missing.

    The returned plan may have no runs.
    """
    if kept is None:
        return plan
    pairs, references = _pairs(kept), _references(plan)
    there = {at: case for at, case in _of(plan, kept).items() if _wanted(plan, references[at]) <= set(case.figures)}
    seeds: dict[At, list[int]] = {}
    for run in plan.runs:
        seeds.setdefault(place_of(run.case, run.point), []).append(run.seed)
    compared = [(given, at, over, key) for given, at, over in _compared(plan) for key in given.figures]

    def has_ratio(given: Comparison, at: At, over: At, key: str) -> bool:
        """Whether the ratio can be computed from recorded results."""
        known = all(key in there[one].figures for one in (at, over) if one in there)
        if at in there and over in there and (there[at].digest, there[over].digest, key) in pairs:
            return known or key not in given.apart
        # A ratio uses only seeds that both cases have, so it cannot be computed from means over different seeds.
        return known and (seeds[at] == seeds[over] or not set(seeds[at]) & set(seeds[over]))

    # If a case runs again, the cases that it is compared with may have to run again, too.
    while lacking := {one for pair in compared if not has_ratio(*pair) for one in pair[1:3] if one in there}:
        there = {at: case for at, case in there.items() if at not in lacking}
    return plan.only(lambda run: place_of(run.case, run.point) not in there)


def merged(plan: Plan, found: BaselineSize, before: BaselineSize | None) -> BaselineSize:
    """Return the results of a whole plan, from new runs and recorded results, with new verdicts.

    A new ratio of two recorded means has no interval, because the interval needs the values of each seed.
    """
    if before is None:
        return found
    now, there = {case.at: case for case in found.results}, _of(plan, before)
    results = {at: now[at] if at in now else _judged(at, given, there[at]) for at, given in _references(plan).items()}
    # Several comparisons can have the same two cases and the same result. New and recorded comparisons are then matched
    # by their order in the study.
    compared, pairs = iter(found.comparisons), _pairs(before)
    comparisons = [
        next(compared) if at in now and over in now else _compare(given, key, results[at], results[over], pairs)
        for given, at, over in _compared(plan)
        for key in given.figures
    ]
    return BaselineSize(tulle=found.tulle, results=tuple(results.values()), comparisons=tuple(comparisons))


def _of(plan: Plan, kept: BaselineSize) -> dict[At, BaselineCase]:
    """Return the recorded results of a plan's cases. Runs are compared, not names, so a renamed case is found, too."""
    by_digest = {case.digest: case for case in kept.results}
    by_both = {(case.at, case.digest): case for case in kept.results}
    found = {at: by_both.get((at, digest), by_digest.get(digest)) for at, digest in digests(plan).items()}
    return {at: case for at, case in found.items() if case is not None}


def _pairs(kept: BaselineSize) -> _Pairs:
    digest = {case.at: case.digest for case in kept.results}
    found = {}
    for pair in kept.comparisons:
        point = tuple(pair.point.items())
        found[digest[pair.case, point], digest[pair.over, point], pair.figure] = pair
    return found


def _references(plan: Plan) -> dict[At, Reference | None]:
    """Return the reference of each case of the plan; None for cases without a reference."""
    return {place_of(run.case, run.point): plan.reference(run.case, run.point) for run in plan.runs}


def _compared(plan: Plan) -> Iterator[tuple[Comparison, At, At]]:
    """Return the comparisons of a plan with both cases, in the order of `tulle.study.report.results.comparisons`."""
    for given in plan.study.comparison:
        for point in plan.points:
            if holds_at(given.point, point):
                yield given, place_of(given.case, point), place_of(given.over, point)


def _wanted(plan: Plan, given: Reference | None) -> set[str]:
    """Return the names of the results that must be recorded for a case. `given` is the reference of the case.

    Metrics that are marked as usually zero may be missing.
    """
    usual = {figure.key for figure in plan.measurement.figures if not figure.on_request}
    zero = {figure.key for figure in plan.measurement.figures if figure.usually_zero}
    judged = set() if given is None else {*given.paper, *given.tolerance, *given.least, *given.most}
    return (set(plan.study.figures) or usual) - zero | judged


def _spreads(case: BaselineCase) -> dict[str, Spread]:
    return {key: Spread(mean, None, None, half) for key, (mean, half) in case.figures.items()}


def _judged(at: At, given: Reference | None, case: BaselineCase) -> BaselineCase:
    """Return the recorded results of a case, with its current name, and judged by its current reference."""
    verdicts = {} if given is None else judge(given, _spreads(case))
    agrees = {key: verdict.agrees for key, verdict in verdicts.items()}
    return case.model_copy(update={"case": at[0], "point": dict(at[1]), "agrees": agrees})


def _compare(given: Comparison, key: str, one: BaselineCase, other: BaselineCase, pairs: _Pairs) -> BaselineComparison:
    ours, others = _spreads(one), _spreads(other)
    was = pairs.get((one.digest, other.digest, key))
    ratio = ours[key].over(others[key]) if was is None else was.ratio
    verdict = judge_ratio(given, key, ratio, apart=key in given.apart and ours[key].apart_from(others[key]))
    return BaselineComparison(
        case=one.case,
        over=other.case,
        point=one.point,
        figure=key,
        ratio=rounded_for_baseline(ratio, None)[0],
        half95=None if was is None else was.half95,
        agrees=verdict.agrees,
    )
