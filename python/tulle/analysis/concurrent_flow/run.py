"""Compute the maximum achievable throughput (MAT), as two proven bounds, and rates by the subflow model."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

from tulle import _tulle
from tulle._internal.arguments import read_gap
from tulle.analysis.concurrent_flow.capacities import read_capacities
from tulle.analysis.concurrent_flow.methods import Problem, solve
from tulle.analysis.concurrent_flow.result import Throughput
from tulle.analysis.demand import demands
from tulle.fabric import as_fabric
from tulle.routing.routing import as_routing
from tulle.workload import as_workload

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from tulle.analysis.demand import Demands
    from tulle.fabric import Fabric
    from tulle.routing.routing import Routing
    from tulle.workload import Workload

__all__ = ["Throughput", "subflow_rates", "throughput"]


def throughput(
    fabric: Fabric | str,
    traffic: str | Workload | Demands,
    routing: Routing | str | None = None,
    gap: float | str = 0.01,
    *,
    method: str | None = None,
    capacity: ArrayLike | None = None,
    rate: str | None = None,
    seed: int = 0,
    progress: Callable[[int, float, float], object] | None = None,
) -> Throughput:
    """Compute proven bounds of the largest T for which the channels can carry T times the demands (FatPaths §VI-A).

    Parameters
    ----------
    fabric
        The fabric. Its cables between switches limit the flow; endpoint links are not modelled.
    traffic
        Traffic in any form that `demands` accepts. With T = 1, the busiest sender sends at one link rate, unless the
        traffic is a `Demands` object with other amounts.
    routing
        The routing whose paths the flow uses; traffic of a pair is split optimally over them. None means any path.
    gap
        The wanted maximum relative gap between the bounds, for example 0.01 or ``"1%"``.
    method
        One of `METHODS`. None chooses by the size of the problem.
    capacity
        Capacity of the channels in units of the link rate, (C,) or one number. None means the known rates of the
        fabric, or 1 if no rate is known.
    rate
        The link rate, for example ``"100Gbps"``, also used for links of unknown rate. None means the rate of the
        fastest endpoint link, or of the fastest link if the rates of endpoint links are unknown.
    seed
        Seed for a traffic that is given as a spec.
    progress
        A callback that is called repeatedly with the number of rounds, the lower bound and the upper bound (0, 0 and
        infinity in linear programs). An exception in the callback stops the run.

    Raises
    ------
    tulle.SpecError
        For an unknown method, a gap out of range, or a traffic that `demands` refuses.
    tulle.InputError
        For a disconnected pair, a routing of another fabric, traffic without demand, or a capacity below 0.

    Examples
    --------
    >>> import tulle
    >>> fabric = tulle.Fabric("slimfly:q=5")
    >>> found = tulle.analysis.throughput(fabric, "longest-matching", tulle.route(fabric, "minimal"))
    >>> round(found.lower, 6), found.proven
    (0.25, True)
    """
    fabric = as_fabric(fabric, seed)
    gap = read_gap(gap)
    wanted = demands(fabric, traffic, seed)
    routing = None if routing is None else as_routing(fabric, routing, seed)
    capacities = read_capacities(fabric, capacity, rate)
    started = perf_counter()
    name, bounds = solve(Problem(fabric, wanted, routing, capacities, gap, progress), method)
    seconds = perf_counter() - started
    proven = bounds.lower > 0 and bounds.upper <= bounds.lower * (1 + gap)
    return Throughput(bounds.lower, bounds.upper, name, seconds, proven, None if proven else bounds.stopped)


def subflow_rates(fabric: Fabric | str, workload: Workload | str, routing: Routing | str) -> NDArray[np.float64]:
    """Compute the rate of each message by the subflow model, in units of a link's rate: float64, one per message.

    By eq. (1) of the paper "Multi-path routing in the Jellyfish network", every message has one subflow per path. The
    rate of a subflow is 1 / n, where n is the largest number of subflows on a link of its path, including the links of
    its endpoints. The rate of a message is the sum over its subflows.

    The model describes transports without central optimisation. Its rates are not bounds.

    Raises
    ------
    tulle.InputError
        For a routing of another fabric, messages between endpoints that do not exist, or a pair without a path.

    Examples
    --------
    >>> import tulle
    >>> rates = tulle.analysis.subflow_rates("slimfly:q=3", "permutation", "minimal")
    >>> round(float(rates.mean()), 3)
    0.583
    """
    fabric = as_fabric(fabric)
    routing, workload = as_routing(fabric, routing), as_workload(fabric, workload)
    return _tulle.subflow_rates(routing._core, workload._core)
