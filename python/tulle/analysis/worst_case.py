"""Search for bad workloads, which maximise the load of the busiest channel of a routing."""

from __future__ import annotations

from operator import index
from typing import NamedTuple

from tulle import _tulle
from tulle._internal.arguments import read_seed
from tulle.errors import InputError
from tulle.routing.routing import Routing, only_routing
from tulle.workload import Workload, as_workload


class Stressed(NamedTuple):
    """A workload that stresses a routing. Made by `stress`."""

    workload: Workload
    """The messages, after the search has exchanged the destinations of some pairs of messages."""
    before: float
    """Bytes over the most loaded channel before the search."""
    after: float
    """Bytes over the most loaded channel after the search."""


def stress(routing: Routing, workload: Workload | str, tries: int = 100_000, seed: int = 0) -> Stressed:
    """Exchange destinations between messages so that the most loaded channel carries more bytes.

    Every endpoint sends and receives as many messages as before, so a permutation remains a permutation. A message is
    split evenly over the layers of the routing (or the paths of its pair) and over equal-cost ports. The method is a
    local search, so worse workloads may exist.

    Parameters
    ----------
    routing
        The routing that determines the loads of channels.
    workload
        The workload from which the search starts.
    tries
        Number of swaps that the search tries; a swap exchanges the destinations of two messages.
    seed
        Seed of the search.

    Raises
    ------
    tulle.InputError
        For messages of another fabric, between endpoints that do not exist, or with dependencies.

    Examples
    --------
    >>> import tulle
    >>> fabric = tulle.Fabric("slimfly:q=5")
    >>> start = tulle.traffic(fabric, "permutation:bytes=1B", seed=1)
    >>> found = tulle.stress(tulle.route(fabric, "minimal"), start, tries=20_000)
    >>> found.after > found.before
    True
    """
    routing = only_routing(routing)
    workload = as_workload(routing.fabric, workload, seed)
    count = index(tries)
    if not 0 <= count < 1 << 64:
        raise InputError(f"tries={count} is out of range; legal: 0 to 2^64-1")
    core, before, after = _tulle.stress(routing._core, workload._core, count, read_seed(seed))
    return Stressed(Workload._of(core), before, after)
