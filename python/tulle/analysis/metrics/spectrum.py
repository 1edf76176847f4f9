"""The metric `spectrum`: spectral gap and edge expansion."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle.analysis.metrics.model import Finding, MetricGroup
from tulle.declarations import Declaration
from tulle.metric import Metric

if TYPE_CHECKING:
    from tulle.fabric import Fabric


def measure(fabric: Fabric, _: int) -> Finding:
    """Compute eigenvalues of the adjacency matrix, and bounds of the edge expansion."""
    from tulle.analysis.spectral import spectrum

    found = spectrum(fabric)
    return Finding(
        {
            "largest_eigenvalue": found.largest,
            "second_eigenvalue": found.second,
            "least_eigenvalue": found.least,
            "spectral_gap": found.gap,
            "algebraic_connectivity": found.algebraic_connectivity,
            "expansion_lower": found.expansion_lower,
            "expansion_upper": found.expansion_upper,
        }
    )


METRIC = MetricGroup(
    Declaration(
        name="spectrum",
        summary="eigenvalues of the adjacency matrix, spectral gap, and bounds on the edge expansion",
        parameters=[],
        paper="FatPaths §IV (expansion); Alon and Milman, J. Comb. Theory B 38, 1985",
        limitations="Edge expansion has two bounds: half of the algebraic connectivity, and the best cut of a sweep.",
        examples=["spectrum"],
    ),
    (
        Metric("largest_eigenvalue", "largest eigenvalue"),
        Metric("second_eigenvalue", "second"),
        Metric("least_eigenvalue", "least"),
        Metric("spectral_gap", "spectral gap"),
        Metric("algebraic_connectivity", "algebraic connectivity"),
        Metric("expansion_lower", "expansion at least"),
        Metric("expansion_upper", "expansion at most"),
    ),
    measure,
)
