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
    units, nics, host = int(keys["units"]), int(keys.get("nics", "1")), int(keys.get("host", "1"))
    # Endpoints that share the rack units of a host, or, if hosts are 1 U high, those that share a rack unit.
    together = nics * int(keys["density"]) if host == 1 else nics
    switches = fabric.num_switches
    endpoints = np.bincount(fabric.endpoint_switch, minlength=switches)
    # The unit of size is a rack unit divided by `together`. Sizes in rack units would round up the endpoints of every
    # switch separately.
    heights = together + endpoints * host

    def units_of(switches: int, endpoints: int) -> int:
        return switches - (-endpoints // together) * host

    if (needed := units_of(1, int(endpoints.max(initial=0)))) > units:
        raise InputError(
            f"a switch with {endpoints.max()} endpoints needs {needed} rack units, but a rack of the floor has "
            f"units={units}; legal: a floor with more units, or a higher density of hosts of 1 U"
        )
    least = max(1, -(-units_of(switches, fabric.num_endpoints) // units))
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
        held = zip(np.bincount(found).tolist(), np.bincount(found, weights=endpoints).tolist(), strict=True)
        if max(units_of(count, int(ends)) for count, ends in held) <= units:
            return found
    raise InputError(
        f"METIS finds no partition that fits into {least} to {least + _TRIES - 1} racks; "
        "legal: a floor with more units per rack"
    )
