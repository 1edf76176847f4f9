"""Certify the all-to-all throughput of configurations by building and measuring each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tulle._internal.html_summary import Shown
from tulle.analysis.concurrent_flow.run import throughput
from tulle.errors import ConstructionError

if TYPE_CHECKING:
    from tulle.fabric import Fabric

__all__ = ["GAP", "SWITCHES", "Certificate", "build", "certify"]

GAP = 0.03
"""Largest accepted relative gap between lower and upper bound, and so between a certified value and the optimum."""
SWITCHES = 3000
"""Fabrics with more switches than this keep their closed-form bound, because a certificate would take minutes."""


@dataclass(frozen=True)
class Certificate(Shown):
    """Bounds on the all-to-all throughput of a fabric, as fractions of the endpoints' rate, at most 1."""

    lower: float
    """The lower bound, which a computed flow reaches."""
    upper: float
    """The upper bound, which no flow exceeds."""


class _EnoughError(Exception):
    """Raised to stop the computation of bounds when they are already good enough."""


def certify(fabric: Fabric, worthless: float) -> Certificate:
    """Return bounds for all-to-all traffic over any paths.

    The relative gap of the bounds is at most `GAP`. The computation stops earlier if the fabric sustains full rate, or
    if its upper bound is at most `worthless`.
    """
    if fabric.num_switches == 1:
        return Certificate(1.0, 1.0)
    known = [0.0, float("inf")]

    def look(_: int, lower: float, upper: float) -> None:
        known[:] = lower, upper
        if lower >= 1 or upper <= worthless:
            raise _EnoughError

    try:
        found = throughput(fabric, "all-to-all", gap=GAP, progress=look)
        known[:] = found.lower, found.upper
    except _EnoughError:
        pass
    # Rounding can put an exact upper bound slightly below the lower bound.
    return Certificate(min(known[0], 1.0), min(max(known), 1.0))


def build(spec: str) -> Fabric | None:
    """Return the fabric; None if its random construction keeps failing: such a fabric probably does not exist."""
    from tulle.fabric import Fabric

    try:
        return Fabric(spec)
    except ConstructionError:
        return None
