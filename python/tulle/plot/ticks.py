"""Ticks of logarithmic axes at round numbers, labelled without powers of ten."""

from __future__ import annotations

from itertools import pairwise
from math import ceil, floor, log10
from typing import Any

import numpy as np
from matplotlib.ticker import FixedLocator, FuncFormatter, Locator, NullLocator

from tulle.plot.ticks_text import plain_number, size_text

# The maximum ratio of the ends of the axis -> the leading digits of ticks. A wider range has fewer ticks, because
# labels would overlap.
_DIGITS = ((12.0, (1.0, 2.0, 3.0, 5.0, 7.0)), (300.0, (1.0, 2.0, 5.0)), (3e3, (1.0, 3.0)), (float("inf"), (1.0,)))
# If the ratio of the ends of the axis is lower than this, evenly spaced ticks are easier to read.
_NARROW = 4.0
# With more evenly spaced ticks, labels such as 1,200 would overlap.
_MOST_EVEN = 6
_MOST = 7


class RoundLocator(Locator):
    """Ticks at numbers with one significant digit, or evenly spaced round numbers if the range is narrow."""

    def __call__(self) -> Any:
        """Return the ticks of the axis as it is now."""
        low, high = self.axis.get_view_interval()  # type: ignore[union-attr]
        return self.tick_values(low, high)

    def tick_values(self, vmin: float, vmax: float) -> Any:
        """Return the ticks between two values."""
        low, high = min(vmin, vmax), max(vmin, vmax)
        if not (0 < low < high < float("inf")):
            return np.array([value for value in (low, high) if value > 0])
        if high / low < _NARROW:
            return _even(low, high)
        digits = next(digits for most, digits in _DIGITS if high / low <= most)
        powers = range(floor(log10(low)), ceil(log10(high)) + 1)
        step = max(1, ceil(len(powers) / _MOST)) if len(digits) == 1 else 1
        ticks = np.array([digit * 10.0**power for power in powers for digit in digits if power % step == 0])
        return ticks[(ticks >= low * (1 - 1e-9)) & (ticks <= high * (1 + 1e-9))]


def _even(low: float, high: float) -> Any:
    """Return three to six evenly spaced ticks, or two; their distance is 1, 2 or 5 times a power of ten."""
    rough = (high - low) / 4
    power = 10.0 ** floor(log10(rough))
    two = None
    for step in (10 * power, 5 * power, 2 * power, power):
        ticks = step * np.arange(ceil(low / step - 1e-9), floor(high / step + 1e-9) + 1)
        if 3 <= len(ticks) <= _MOST_EVEN:
            return ticks
        if two is None and len(ticks) >= 2:
            two = ticks
    return ticks if two is None else two


def thousands() -> FuncFormatter:
    """Return a formatter of numbers without exponents, with commas between thousands."""
    return FuncFormatter(lambda value, _: plain_number(value))


def sizes(axis: Any, values: list[float]) -> None:
    """Set the ticks of a logarithmic axis of bytes: at `values` if few and far apart, otherwise at powers of two."""
    few = sorted(set(values))
    if len(few) > 6 or any(above < 1.5 * below for below, above in pairwise(few)):
        low, high = floor(np.log2(few[0])), ceil(np.log2(few[-1]))
        step = max(1, ceil((high - low) / 5))
        few = [2.0**power for power in range(low, high + 1, step)]
    axis.set_major_locator(FixedLocator(few))
    axis.set_major_formatter(FuncFormatter(lambda value, _: size_text(value)))
    axis.set_minor_locator(NullLocator())
