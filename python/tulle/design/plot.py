"""Plot the lowest cost per endpoint over all-to-all throughput, and the number of endpoints over radix.

A line per family.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tulle._internal.drawing import COLOURS, DASHES, decades, draw_into, name_lines
from tulle.design.largest_within import largest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from matplotlib.figure import Figure

    from tulle.design.search import Design, Proposal

__all__ = ["SIZE", "draw_largest", "paint"]

SIZE = (6.5, 3.6)
"""Width and height of the plots in inches."""

_MARKS = "os^Dv<>p"


def paint(found: Design, figure: Figure) -> None:
    """Draw a line per family: the lowest cost per endpoint of a network that reaches a given throughput."""
    families = dict.fromkeys(proposal.forms.family for proposal in found.proposals)
    lines = {family: _cheapest(of for of in found.proposals if of.forms.family == family) for family in families}
    title = f"{found.low} to {found.high} endpoints on switches of {found.radix} ports"
    _lines(figure, lines, "all-to-all throughput", f"{found.currency} per endpoint", title)


def draw_largest(radix: int, families: Sequence[str] | None, min_throughput: float, path: Path) -> None:
    """Draw the endpoints of the largest network of each family and diameter over the radix, up to `radix`.

    Raises
    ------
    tulle.MissingDependencyError, tulle.FileError, tulle.errors.DrawingError
        For the same reasons as in `Drawable.draw`.
    """
    lines: dict[str, list[tuple[float, float]]] = {}
    for ports in range(min(8, radix), radix + 1):
        for forms in largest(ports, families=families, min_throughput=min_throughput):
            name = f"{forms.family}, diameter {forms.diameter}"
            lines.setdefault(name, []).append((ports, forms.endpoints))
    title = f"largest networks with an all-to-all bound of at least {min_throughput:g}"
    largest_first = dict(sorted(lines.items(), key=lambda line: -line[1][-1][1]))
    draw_into(path, SIZE, lambda figure: _lines(figure, largest_first, "ports of a switch", "endpoints", title))


def _lines(figure: Figure, lines: Mapping[str, list[tuple[float, float]]], x: str, y: str, title: str) -> None:
    """Draw a line through the points of each name in `lines`, with axis labels `x` and `y`."""
    axes = figure.add_subplot()
    drawn, names = [], []
    for at, (name, points) in enumerate(lines.items()):
        if not points:
            continue
        style: Any = {"color": COLOURS[at % len(COLOURS)], "linestyle": DASHES[at // len(COLOURS) % len(DASHES)]}
        mark = _MARKS[at % len(_MARKS)]
        drawn += axes.plot(*zip(*points, strict=True), marker=mark, markersize=3, linewidth=1, **style)
        names.append(name)
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.set_yscale("log")
    decades(axes.yaxis)
    axes.set_title(title, fontsize=9)
    name_lines(figure, drawn, names, loc="outside right upper")


def _cheapest(proposals: Iterable[Proposal]) -> list[tuple[float, float]]:
    """Return throughput and cost of the Pareto-optimal proposals, by ascending throughput."""
    points: list[tuple[float, float]] = []
    carried = [(of.all_to_all, of.cost_per_endpoint) for of in proposals if of.all_to_all is not None]
    for throughput, cost in sorted(carried, key=lambda point: (-point[0], point[1])):
        if not points or cost < points[-1][1]:
            points.append((throughput, cost))
    return points[::-1]
