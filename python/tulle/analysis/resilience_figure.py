"""A plot of what failures leave: a panel per figure, a line per kind of failure, its band over seeds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle._atomic_write import replacing
from tulle._drawing import COLOURS, DASHES, canvas, save
from tulle.analysis.resilience import FIGURES

if TYPE_CHECKING:
    from pathlib import Path

    from tulle.analysis.resilience import Resilience

__all__ = ["draw"]


def draw(found: Resilience, path: Path) -> None:
    """Draws medians, and bands from the least to the most; the suffix says the format.

    Raises
    ------
    tulle.FileError
        Where it cannot be written.
    """
    names = list(found.rows[0].bands) if found.rows else []
    kinds = list(dict.fromkeys(row.kind for row in found.rows))
    with canvas(7.5, 4.4) as figure:
        panels = figure.subplots(2, (len(names) + 2) // 2, squeeze=False).ravel()
        for panel, name in zip(panels, ["connected", *names], strict=False):
            for at, kind in enumerate(kinds):
                points = []
                for row in (row for row in found.rows if row.kind == kind):
                    band = row.bands.get(name)
                    if name == "connected":
                        points.append((100 * row.share, row.connected, row.connected, row.connected))
                    elif band is not None:
                        points.append((100 * row.share, band.median, band.low, band.high))
                if points:
                    shares, medians, lows, highs = zip(*sorted(points), strict=True)
                    colour, dash = COLOURS[at % len(COLOURS)], DASHES[at % len(DASHES)]
                    panel.plot(shares, medians, marker="o", ms=3, lw=1, color=colour, ls=dash, label=kind)
                    panel.fill_between(shares, lows, highs, color=colour, alpha=0.2, lw=0)
            panel.set_title("share of seeds connected" if name == "connected" else FIGURES[name], fontsize=8)
            panel.set_ylim(bottom=0)
            panel.tick_params(labelsize=7)
            panel.set_xlabel("% failed", fontsize=7)
        for panel in panels[len(names) + 1 :]:
            panel.set_visible(False)
        panels[0].legend(fontsize=7, frameon=False)
        with replacing(path) as file:
            save(figure, file, path.suffix.lower())
