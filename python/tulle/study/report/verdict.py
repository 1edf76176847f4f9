"""Summarise results over seeds, and decide whether they agree with a paper's values."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from statistics import fmean, stdev
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tulle.study.engine.model import Comparison, Reference

Number = float | int | None

# Allowance for rounding errors, so that a value on the edge of a range counts as inside.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Spread:
    """The values of a result, one per seed; None for seeds without a value."""

    mean: Number
    min: Number
    max: Number
    half95: float | None = None
    """Half the width of the mean's 95% confidence interval; None with a single seed, or without a mean."""
    values: tuple[Number, ...] = ()
    """The value of every seed."""

    @classmethod
    def of(cls, values: Sequence[Number]) -> Spread:
        """Return mean, range and confidence interval of `values`, one value per seed."""
        known = [value for value in values if value is not None]
        if len(known) < len(values) or not known:
            return cls(None, None, None, values=tuple(values))
        alike = min(known) == max(known)
        half = None if len(known) == 1 else half95(len(known)) * stdev(known)
        return cls(known[0] if alike else fmean(known), min(known), max(known), half, tuple(values))

    def as_dict(self) -> dict[str, Number]:
        """Return the summary as plain values, without the values of each seed."""
        return {"mean": self.mean, "min": self.min, "max": self.max, "half95": self.half95}

    def over(self, other: Spread) -> float | None:
        """Return the ratio of the means; None if a mean is missing or the other mean is 0."""
        return None if self.mean is None or not other.mean else self.mean / other.mean

    def apart_from(self, other: Spread) -> bool | None:
        """Whether the 95% intervals of both results do not overlap; None if an interval is missing."""
        if self.mean is None or other.mean is None or self.half95 is None or other.half95 is None:
            return None
        return abs(self.mean - other.mean) > self.half95 + other.half95


@cache
def half95(seeds: int) -> float:
    """Return half the width of the 95% interval of a mean over `seeds` seeds, in standard deviations (Student's t)."""
    from scipy.special import stdtrit

    return float(stdtrit(seeds - 1, 0.975)) / math.sqrt(seeds)


@dataclass(frozen=True)
class Verdict:
    """A verdict: whether the mean of a result over seeds agrees with a paper's value or claim."""

    agrees: bool
    wanted: str
    """What the paper has in words, as ``3.86±0.02``."""
    holds: str = ""
    """The part of `wanted` that holds, if the result differs in another part; otherwise empty."""
    missing: str = ""
    """What is missing, if the claim cannot be judged; `agrees` is then false."""

    def __str__(self) -> str:
        if self.missing:
            return f"cannot be judged: {self.wanted} ({self.missing})"
        words = f"{'agrees' if self.agrees else 'differs'} {self.wanted}"
        return f"{words} (only {self.holds} holds)" if self.holds else words

    def as_dict(self) -> dict[str, bool | str]:
        """Return the verdict as plain values, without empty texts."""
        return {name: value for name, value in vars(self).items() if value != ""}


def count_words(verdicts: Sequence[Verdict]) -> str:
    """Return how many verdicts agree and differ, and how many claims cannot be judged, if any."""
    unknown = sum(1 for verdict in verdicts if verdict.missing)
    agree = sum(1 for verdict in verdicts if verdict.agrees)
    words = f"{agree} agree, {len(verdicts) - agree - unknown} differ"
    return f"{words}, {unknown} cannot be judged" if unknown else words


def judge(reference: Reference, figures: Mapping[str, Spread]) -> dict[str, Verdict]:
    """Return the verdict on every result that `reference` covers; a result without a mean never agrees."""
    verdicts = {}
    for key in figures:
        ranges = _bounds(reference, key)
        if key in reference.tolerance:
            value, tolerance = reference.paper[key], reference.tolerance[key]
            ranges.insert(0, (value - tolerance, value + tolerance, f"{value:g}±{tolerance:g}"))
        if ranges:
            verdicts[key] = _verdict(figures[key].mean, ranges, "no value")
    return verdicts


def ratio_half95(ours: Sequence[Number], others: Sequence[Number]) -> float | None:
    """Return half the width of the 95% confidence interval of the ratio of two results, computed seed by seed.

    None with fewer than two seeds, or if a seed has no ratio.
    """
    known = [one / other for one, other in zip(ours, others, strict=True) if one is not None and other]
    if len(known) < len(ours) or len(known) < 2:
        return None
    return half95(len(known)) * stdev(known)


def compare(
    comparison: Comparison, figures: Mapping[str, Spread], others: Mapping[str, Spread]
) -> dict[str, tuple[float | None, Verdict]]:
    """Return, for each result that `comparison` bounds, the ratio of the means and the verdict.

    The ratio is None if a mean is missing, or if the mean in `others` is 0.
    """
    found = {}
    for key in comparison.figures:
        ratio = figures[key].over(others[key])
        found[key] = (ratio, judge_ratio(comparison, key, ratio, apart=figures[key].apart_from(others[key])))
    return found


def judge_ratio(comparison: Comparison, key: str, ratio: float | None, *, apart: bool | None) -> Verdict:
    """Return the verdict on a result's ratio.

    `apart` tells whether the confidence intervals do not overlap; None if there are no intervals.
    """
    verdict = _verdict(ratio, _bounds(comparison, key), "no ratio: a value is missing, or the divisor is 0")
    if key not in comparison.apart:
        return verdict
    intervals = "95% intervals apart"
    wanted = ", ".join(filter(None, [verdict.wanted, intervals]))
    if verdict.missing or apart is None:
        return Verdict(False, wanted, missing=verdict.missing or "no intervals; these need at least two seeds")
    if verdict.agrees and apart:
        return Verdict(True, wanted)
    # With two criteria, the verdict must say which of them failed.
    return Verdict(False, wanted, verdict.wanted if verdict.agrees else intervals if apart else "")


_Range = tuple[float, float, str]


def _bounds(given: Reference | Comparison, key: str) -> list[_Range]:
    ranges: list[_Range] = []
    if key in given.least:
        ranges.append((given.least[key], float("inf"), f"≥ {given.least[key]:g}"))
    if key in given.most:
        ranges.append((float("-inf"), given.most[key], f"≤ {given.most[key]:g}"))
    return ranges


def _verdict(ours: Number, ranges: list[_Range], missing: str) -> Verdict:
    wanted = ", ".join(words for _, _, words in ranges)
    if ours is None:
        # Without bounds, nothing is missing.
        return Verdict(not ranges, wanted, missing=missing if ranges else "")
    return Verdict(all(low - _ROUNDING <= ours <= high + _ROUNDING for low, high, _ in ranges), wanted)
