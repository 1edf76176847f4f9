"""Figures over seeds, and whether they are as near to a reference as it asks."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tulle.study.model import Reference

Number = float | int | None

# What sums of decimal fractions lose: a figure on the edge of a range is inside it.
_ROUNDING = 1e-9


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
class Verdict:
    """Whether the mean of a figure over seeds lies where a reference wants it."""

    within: bool
    wanted: str
    """The range in words, as ``3.86±0.02``."""

    def __str__(self) -> str:
        return f"{'within' if self.within else 'OUTSIDE'} {self.wanted}"


def judge(reference: Reference, figures: Mapping[str, Spread]) -> dict[str, Verdict]:
    """The verdict on every figure that `reference` checks; one that the runs do not have is not within anything."""
    verdicts = {}
    for key in figures:
        ranges: list[tuple[float, float, str]] = []
        if key in reference.tolerance:
            value, tolerance = reference.expected.get(key, reference.values.get(key, 0.0)), reference.tolerance[key]
            ranges.append((value - tolerance, value + tolerance, f"{value:g}±{tolerance:g}"))
        if key in reference.least:
            ranges.append((reference.least[key], float("inf"), f"≥ {reference.least[key]:g}"))
        if key in reference.most:
            ranges.append((float("-inf"), reference.most[key], f"≤ {reference.most[key]:g}"))
        if ranges:
            ours = figures[key].mean
            within = ours is not None and all(low - _ROUNDING <= ours <= high + _ROUNDING for low, high, _ in ranges)
            verdicts[key] = Verdict(within, ", ".join(words for _, _, words in ranges))
    return verdicts
