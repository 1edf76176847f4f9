"""The linear program for throughput over all channels, or over their orbits.

An orbit is a set of channels that automorphisms of the fabric map to each other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tulle.analysis.concurrent_flow.highs import Program, solve
from tulle.analysis.concurrent_flow.result import Bounds

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from tulle import _tulle


def bracket(
    flow: _tulle.EdgeFlow, channels: NDArray[np.int32], switches: int, look: Callable[[], object] | None
) -> Bounds:
    """Solve the linear program; return the bounds that its flow and dual values prove.

    `look` is called repeatedly, except for small programs. An exception in `look` stops the solver.
    """
    solution = solve(program(flow, channels, switches), "ipm", look)
    orbit = flow.orbits()[2]
    # The dual value of a row is the price per unit of capacity. All channels of an orbit have the price of the orbit's
    # row.
    lower = flow.lower(solution.columns[:-1], float(solution.columns[-1]))
    return Bounds(
        lower, flow.upper(solution.prices[orbit]), None if solution.optimal else f"HiGHS ended with: {solution.status}"
    )


def program(flow: _tulle.EdgeFlow, channels: NDArray[np.int32], switches: int) -> Program:
    """Return the linear program. It has a column for the flow of each source on each channel, and a column for T.

    T is the throughput, and d is the demand from a source to a switch. Each source has a row for every other switch:
    (flow in) − (flow out) − d·T = 0. A row for the source itself would be redundant. Each orbit of channels has a row:
    the flow of all sources is at most the capacity of the orbit. The flow of a source is multiplied by the number of
    sources that it represents.
    """
    sources, weight, orbit = flow.orbits()
    count, width = len(sources), len(channels)
    orbits = int(orbit.max()) + 1
    # The rows of source i start at i·(switches − 1), ordered by switch without the source itself.
    other = np.arange(switches, dtype=np.int64)[None, :] - (np.arange(switches)[None, :] > sources[:, None])
    rows = other + (np.arange(count, dtype=np.int64) * (switches - 1))[:, None]
    equalities = count * (switches - 1)
    out, into = rows[:, channels[:, 0]].ravel(), rows[:, channels[:, 1]].ravel()
    load = np.tile(equalities + orbit.astype(np.int64), count)
    index = np.stack([out, into, load], axis=1)
    value = np.stack([np.full(count * width, -1.0), np.ones(count * width), np.repeat(weight, width)], axis=1)
    keep = np.ones(index.shape, dtype=bool)
    keep[:, 0] = (channels[None, :, 0] != sources[:, None]).ravel()
    keep[:, 1] = (channels[None, :, 1] != sources[:, None]).ravel()
    demands = [flow.demand(int(source)) for source in sources]
    wanted = np.concatenate([np.delete(demand, source) for demand, source in zip(demands, sources, strict=True)])
    last = np.flatnonzero(wanted)
    start = np.concatenate([[0], np.cumsum(keep.sum(axis=1)), [0]])
    start[-1] = start[-2] + len(last)
    room = np.bincount(orbit, weights=flow.capacity(), minlength=orbits)
    return Program(
        start.astype(np.int32),
        np.concatenate([index[keep], last]).astype(np.int32),
        np.concatenate([value[keep], -wanted[last]]),
        np.concatenate([np.zeros(equalities), room]),
        equalities,
    )
