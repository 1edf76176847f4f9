"""The result of a comparison: a row per metric, with each fabric's median, minimum and maximum, and the best fabric."""

from __future__ import annotations

from dataclasses import dataclass
from math import isclose
from statistics import median
from typing import TYPE_CHECKING, Literal, NamedTuple

from tulle._internal.html_summary import Overview, Shown, text, unique
from tulle.packet.options import DEFAULTS
from tulle.plot.sheet import Drawable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.figure import Figure

    from tulle.plot.comparison import Compared

__all__ = ["Band", "Card", "CardMetric", "Entrant", "Row", "row"]


class CardMetric(NamedTuple):
    """The declaration of a metric that is a row of a `Card`."""

    head: str
    better: Literal["low", "high"]
    slack: float = 0.0
    """Maximum relative amount by which the true value can exceed the measured value."""


@dataclass(frozen=True)
class Band(Shown):
    """Median, minimum and maximum of a metric, over the seeds with which it could be measured."""

    median: float
    low: float
    """The minimum over seeds."""
    high: float
    """The maximum over seeds."""
    seeds: int
    """Number of seeds with which the metric was measured."""


@dataclass(frozen=True)
class Row(Shown):
    """The values of one metric for all fabrics."""

    name: str
    head: str
    better: str
    """Whether ``low`` or ``high`` is better."""
    bands: tuple[Band | None, ...]
    """The band of every fabric; None if the metric could not be measured with any seed."""
    winners: tuple[int, ...]
    """Indices of the fabrics with the best median, among fabrics that were measured with all seeds."""
    apart: bool
    """Whether there is one winner that is better than every other fabric beyond chance.

    The distance between their bands is then at least the width of the wider band. Before the comparison, the upper ends
    of bands are increased by `CardMetric.slack`. False for values that depend on the seed if fewer than three seeds
    were measured, and for values that depend on racks if racks of one of the two fabrics are filled in the order of
    switch ids.
    """


@dataclass(frozen=True)
class Entrant(Shown):
    """A fabric of a `Card`, with its size, its routing and its ports."""

    fabric: str
    endpoints: int
    switches: int
    cables: int
    radix: int
    routing: str
    worst_permutation: str
    """The permutation with the lowest throughput on the intact fabric, among the permutations tried."""
    ports_bought: int | None = None
    """Number of ports of all switches to buy; None if the price list lacks an item."""
    ports_used: int | None = None
    fingerprint: str | None = None
    """SHA-256 of the fabric, so that reports detect that its file has changed."""
    routing_file: str | None = None
    """The file of a routing that was given as ``@FILE``; None for other routings."""
    routing_sha256: str | None = None
    """SHA-256 of `routing_file`, so that reports detect that it has changed."""


@dataclass(frozen=True)
class Card(Shown, Drawable):
    """A comparison of a few fabrics. Made by `compare`."""

    entrants: tuple[Entrant, ...]
    currency: str
    prices: str
    selector: str
    transport: str
    seeds: int
    rows: tuple[Row, ...]
    left_out: tuple[str, ...]
    """One line for each reason why values are missing. Missing completion times have no line: a flow did not finish."""
    floor: str | None = None
    """The floor of all layouts, in canonical form; None: the standard floor."""
    notes: tuple[str, ...] = ()
    """One line for each fabric on whose layout a key of the floor has no effect (see `tulle.design.Layout.notes`), and
    lines on link rates that differ."""
    rate: str = DEFAULTS["rate"]
    """Rate of the links whose rate a fabric does not define, in the packet simulations."""

    def _overview(self) -> Overview:
        values = {
            "fabrics": len(self.entrants),
            "prices": self.prices,
            "currency": self.currency,
            "transport": self.transport,
            "selector": self.selector,
            "seeds": self.seeds,
            "values left out": len(self.left_out),
        }
        names = unique([each.fabric for each in self.entrants])
        sizes = ("endpoints", "switches", "cables", "radix", "routing")
        rows: list[dict[str, object]] = [
            {"": size, **{name: getattr(each, size) for name, each in zip(names, self.entrants, strict=True)}}
            for size in sizes
        ]
        rows += [
            {"": row.head, **{name: _brief(band) for name, band in zip(names, row.bands, strict=True)}}
            for row in self.rows
        ]
        return Overview("Card", "", values, rows=rows, all_rows=True)

    def plot(self) -> Figure:
        """Draw for every row how many times worse each fabric is than the best one, and return the matplotlib figure.

        Rows whose best value is zero or unknown are left out.

        Raises
        ------
        tulle.MissingDependencyError
            If matplotlib is not installed; ``tulle[plot]`` installs it.
        """
        from tulle.plot.comparison import plot_comparison

        rows = [found for row in self.rows if (found := _ratios(row, self.currency))]
        return plot_comparison([of.fabric for of in self.entrants], rows)


