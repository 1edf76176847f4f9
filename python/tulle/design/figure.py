"""A plot of what fits: the least cost of an endpoint over the all-to-all bound, a line per family."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle._atomic_write import replacing
from tulle._drawing import COLOURS, DASHES, canvas, decades, name_lines, save

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from tulle.design.search import Design, Proposal

__all__ = ["draw"]

_MARKS = "os^Dv<>p"


def draw(found: Design, path: Path) -> None:
    """Draws per family what costs least of all that carries as much; the suffix says the format.

    Raises
    ------
    tulle.FileError
        Where it cannot be written.
    """
    with canvas(6.5, 3.6) as figure:
        axes = figure.add_subplot()
        lines, names = [], []
        for at, family in enumerate(dict.fromkeys(proposal.forms.family for proposal in found.proposals)):
            points = _cheapest(of for of in found.proposals if of.forms.family == family)
            if not points:
                continue
            style = {"color": COLOURS[at % len(COLOURS)], "linestyle": DASHES[at // len(COLOURS) % len(DASHES)]}
            mark = _MARKS[at % len(_MARKS)]
            lines += axes.plot(*zip(*points, strict=True), marker=mark, markersize=3, linewidth=1, **style)
            names.append(family)
        axes.set_xlabel("all-to-all bound")
        axes.set_ylabel(f"{found.currency} per endpoint")
        axes.set_yscale("log")
        decades(axes.yaxis)
        axes.set_title(f"{found.low} to {found.high} endpoints on switches of {found.radix} ports", fontsize=9)
        name_lines(figure, lines, names, loc="outside right upper")
        with replacing(path) as file:
            save(figure, file, path.suffix.lower())


def _cheapest(proposals: Iterable[Proposal]) -> list[tuple[float, float]]:
    """Bound and cost of those that cost less than all that carry as much or more, by ascending bound."""
    points: list[tuple[float, float]] = []
    carried = [(of.forms.all_to_all, of.cost_per_endpoint) for of in proposals if of.forms.all_to_all is not None]
    for bound, cost in sorted(carried, key=lambda point: (-point[0], point[1])):
        if not points or cost < points[-1][1]:
            points.append((bound, cost))
    return points[::-1]
