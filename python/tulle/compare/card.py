"""The card: rows of figures, a band per fabric, and who wins."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from tulle._internal.drawing import Drawable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Band", "Card", "Entrant", "Figure", "Row", "row"]


class Figure(NamedTuple):
    """A figure that a group of rows finds."""

    head: str
    better: Literal["low", "high"]
    slack: float = 0.0
    """How far above the figure the truth may be, relative."""


@dataclass(frozen=True)
class Band:
    """A figure over the seeds under which it could be measured."""

    median: float
    low: float
    """The least."""
    high: float
    """The most."""
    seeds: int
    """Under how many seeds it was measured."""


@dataclass(frozen=True)
class Row:
    """A figure of all fabrics."""

    name: str
    head: str
    better: str
    """Whether ``low`` or ``high`` is better."""
    bands: tuple[Band | None, ...]
    """By fabric; None where it could not be measured under any seed."""
    winners: tuple[int, ...]
    """The fabrics of the best median among those measured under all seeds; several where they are equal."""
    apart: bool
    """Whether the winner's band is apart from that of every other fabric."""


@dataclass(frozen=True)
class Entrant:
    """A fabric of the card."""

    fabric: str
    endpoints: int
    switches: int
    cables: int
    radix: int
    routing: str
    worst_permutation: str
    """Which permutation the whole fabric carries least of, of those looked at."""
    ports_bought: int | None = None
    """Of all switches; None if the price list lacks an item."""
    ports_used: int | None = None


@dataclass(frozen=True)
class Card(Drawable):
    """A few fabrics beside each other. Made by `compare`."""

    entrants: tuple[Entrant, ...]
    currency: str
    prices: str
    selector: str
    transport: str
    seeds: int
    rows: tuple[Row, ...]
    left_out: tuple[str, ...]
    """What the card does not say, and why, a line each."""

    def _inches(self) -> tuple[float, float]:
        from tulle.compare.plot import drawn_rows

        return 7.5, 1 + 0.2 * len(drawn_rows(self))

    def _paint(self, figure: Any) -> None:
        from tulle.compare.plot import paint

        paint(self, figure)


def row(name: str, figure: Figure, draws: Sequence[Sequence[Mapping[str, float | None]]]) -> Row:
    """The row of a figure; `draws` are by fabric and seed, None where it could not be measured."""
    bands = tuple(_band([of.get(name) for of in fabric]) for fabric in draws)
    full = [at for at, band in enumerate(bands) if band is not None and band.seeds == len(draws[at])]
    sign = 1 if figure.better == "low" else -1
    medians = {at: sign * band.median for at in full if (band := bands[at]) is not None}
    winners = tuple(at for at in full if medians[at] == min(medians.values()))
    apart = len(winners) == 1 and all(
        _beats(bands[winners[0]], band, figure) for at, band in enumerate(bands) if at not in winners
    )
    return Row(name, figure.head, figure.better, bands, winners, apart)


def _beats(winner: Band | None, other: Band | None, figure: Figure) -> bool:
    if winner is None or other is None:
        return True
    return (
        winner.high * (1 + figure.slack) < other.low
        if figure.better == "low"
        else winner.low > other.high * (1 + figure.slack)
    )


def _band(values: Sequence[float | None]) -> Band | None:
    known = [float(value) for value in values if value is not None]
    return Band(median(known), min(known), max(known), len(known)) if known else None
