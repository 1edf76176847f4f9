"""The metric `spectrum`: spectral gap and edge expansion."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle.analysis.metrics.model import Arguments, Finding, Metric
from tulle.registry import Entry

if TYPE_CHECKING:
    from collections.abc import Callable

    from tulle.fabric import Fabric


def read(_: Arguments) -> Callable[[Fabric, int], Finding]:
    """Takes no arguments."""

    def measure(fabric: Fabric, _: int) -> Finding:
        from tulle.analysis.spectral import spectrum

        found = spectrum(fabric)
        figures = {
            "largest_eigenvalue": found.largest,
            "second_eigenvalue": found.second,
            "least_eigenvalue": found.least,
            "spectral_gap": found.gap,
            "algebraic_connectivity": found.algebraic_connectivity,
            "expansion_lower": found.expansion_lower,
            "expansion_upper": found.expansion_upper,
        }
        return Finding(figures)

    return measure


METRIC = Metric(
    Entry(
        name="spectrum",
        summary="eigenvalues of the adjacency matrix, spectral gap, and a bracket of the edge expansion",
        parameters=[],
        nested=False,
        paper="FatPaths §IV (expansion); Alon and Milman, J. Comb. Theory B 38, 1985",
        limitations="Expansion is a bracket: half of the algebraic connectivity, and a sweep.",
        examples=["spectrum"],
    ),
    read,
)
