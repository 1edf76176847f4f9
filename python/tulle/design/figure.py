"""A plot of what fits: cost of an endpoint over the all-to-all bound, a colour per family."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle._atomic_write import replacing
from tulle._drawing import COLOURS, canvas, save

if TYPE_CHECKING:
    from pathlib import Path

    from tulle.design.search import Design

__all__ = ["draw"]

_MARKS = "os^Dv<>p*hXP"


def draw(found: Design, path: Path) -> None:
    """Draws all that fits, the best of each family filled; the suffix says the format.

    Raises
    ------
    tulle.FileError
        Where it cannot be written.
    """
    best = {proposal.forms.family: proposal for proposal in found.best(1)}
    with canvas(5.5, 3.6) as figure:
        axes = figure.add_subplot()
        for at, (family, first) in enumerate(best.items()):
            own = [of for of in found.proposals if of.forms.family == family and of.forms.all_to_all is not None]
            if not own:
                continue
            colour, mark = COLOURS[at % len(COLOURS)], _MARKS[at % len(_MARKS)]
            points = [(of.forms.all_to_all, of.cost_per_endpoint) for of in own]
            axes.scatter(*zip(*points, strict=True), s=6, marker=mark, facecolors="none", edgecolors=colour, lw=0.4)
            axes.scatter(
                [first.forms.all_to_all], [first.cost_per_endpoint], s=28, marker=mark, color=colour, label=family
            )
        axes.set_xlabel("all-to-all bound")
        axes.set_ylabel(f"{found.currency} per endpoint")
        axes.set_yscale("log")
        axes.set_title(f"{found.low} to {found.high} endpoints, {found.radix} ports", fontsize=9)
        axes.legend(fontsize=7, frameon=False, ncols=2)
        with replacing(path) as file:
            save(figure, file, path.suffix.lower())
