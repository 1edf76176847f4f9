"""Partition the switches into racks with METIS, for fabrics whose family has no rack structure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tulle.errors import InputError, MissingDependencyError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tulle.fabric import Fabric

# Number of rack counts to try. METIS meets part sizes only roughly, so a partition can need more racks than the
# minimum.
_TRIES = 50


def by_metis(fabric: Fabric, floor: str, seed: int) -> NDArray[np.int32]:
    """Return the part of every switch. Each part fits in a rack with its endpoints, and few cables connect parts.

    Raises
    ------
    tulle.InputError
        For a switch that does not fit in a rack with its endpoints, or if no partition fits.
    tulle.MissingDependencyError
        If pymetis is not installed.
    """
    try:
        import pymetis
    except ModuleNotFoundError:
        raise MissingDependencyError("parts by METIS need pymetis; install tulle[partition]") from None
    keys = dict(pair.split("=") for pair in floor.split(","))
    units, density = int(keys["units"]), int(keys["density"])
    switches = fabric.num_switches
    endpoints = np.bincount(fabric.endpoint_switch, minlength=switches)
    # The unit of size is one endpoint; a rack unit holds `density` endpoints. Sizes in rack units would round up the
    # endpoints of every switch separately.
    heights = density + endpoints
    room = units * density
    if heights.max(initial=0) > room:
        raise InputError(
            f"a switch with {endpoints.max()} endpoints does not fit in a rack of the floor with units={units} and "
            f"density={density}; legal: a floor with more units or a higher density"
        )
    least = max(1, -(-int(heights.sum()) // room))
    if switches < 2 or least == 1:
        return np.zeros(switches, np.int32)
    pairs, cables = np.unique(fabric.channels, axis=0, return_counts=True)
    rows = np.concatenate([[0], np.cumsum(np.bincount(pairs[:, 0], minlength=switches))])
    for racks in range(least, least + _TRIES):
        _, parts = pymetis.part_graph(
            racks,
            pymetis.CSRAdjacency(rows.tolist(), pairs[:, 1].tolist()),
            vweights=heights.tolist(),
            eweights=cables.tolist(),
            options=pymetis.Options(seed=seed % (1 << 31), ufactor=1),
        )
        found = np.asarray(parts, dtype=np.int32)
        if np.bincount(found, weights=heights).max() <= room:
            return found
    raise InputError(
        f"METIS finds no partition that fits into {least} to {least + _TRIES - 1} racks; "
        "legal: a floor with more units per rack"
    )
