"""Count collisions: flows between the same two switches (FatPaths §IV-A, Fig. 4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np

from tulle.errors import InputError, SpecError
from tulle.fabric import as_fabric
from tulle.workload import as_workload

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tulle.fabric import Fabric
    from tulle.workload import Workload

__all__ = ["collisions", "of_pattern"]

# Offsets of the 4-point stencil in large networks (FatPaths §II-C). The off-diagonal pattern uses the larger offset.
_NEAR, _FAR = 1, 1337


def collisions(
    fabric: Fabric | str, workloads: Workload | str | Sequence[Workload | str], seed: int = 0
) -> NDArray[np.int64]:
    """Return a histogram of messages per ordered pair of distinct switches, int64.

    Entry n is the number of pairs with n messages. Entry 0 counts pairs of switches with endpoints that have no message
    between them. The messages of several workloads are added. Workloads given as specs are generated with `seed`.
    Messages between endpoints of one switch use no cable and are not counted.

    Raises
    ------
    tulle.InputError
        For a workload of another fabric, or a message of an endpoint that does not exist in the fabric.

    Examples
    --------
    >>> import tulle
    >>> tulle.analysis.collisions("clique:degree=3,p=2", "permutation", seed=1).tolist()
    [5, 7]
    """
    fabric = as_fabric(fabric, seed)
    given = list(workloads) if isinstance(workloads, (list, tuple)) else [cast("Workload | str", workloads)]
    loads = [as_workload(fabric, load, seed) for load in given]
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


def of_pattern(fabric: Fabric, pattern: str, seed: int) -> list[Workload]:
    """Return the workloads of a traffic pattern of FatPaths Fig. 4.

    The pattern is ``permutation``, ``off-diagonal``, ``shuffle``, ``4-permutations`` or ``stencil``. Except for
    permutations, process ids are mapped to endpoints at random.

    The shuffle rotates the bits of a process id to the left by one. As in the paper (§II-C), N processes with 2^i < N <
    2^(i+1) have ids of i + 1 bits, and results of N or more are taken modulo N.
    """
    from tulle.workload import Workload, traffic

    def diagonal(offset: int) -> Workload:
        return traffic(fabric, f"skewed:bytes=1B,offset={offset % fabric.num_endpoints},mapping=random", seed)

    match pattern:
        case "permutation":
            return [traffic(fabric, "permutation:bytes=1B", seed)]
        case "4-permutations":
            return [traffic(fabric, "permutation:bytes=1B", 4 * seed + at) for at in range(4)]
        case "off-diagonal":
            return [diagonal(_FAR)]
        case "stencil":
            return [diagonal(offset) for offset in (_NEAR, -_NEAR, _FAR, -_FAR)]
        case "shuffle":
            number = fabric.num_endpoints
            bits = (number - 1).bit_length()
            process = np.arange(number)
            partner = (process << 1 & (1 << bits) - 1 | process >> (bits - 1)) % number
            # The sources of an off-diagonal pattern are the endpoints to which processes 0, 1, … are mapped at random.
            place = diagonal(1).source
            other = partner != process
            return [Workload(place[process[other]], place[partner[other]], 1)]
    raise SpecError(
        f"pattern={pattern} is not a choice; legal: permutation, off-diagonal, shuffle, 4-permutations, stencil"
    )
