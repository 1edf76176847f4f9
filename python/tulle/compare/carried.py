"""Rows of throughput: all-to-all over any paths, the routing's share of it, the longest matching."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle.analysis.throughput.run import throughput
from tulle.compare.card import Figure

if TYPE_CHECKING:
    from tulle.fabric import Fabric
    from tulle.routing.routing import Routing

FIGURES = {
    "all_to_all": Figure("all-to-all, any paths", "high"),
    "all_to_all_routed": Figure("all-to-all, routed", "high"),
    "worst_routed": Figure("longest matching, routed", "high"),
}
_GAP = 0.05


def measure(fabric: Fabric, routing: Routing) -> dict[str, float | None]:
    """A throughput that a flow over any paths reaches; that of the routing at its even split."""
    matching = "longest-matching:of=switches"
    return {
        "all_to_all": throughput(fabric, "all-to-all", gap=_GAP).lower,
        "all_to_all_routed": throughput(fabric, "all-to-all", routing, method="split").lower,
        "worst_routed": throughput(fabric, matching, routing, method="split").lower,
    }
