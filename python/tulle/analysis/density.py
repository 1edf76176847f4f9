"""Cost of a fabric: edge density (FatPaths Fig. 19) and total network load (FatPaths §IV-B3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle.errors import InputError
from tulle.fabric import as_fabric
from tulle.fabric.fabric import without_endpoints

if TYPE_CHECKING:
    from tulle.fabric import Fabric

__all__ = ["edge_density", "total_network_load"]


def edge_density(fabric: Fabric | str) -> float:
    """Return the number of cables per endpoint, including the cables of endpoints: (½·S·k' + N) / N.

    S is the number of switches, k' the number of cables from a switch to other switches, N the number of endpoints.

    Raises
    ------
    tulle.InputError
        For a fabric without endpoints.

    Examples
    --------
    >>> import tulle
    >>> tulle.analysis.edge_density("slimfly:q=5")
    1.875
    """
    fabric = as_fabric(fabric)
    if fabric.num_endpoints == 0:
        raise without_endpoints(fabric)
    return (fabric.num_cables + fabric.num_endpoints) / fabric.num_endpoints


def total_network_load(fabric: Fabric | str, mean_hops: float | None = None) -> float:
    """Return the total network load: number of channels / mean hops.

    It is an upper bound of the number of flows that share no channel.

    Parameters
    ----------
    fabric
        A fabric.
    mean_hops
        Mean hops of the paths of a routing. None means shortest paths between switches with endpoints.

    Raises
    ------
    tulle.InputError
        For mean hops of 0 or less, or a fabric in which a pair of switches has no path.

    Examples
    --------
    >>> import tulle
    >>> round(tulle.analysis.total_network_load("slimfly:q=5"), 1)
    188.5
    """
    fabric = as_fabric(fabric)
    if mean_hops is None:
        mean_hops = fabric.average_path_length
        if mean_hops is None:
            raise InputError(
                f"{fabric.spec}: it is not connected or has no pair of switches; legal: a connected fabric"
            )
    if not mean_hops > 0:
        raise InputError(f"mean_hops={mean_hops} is out of range; legal: above 0")
    return 2 * fabric.num_cables / mean_hops
