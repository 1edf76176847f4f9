"""Plot a comparison of fabrics. Every row is relative to its best fabric."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle._internal.drawing import COLOURS, name_lines

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from tulle.compare.card import Card, Row

__all__ = ["drawn_rows", "paint"]

_MARKS = "os^Dv<>p*hXP"


def drawn_rows(card: Card) -> list[Row]:
    """Return the rows whose best median is above zero. Other rows cannot be drawn, because values are divided by it."""
    return [row for row in card.rows if row.winners and (best := row.bands[row.winners[0]]) and best.median > 0]


def paint(card: Card, figure: Figure) -> None:
    """Draw medians with bands, each divided by the best median of its row."""
    rows = drawn_rows(card)
    axes = figure.add_subplot()
    lines = []
    for at in range(len(card.entrants)):
        shares, places, left, right = [], [], [], []
        for place, row in enumerate(rows):
            band, best = row.bands[at], row.bands[row.winners[0]]
            if band is None or best is None:
                continue
            shares.append(band.median / best.median)
            places.append(place)
            left.append((band.median - band.low) / best.median)
            right.append((band.high - band.median) / best.median)
        colour, mark = COLOURS[at % len(COLOURS)], _MARKS[at % len(_MARKS)]
        lines.append(axes.errorbar(shares, places, xerr=[left, right], fmt=mark, ms=4, lw=0.8, color=colour))
    axes.set_yticks(range(len(rows)), [row.head for row in rows], fontsize=7)
    axes.invert_yaxis()
    axes.axvline(1, color="#888888", lw=0.6)
    axes.set_xlabel("over the best of the row")
    name_lines(axes, lines, [of.fabric for of in card.entrants])
