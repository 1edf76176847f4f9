"""Results over seeds, and the table that is printed."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tulle.study.model import Value
    from tulle.study.plan import Plan

Number = float | int | None


@dataclass(frozen=True)
class Spread:
    """A figure over seeds; None where a seed has none."""

    mean: Number
    min: Number
    max: Number

    @classmethod
    def of(cls, values: Sequence[Number]) -> Spread:
        """The spread of one value per seed."""
        known = [value for value in values if value is not None]
        if len(known) < len(values) or not known:
            return cls(None, None, None)
        alike = min(known) == max(known)
        return cls(known[0] if alike else fmean(known), min(known), max(known))


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

    def as_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {
            "case": self.case,
            **self.point,
            "seeds": list(self.seeds),
            "figures": {key: vars(spread) for key, spread in self.figures.items()},
            "reference": {"source": self.source, **self.reference} if self.source is not None else None,
        }


def results(plan: Plan, figures: Sequence[Mapping[str, Number]]) -> tuple[Result, ...]:
    """One result per point and case; `figures` are those of every run of `plan`, in its order."""
    by_run = iter(zip(plan.runs, figures, strict=True))
    found = []
    for point in plan.points:
        for case in plan.study.case:
            own = [next(by_run) for _ in plan.study.seeds]
            spread = {
                figure.key: Spread.of([numbers[figure.key] for _, numbers in own])
                for figure in plan.measurement.figures
            }
            reference = plan.reference(case.name, point)
            found.append(
                Result(
                    case.name,
                    point,
                    tuple(run.seed for run, _ in own),
                    spread,
                    {} if reference is None else reference.values,
                    None if reference is None else reference.source,
                )
            )
    return tuple(found)


def table(plan: Plan, found: Sequence[Result]) -> tuple[list[str], list[list[Any]]]:
    """Titles and rows: a row per case, a column per figure, beside it the reference where any row has one."""
    figures = [
        figure
        for figure in plan.measurement.figures
        if not figure.usually_zero or any(result.figures[figure.key].mean not in (0, None) for result in found)
    ]
    columns = ["case"]
    for figure in figures:
        columns.append(figure.title)
        if _has_reference(found, figure.key):
            columns.append("reference")
    rows: list[list[Any]] = []
    for result in found:
        row: list[Any] = [result.case]
        for figure in figures:
            row.append(result.figures[figure.key].mean)
            if _has_reference(found, figure.key):
                row.append(result.reference.get(figure.key))
        rows.append(row)
    return columns, rows


def _has_reference(found: Sequence[Result], key: str) -> bool:
    return any(key in result.reference for result in found)


def title(point: Mapping[str, Value]) -> str:
    """A point of the grid in words."""
    return ", ".join(f"{name} {value}" for name, value in point.items())
