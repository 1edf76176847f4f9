"""Collisions: flows between the same two switches (FatPaths §IV-A, Fig. 4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np

from tulle._inputs import as_fabric, as_workload
from tulle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tulle.fabric import Fabric
    from tulle.workload import Workload

__all__ = ["collisions"]


def collisions(fabric: Fabric | str, workloads: Workload | str | Sequence[Workload | str]) -> NDArray[np.int64]:
    """Ordered pairs of distinct switches by the messages from one to the other, int64: entry n has n messages.

    Messages of several workloads add up. Messages within a switch meet no cable and are left out; entry 0 counts the
    pairs of endpoint-carrying switches without a message.

    Raises
    ------
    tulle.InputError
        For a workload of another fabric, or a message of an endpoint that the fabric does not have.
    """
    fabric = as_fabric(fabric)
    given = list(workloads) if isinstance(workloads, (list, tuple)) else [cast("Workload | str", workloads)]
    loads = [as_workload(fabric, load) for load in given]
    switch, switches = fabric.endpoint_switch.astype(np.int64), fabric.num_switches
    keys = []
    for load in loads:
        if load.num_endpoints not in (None, fabric.num_endpoints):
            problem = f"{load!r} is for {load.num_endpoints} endpoints, {fabric.spec} has {fabric.num_endpoints}"
            raise InputError(f"{problem}; legal: a workload made for this fabric")
        for name, ends in (("source", load.source), ("destination", load.destination)):
            if len(ends) and int(ends.max()) >= fabric.num_endpoints:
                raise InputError(f"{name} {int(ends.max())} is unknown; legal: 0 to {fabric.num_endpoints - 1}")
        source, destination = switch[load.source], switch[load.destination]
        keys.append((source * switches + destination)[source != destination])
    numbers = np.unique(np.concatenate(keys), return_counts=True)[1] if keys else np.zeros(0, np.int64)
    edge = len(np.unique(fabric.endpoint_switch))
    histogram = np.bincount(numbers, minlength=1).astype(np.int64)
    histogram[0] = edge * (edge - 1) - len(numbers)
    return histogram
