"""Choose the method that computes the throughput bounds. The choice depends on the problem and its size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tulle import _tulle
from tulle._internal.text import did_you_mean
from tulle.analysis.concurrent_flow import edge_lp, path_lp, symmetry
from tulle.analysis.concurrent_flow.result import Bounds
from tulle.errors import InputError, SpecError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from tulle.analysis.demand import Demands
    from tulle.fabric import Fabric
    from tulle.routing.routing import Routing

    Watch = Callable[[int, float, float], object]
    """A progress callback. Its arguments are the number of rounds, the lower bound and the upper bound."""

_ROUTED = {
    "path-lp": "linear program over the routing's paths; interior points, or the simplex method for small programs",
    "path-pdlp": "linear program over the routing's paths, solved by the first-order method PDLP",
    "path-weights": "multiplicative weights over the routing's paths",
    "split": "smallest ratio of a channel's capacity to its load, if traffic splits by the weights of layers and next"
    " hops (evenly without weights), or evenly over the paths of a path set",
}
_FREE = {
    "edge-lp": "linear program over all channels, so flows may use any path; solved like path-lp",
    "orbit-lp": "like edge-lp, but automorphisms make it smaller; only for all-to-all without link rates; needs"
    " tulle[symmetry]",
    "weights": "multiplicative weights; paths are generated as needed, so flows may use any path",
    "orbit-weights": "like weights, but automorphisms make it smaller; only for all-to-all without link rates; needs"
    " tulle[symmetry]",
    "hops": "upper bound only: total capacity of the channels divided by the sum of demand times distance",
}
_ORBITS = ("orbit-lp", "orbit-weights")
METHODS = {**_ROUTED, **_FREE}
"""Methods by name: first the methods for a routing, then the methods that may use any path."""

# Up to these sizes, a linear program takes at most about a second and is preferred, because it is exact. The size is
# the total hops of all paths for `path-lp`, and the number of columns for `edge-lp` and `orbit-lp`.
_PATH_LP, _EDGE_LP, _ORBIT_LP = 20_000, 30_000, 600_000
# Up to this number of source orbits, the linear program is about as fast as multiplicative weights with a gap of 1%.
# With more source orbits, it is up to 50 times slower than multiplicative weights.
_FEW_ORBITS = 4
# With at least this many switches (with endpoints) per orbit, `orbit-weights` saves more time than the search for
# automorphisms takes.
_SHARED = 4
# Up to this number of columns, a linear program takes a few hundredths of a second for any traffic.
_TRIFLE = 2_000
# Gap below which multiplicative weights converge slowly.
_NARROW = 1e-3


def check_method(name: str | None) -> None:
    """Check that `name` is the name of a method, or None.

    Raises
    ------
    tulle.SpecError
        For an unknown method.

    Examples
    --------
    >>> import tulle
    >>> tulle.analysis.check_method("path-lp")
    """
    if name is not None and name not in METHODS:
        raise SpecError(f"unknown method '{name}'; {did_you_mean(name, list(METHODS))}")


@dataclass(frozen=True)
class Problem:
    """A throughput problem: fabric, demands, optional routing and capacities, the wanted gap, and a callback."""

    fabric: Fabric
    demands: Demands
    routing: Routing | None
    capacity: NDArray[np.float64] | None
    gap: float
    watch: Watch | None

    def look(self) -> None:
        """Call `watch` with 0 rounds, because linear programs have no bounds before they end."""
        if self.watch is not None:
            self.watch(0, 0.0, float("inf"))


def solve(problem: Problem, name: str | None) -> tuple[str, Bounds]:
    """Run the method called `name`, or choose a method if it is None. Return its name and the bounds that it proves.

    Raises
    ------
    tulle.SpecError
        For an unknown method.
    tulle.InputError
        For a method that needs a routing if there is none, a method that cannot use a routing if there is one, or a
        method that does not support the traffic.
    """
    check_method(name)
    legal = list(_FREE if problem.routing is None else _ROUTED)
    if name is not None and name not in legal:
        state = "without" if problem.routing is None else "with"
        raise InputError(f"method '{name}' does not work {state} a routing; legal: {', '.join(legal)}")
    return _free(problem, name) if problem.routing is None else _routed(problem, problem.routing, name)


def _routed(problem: Problem, routing: Routing, name: str | None) -> tuple[str, Bounds]:
    if name == "split":
        load = _tulle.split_loads(routing._core, problem.demands._core)
        capacity = np.ones(len(load)) if problem.capacity is None else problem.capacity
        if (wrong := np.flatnonzero(~(np.isfinite(capacity) & (capacity >= 0)))).size:
            raise InputError(f"channel {wrong[0]} has capacity {capacity[wrong[0]]}; legal: finite, 0 or more")
        used = load > 0
        found = float((capacity[used] / load[used]).min())
        return name, Bounds(found, found, None)
    flow = _tulle.path_flow(routing._core, problem.demands._core, problem.capacity)
    name = name or ("path-lp" if len(flow.paths()[2]) <= _PATH_LP or problem.gap < _NARROW else "path-weights")
    if name == "path-weights":
        return name, _weighted(*_tulle.weights_over_paths(flow, problem.gap, problem.watch))
    return name, path_lp.bracket(flow, "pdlp" if name == "path-pdlp" else "ipm", problem.look)


def _free(problem: Problem, name: str | None) -> tuple[str, Bounds]:
    fabric, core = problem.fabric, problem.demands._core
    alike = problem.demands.all_to_all and problem.capacity is None
    if name in _ORBITS and not alike:
        reason = f"the traffic is {problem.demands.spec}"
        if problem.demands.all_to_all:
            reason = "channels have capacities"
        raise InputError(f"{name}: {reason}; legal: all-to-all traffic, without capacities and link rates")
    if name in _ORBITS or (name is None and alike and _worth_orbits(problem)):
        flow = _tulle.edge_flow(fabric._core, core, None, symmetry.generators(fabric))
        sources, all_sources = len(flow.orbits()[0]), len(np.unique(fabric.endpoint_switch))
        few = sources <= (all_sources - 1 if problem.gap < _NARROW else _FEW_ORBITS)
        most = _ORBIT_LP if sources <= _FEW_ORBITS else _EDGE_LP
        if name == "orbit-lp" or (name is None and few and sources * 2 * fabric.num_cables <= most):
            return "orbit-lp", edge_lp.bracket(flow, fabric.channels, fabric.num_switches, problem.look)
        if name == "orbit-weights" or (problem.gap >= _NARROW and sources * _SHARED <= all_sources):
            return "orbit-weights", _weighted(*flow.weights(problem.gap, problem.watch))
    if name is None:
        columns = len(np.unique(problem.demands.source)) * 2 * fabric.num_cables
        quick = columns <= (_TRIFLE if alike else _EDGE_LP)
        name = "edge-lp" if quick or problem.gap < _NARROW else "weights"
    if name == "weights":
        found = _tulle.weights_over_fabric(fabric._core, core, problem.capacity, problem.gap, problem.watch)
        return name, _weighted(*found)
    flow = _tulle.edge_flow(fabric._core, core, problem.capacity, None)
    if name == "hops":
        return name, Bounds(0.0, flow.upper(np.ones(2 * fabric.num_cables)), "this method gives only an upper bound")
    return name, edge_lp.bracket(flow, fabric.channels, fabric.num_switches, problem.look)


def _weighted(lower: float, upper: float, stopped: bool) -> Bounds:
    return Bounds(lower, upper, "stopped at the maximum number of rounds" if stopped else None)


def _worth_orbits(problem: Problem) -> bool:
    """Return whether orbits can make the all-to-all program small enough, from invariants that are fast to compute."""
    fabric = problem.fabric
    if not symmetry.available() or not _simple(fabric):
        return False
    if problem.gap < _NARROW:
        return True
    least, sources = symmetry.least_orbits(fabric), len(np.unique(fabric.endpoint_switch))
    return least <= _FEW_ORBITS or least * _SHARED <= sources


def _simple(fabric: Fabric) -> bool:
    """Return whether the fabric has no parallel cables."""
    return len(np.unique(fabric.edges, axis=0)) == fabric.num_cables
