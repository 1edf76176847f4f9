"""Worst-case search: find workloads that load the busiest channel of a routing most."""

from __future__ import annotations

from operator import index
from typing import NamedTuple

from tulle import _tulle
from tulle._internal.arguments import read_seed
from tulle.errors import InputError
from tulle.routing.routing import Routing, only_routing
from tulle.workload import Workload, as_workload


class Stressed(NamedTuple):
    """A workload that stresses a routing, made by :func:`stress`."""

    workload: Workload
    """The messages, some of their destinations exchanged."""
    before: float
    """Bytes over the most loaded channel before."""
    after: float
    """Bytes over the most loaded channel after."""


def stress(routing: Routing, workload: Workload | str, tries: int = 100_000, seed: int = 0) -> Stressed:
    """Exchange destinations between messages so that the most loaded channel carries more.

    Every endpoint sends and receives as many messages as before, so a permutation stays one. A message is split evenly
    over the layers of the routing (or the paths of its pair) and over equal-cost ports. The method is a local search:
    it proves no worst case.

    Parameters
    ----------
    routing
        The routing under which loads are counted.
    workload
        The start of the search.
    tries
        Pairs of messages tried.
    seed
        Of the search.

    Raises
    ------
    tulle.InputError
        For messages of another fabric, between endpoints that are not there, or that wait for others.

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
