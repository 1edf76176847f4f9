"""Measure the throughput of all-to-all traffic and of the worst permutation found.

All-to-all traffic is measured over any paths and over the paths of the routing, the permutation only over the paths of
the routing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle.analysis.concurrent_flow.run import throughput
from tulle.analysis.worst_case import stress
from tulle.compare.card import CardMetric
from tulle.errors import InputError
from tulle.workload import traffic

if TYPE_CHECKING:
    from tulle.fabric import Fabric
    from tulle.routing.routing import Routing
    from tulle.workload import Workload

_GAP = 0.05
ROUTED = {
    "all_to_all_routed": CardMetric("all-to-all, routed, even split", "high"),
    "worst_routed": CardMetric("worst permutation found, even split", "high"),
    "worst_best_split": CardMetric("the same permutation, best split", "high", slack=_GAP),
}
FIXED = ("all_to_all",)
"""Metrics that do not depend on the seed. Routings depend on it."""
INTACT = {"all_to_all_best_split": CardMetric("all-to-all, routed, best split", "high", slack=_GAP)}
"""Metrics of intact fabrics only. With groups of next hops, the optimisation takes up to 20 s for each routing."""
METRICS = {
    "all_to_all": CardMetric("all-to-all, any paths", "high", slack=_GAP),
    "all_to_all_routed": ROUTED["all_to_all_routed"],
    **INTACT,
    **ROUTED,
}
# Traffic patterns to try: long distances, collisions between endpoints of a switch, random pairs, and the worst case
# that a paper describes for the family, if any.
_STARTS = ("longest-matching:of=switches", "skewed", "permutation", "worst-case")
_TRIES = 20_000


def any_paths(fabric: Fabric) -> float:
    """Return an achievable throughput of all-to-all traffic over any paths."""
    return throughput(fabric, "all-to-all", gap=_GAP).lower


def measure_intact(
    fabric: Fabric, routing: Routing, seed: int, any_paths: float
) -> tuple[dict[str, float | None], str]:
    """Return the results of `measure`, and the throughput of all-to-all traffic with the best split."""
    values, name = measure(fabric, routing, seed, any_paths)
    best = _best_split(fabric, "all-to-all", routing, values["all_to_all_routed"] or 0.0)
    return {**values, "all_to_all_best_split": best, "all_to_all": max(best, values["all_to_all"] or 0.0)}, name


def measure(fabric: Fabric, routing: Routing, seed: int, any_paths: float) -> tuple[dict[str, float | None], str]:
    """Return throughputs over any paths and over the paths of the routing, and the name of the worst permutation."""
    routed, name = measure_routed(fabric, routing, seed)
    # Both values are achievable, so the larger one is shown. The routing's throughput is sometimes higher than the
    # computed lower bound for any paths.
    return {"all_to_all": max(any_paths, routed["all_to_all_routed"] or 0.0), **routed}, name


def measure_routed(fabric: Fabric, routing: Routing, seed: int) -> tuple[dict[str, float | None], str]:
    """Return throughputs over the paths of the routing, and the name of the worst permutation.

    Selectors that do not adapt to load reach the throughput of the even split over paths. Adaptive selectors approach
    the throughput of the best split.
    """
    worst, name, messages = _worst(fabric, routing, seed)
    all_to_all = throughput(fabric, "all-to-all", routing, method="split").lower
    best = _best_split(fabric, messages, routing, worst)
    return {"all_to_all_routed": all_to_all, "worst_routed": worst, "worst_best_split": best}, name


def _best_split(fabric: Fabric, messages: Workload | str, routing: Routing, even: float) -> float:
    """Return an achievable throughput with the best split, given the throughput with the even split.

    Both values are achievable, so the larger one is returned. The throughput of the even split is sometimes higher than
    the computed lower bound for the best split.
    """
    return max(even, throughput(fabric, messages, routing, gap=_GAP).lower)


def _worst(fabric: Fabric, routing: Routing, seed: int) -> tuple[float, str, Workload]:
    """Return the lowest throughput found with an even split, the name of its permutation, and the permutation.

    Candidates are the permutations in `_STARTS`, and the result of a search that starts from the worst of them.
    """
    known = []
    for name in _STARTS:
        try:
            messages = traffic(fabric, name, seed)
        except InputError:
            continue
        known.append((throughput(fabric, messages, routing, method="split").lower, name, messages))
    least, start, messages = min(known, key=lambda each: each[0])
    worse = stress(routing, messages, _TRIES, seed).workload
    carried = throughput(fabric, worse, routing, method="split").lower
    if carried < least:
        return carried, f"{start}, destinations exchanged", worse
    return least, start, messages
