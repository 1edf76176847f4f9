"""The linear program for throughput over the paths of a routing (FatPaths eqs. 5 to 9)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tulle.analysis.concurrent_flow.highs import Program, solve

if TYPE_CHECKING:
    from collections.abc import Callable

    from tulle import _tulle
    from tulle.analysis.concurrent_flow.highs import Solver
    from tulle.analysis.concurrent_flow.result import Bounds


def bracket(flow: _tulle.PathFlow, solver: Solver, look: Callable[[], object] | None) -> Bounds:
    """Solve the linear program; return the bounds that its flow and dual values prove.

    `look` is called repeatedly, except for small programs. An exception in `look` stops the solver.
    """
    from tulle.analysis.concurrent_flow.result import Bounds

    solution = solve(program(flow), solver, look)
    lower = flow.lower(solution.columns[:-1])
    return Bounds(
        lower, flow.upper(solution.prices), None if solution.optimal else f"HiGHS ended with: {solution.status}"
    )


def program(flow: _tulle.PathFlow) -> Program:
    """Return the linear program. It has a column per path, and a column for T.

    T is the throughput, and x is the flow on a path. Each pair of switches with a demand d has a row, Σ x − d·T = 0.
    Each channel of capacity c has a row, Σ x ≤ c.
    """
    demand, capacity = flow.demand(), flow.capacity()
    first_path, first_hop, channels = flow.paths()
    paths, commodities = len(first_hop) - 1, len(demand)
    commodity = np.repeat(np.arange(commodities, dtype=np.int32), np.diff(first_path))
    # The first entry of column p is in the row of the path's pair of switches. The other entries are in the rows of the
    # path's channels.
    start = np.empty(paths + 2, dtype=np.int32)
    start[:-1] = first_hop + np.arange(paths + 1, dtype=np.int32)
    start[-1] = start[-2] + commodities
    index = np.empty(start[-1], dtype=np.int32)
    value = np.ones(start[-1])
    heads = np.zeros(start[-1], dtype=bool)
    heads[start[:-2]] = True
    heads[start[-2] :] = True
    index[heads] = np.concatenate([commodity, np.arange(commodities, dtype=np.int32)])
    index[~heads] = channels + np.int32(commodities)
    value[start[-2] :] = -demand
    return Program(start, index, value, np.concatenate([np.zeros(commodities), capacity]), commodities)
