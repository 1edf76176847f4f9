"""Compute results over seeds, and the printed table."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

from tulle.study.engine.model import holds_at, shown
from tulle.study.report.verdict import Number, Spread, Verdict, compare, judge, ratio_half95

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tulle.metric import Metric
    from tulle.study.engine.model import Value
    from tulle.study.engine.plan import Plan


@dataclass(frozen=True)
class Result:
    """A case at a point of the grid, over all seeds."""

    case: str
    point: Mapping[str, Value]
    seeds: tuple[int, ...]
    figures: Mapping[str, Spread]
    reference: Mapping[str, float]
    source: str | None
    """Where the reference is from."""
    verdicts: Mapping[str, Verdict]
    """Whether each metric with a verdict agrees with the reference."""
    why: str
    """The reason for a difference from the reference; may be empty."""

    def figures_under(self, seeds: Sequence[int]) -> dict[str, Spread]:
        """Return the results over some of the seeds, by name."""
        places = [self.seeds.index(seed) for seed in seeds]
        return {key: Spread.of([spread.values[at] for at in places]) for key, spread in self.figures.items()}

    def as_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {
            "case": self.case,
            **self.point,
            "seeds": list(self.seeds),
            "figures": {key: spread.as_dict() for key, spread in self.figures.items()},
            "reference": {"source": self.source, **self.reference} if self.source is not None else None,
            "verdicts": {key: verdict.as_dict() for key, verdict in self.verdicts.items()},
            "why": self.why,
        }


def results(plan: Plan, figures: Sequence[Mapping[str, Number]]) -> tuple[Result, ...]:
    """Return a result per grid point and case of `plan`.

    `figures` has the results of each run, in the order of runs.
    """
    found = []
    for _, group in groupby(zip(plan.runs, figures, strict=True), key=lambda pair: (pair[0].case, pair[0].point)):
        own = list(group)
        case, point = own[0][0].case, own[0][0].point
        spread = {
            figure.key: Spread.of([numbers[figure.key] for _, numbers in own]) for figure in plan.measurement.figures
        }
        reference = plan.reference(case, point)
        found.append(
            Result(
                case,
                point,
                tuple(run.seed for run, _ in own),
                spread,
                {} if reference is None else reference.paper,
                None if reference is None else reference.source,
                {} if reference is None else judge(reference, spread),
                "" if reference is None else reference.why,
            )
        )
    return tuple(found)


@dataclass(frozen=True)
class Compared:
    """The ratio of a result between two cases, at a grid point."""

    case: str
    over: str
    point: Mapping[str, Value]
    figure: str
    ratio: float | None
    half95: float | None
    """Half the width of the 95% confidence interval of the mean of the ratios, one ratio per seed."""
    verdict: Verdict
    source: str
    """The source of the comparison, as a section of a paper."""
    why: str

    def as_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {
            "case": self.case,
            "over": self.over,
            **self.point,
            "figure": self.figure,
            "ratio": self.ratio,
            "half95": self.half95,
            "verdict": self.verdict.as_dict(),
            "source": self.source,
            "why": self.why,
        }


def comparisons(plan: Plan, found: Sequence[Result]) -> tuple[Compared, ...]:
    """Return the study's comparisons between cases of `plan`, ordered as in the study, then by grid point.

    Ratios use the seeds that both cases have, if any, because both cases have the same workload with the same seed.
    """
    at = {(result.case, tuple(result.point.values())): result for result in found}
    compared = []
    for wanted in plan.study.comparison:
        for point in plan.points:
            one, other = (at.get((case, tuple(point.values()))) for case in (wanted.case, wanted.over))
            if one is None or other is None or not holds_at(wanted.point, point):
                continue
            seeds = [seed for seed in one.seeds if seed in other.seeds]
            ours, others = (its.figures_under(seeds) if seeds else its.figures for its in (one, other))
            for key, (ratio, verdict) in compare(wanted, ours, others).items():
                half = ratio_half95(ours[key].values, others[key].values) if seeds else None
                compared.append(
                    Compared(one.case, other.case, point, key, ratio, half, verdict, wanted.source, wanted.why)
                )
    return tuple(compared)


def table(plan: Plan, found: Sequence[Result]) -> tuple[list[str], list[list[Any]]]:
    """Return titles and rows of the table: a row per case, a column per metric.

    Each result is followed by half the width of its 95% interval if the study shows intervals, and by reference and
    verdict if a row has them.
    """
    columns = ["case"]
    rows: list[list[Any]] = [[result.case] for result in found]
    for figure in printed(plan, found):
        columns.append(figure.title)
        for row, result in zip(rows, found, strict=True):
            row.append(result.figures[figure.key].mean)
        if plan.study.intervals and any(result.figures[figure.key].half95 for result in found):
            columns.append("±")
            for row, result in zip(rows, found, strict=True):
                row.append(result.figures[figure.key].half95)
        if any(figure.key in result.reference for result in found):
            columns.append("reference")
            for row, result in zip(rows, found, strict=True):
                row.append(result.reference.get(figure.key))
        if any(figure.key in result.verdicts for result in found):
            columns.append("verdict")
            for row, result in zip(rows, found, strict=True):
                row.append(str(result.verdicts.get(figure.key, "")))
    return columns, rows


def printed(plan: Plan, found: Sequence[Result]) -> list[Metric]:
    """Return the results to show: those that the study names, otherwise all except those shown only on request.

    A result that is usually zero is left out if it is zero or undefined in all cases.
    """
    by_key = {figure.key: figure for figure in plan.measurement.figures}
    usual = [figure for figure in by_key.values() if not figure.on_request]
    chosen = [by_key[key] for key in plan.study.figures] or usual
    return [
        figure
        for figure in chosen
        if not figure.usually_zero or any(result.figures[figure.key].mean not in (0, None) for result in found)
    ]


def title(point: Mapping[str, Value], words: Mapping[str, str] | None = None) -> str:
    """Describe a grid point, with the names that the study gives to values, if any."""
    named = words or {}
    return ", ".join(named.get(shown(value), f"{name} {shown(value)}") for name, value in point.items())
