"""A plot of a card: every row as a share of its best fabric."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle._internal.drawing import COLOURS, canvas, name_lines, save
from tulle._internal.writing.atomic import replacing

if TYPE_CHECKING:
    from pathlib import Path

    from tulle.compare.card import Card

__all__ = ["draw"]

_MARKS = "os^Dv<>p*hXP"


def draw(card: Card, path: Path) -> None:
    """Draws medians and bands, each over the best median of its row; the suffix says the format.

    Raises
    ------
    tulle.FileError
        If it cannot be written.
    """
    # Of a best of nothing there are no shares.
    rows = [row for row in card.rows if row.winners and (best := row.bands[row.winners[0]]) and best.median > 0]
    with canvas(7.5, 1 + 0.2 * len(rows)) as figure:
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
        with replacing(path) as file:
            save(figure, file, path.suffix.lower())