def _brief(band: Band | None) -> str | None:
    """Return the median of a band, with minimum and maximum in parentheses if they differ."""
    if band is None:
        return None
    spread = "" if band.low == band.high else f" ({text(band.low)} to {text(band.high)})"
    return text(band.median) + spread


def _ratios(row: Row, currency: str) -> Compared | None:
    """Return a row as ratios to its best median; None if there is no best median above zero."""
    from tulle.plot.comparison import Compared

    best = row.bands[row.winners[0]] if row.winners else None
    if best is None or best.median <= 0:
        return None

    def ratios(band: Band) -> tuple[float, float, float]:
        values = (band.median, band.low, band.high)
        if row.better == "low":
            median, low, high = (value / best.median for value in values)
            return median, low, high
        median, high, low = (best.median / value if value > 0 else float("inf") for value in values)
        return median, low, high

    head = f"{row.head} ({currency})" if row.name == "cost_per_endpoint" else row.head
    return Compared(head, best.median, tuple(None if band is None else ratios(band) for band in row.bands))


def row(
    name: str,
    metric: CardMetric,
    draws: Sequence[Sequence[Mapping[str, float | None]]],
    *,
    fixed: bool = False,
    vague: Sequence[int] = (),
) -> Row:
    """Return the row of a metric. `draws` has its values by fabric and seed; None: not measured.

    Parameters
    ----------
    fixed
        Whether the values do not depend on the seed.
    vague
        Indices of fabrics whose values depend on the numbering of their switches. No winner of the row is clear over
        these fabrics, and none of these fabrics is a clear winner.
    """
    bands = tuple(_band([of.get(name) for of in fabric]) for fabric in draws)
    full = [at for at, band in enumerate(bands) if band is not None and band.seeds == len(draws[at])]
    sign = 1 if metric.better == "low" else -1
    medians = {at: sign * band.median for at in full if (band := bands[at]) is not None}
    # Equal fabrics can have sums with different rounding errors.
    winners = tuple(at for at in full if isclose(medians[at], min(medians.values()), rel_tol=1e-9))
    apart = len(winners) == 1 and all(
        _beats(bands[winners[0]], band, metric, fixed) and not {at, winners[0]} & set(vague)
        for at, band in enumerate(bands)
        if at not in winners
    )
    return Row(name, metric.head, metric.better, bands, winners, apart)


# Minimum number of seeds for a clear winner. The bands of two equal fabrics are clearly apart by chance in 0.8% of rows
# with three seeds, and in 0.05% with four (normally distributed values). That bands do not overlap is not enough: with
# three seeds, this happens in 10% of rows.
ENOUGH = 3


def _beats(winner: Band | None, other: Band | None, metric: CardMetric, fixed: bool) -> bool:
    if winner is None or other is None:
        return True
    if not fixed and min(winner.seeds, other.seeds) < ENOUGH:
        return False
    first, second = (winner, other) if metric.better == "low" else (other, winner)
    distance = second.low - first.high * (1 + metric.slack)
    return distance > 0 and distance >= max(winner.high - winner.low, other.high - other.low)


def _band(values: Sequence[float | None]) -> Band | None:
    known = [float(value) for value in values if value is not None]
    return Band(median(known), min(known), max(known), len(known)) if known else None
