"""Number the switches of a fabric at random, so that results over several seeds do not depend on one numbering."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tulle.fabric import Fabric
from tulle.workload import Workload, traffic

if TYPE_CHECKING:
    from numpy.typing import NDArray


def _numbers(fabric: Fabric, seed: int) -> NDArray[np.int64]:
    """Return the new number of every switch."""
    return np.random.default_rng(seed).permutation(fabric.num_switches)


def renumbered(fabric: Fabric, seed: int) -> Fabric:
    """Return the graph of `fabric` with its switches numbered at random."""
    number = _numbers(fabric, seed)
    return Fabric.from_edges(
        number[fabric.edges], number[fabric.endpoint_switch], num_switches=fabric.num_switches, both="parallel"
    )


def skewed(fabric: Fabric, size: str, seed: int) -> Workload:
    """Return the messages of the pattern ``skewed`` with ranks in the order of randomly numbered switches.

    Endpoints of a switch stay neighbours, so all of them send to the endpoints of one random other switch, if all
    switches have equally many endpoints.
    """
    messages = traffic(fabric, f"skewed:bytes={size}")
    rank = np.argsort(_numbers(fabric, seed)[fabric.endpoint_switch], kind="stable")
    return Workload(rank[messages.source], rank[messages.destination], messages.bytes)
