"""Curves of families of networks: cost over throughput, and endpoints of the largest network over radix."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle.design.largest_within import largest

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from matplotlib.figure import Figure

    from tulle.design.search import Design, Proposal

__all__ = ["plot_costs", "plot_largest"]


def plot_costs(found: Design) -> Figure:
    """Draw a line per family: the lowest cost per endpoint of networks with at least the throughput on the x axis."""
    from tulle.plot.design import plot_families

    families = dict.fromkeys(proposal.forms.family for proposal in found.proposals)
    lines = {
        family: (family, _cheapest(of for of in found.proposals if of.forms.family == family)) for family in families
    }
    title = f"{found.low:,} to {found.high:,} endpoints on switches of {found.radix} ports"
    return plot_families(lines, "all-to-all throughput (per endpoint's link)", f"{found.currency} per endpoint", title)


def plot_largest(radix: int, families: Sequence[str] | None, min_throughput: float) -> Figure:
    """Draw a line per family and diameter: the endpoints of the largest network on switches of 8 to `radix` ports.

    Raises
    ------
    tulle.MissingDependencyError, tulle.errors.DrawingError
        For the same reasons as in `Drawable.draw`.
    """
    from tulle.plot.design import plot_families

    lines: dict[str, tuple[str, list[tuple[float, float]]]] = {}
    for ports in range(min(8, radix), radix + 1):
        for forms in largest(ports, families=families, min_throughput=min_throughput):
            name = f"{forms.family}, diameter {forms.diameter}"
            lines.setdefault(name, (forms.family, []))[1].append((ports, forms.endpoints))
    title = f"largest networks with an all-to-all bound of at least {min_throughput:g}"
    largest_first = dict(sorted(lines.items(), key=lambda line: -line[1][1][-1][1]))
    return plot_families(largest_first, "ports of a switch", "endpoints", title)


def _cheapest(proposals: Iterable[Proposal]) -> list[tuple[float, float]]:
    """Return throughput and cost of the Pareto-optimal proposals, by ascending throughput."""
    points: list[tuple[float, float]] = []
    carried = [(of.all_to_all, of.cost_per_endpoint) for of in proposals if of.all_to_all is not None]
    for throughput, cost in sorted(carried, key=lambda point: (-point[0], point[1])):
        if not points or cost < points[-1][1]:
            points.append((throughput, cost))
    return points[::-1]
