"""Compute automorphisms of fabrics with BLISS, which igraph contains."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tulle.errors import MissingDependencyError

if TYPE_CHECKING:
    from tulle.fabric import Fabric


def available() -> bool:
    """Return whether igraph is installed."""
    from importlib.util import find_spec

    return find_spec("igraph") is not None


_MATRIX = 1000
"""Up to this number of switches, `least_orbits` multiplies S × S matrices, which takes a few hundredths of a second."""


def least_orbits(fabric: Fabric) -> int:
    """Return a lower bound of the number of orbits of switches with endpoints, without computing automorphisms.

    All switches of an orbit have the same number of endpoints, and the same numbers of closed walks of 3, 4 and 5 hops.
    On random graphs these numbers distinguish nearly all switches. In fabrics of more than 1,000 switches, only the
    numbers of endpoints and cables of a switch are compared.
    """
    switches = fabric.num_switches
    endpoints = np.bincount(fabric.endpoint_switch, minlength=switches)
    kept = [endpoints, np.bincount(fabric.channels[:, 0], minlength=switches)]
    if switches <= _MATRIX:
        joined = np.zeros((switches, switches))
        joined[fabric.channels[:, 0], fabric.channels[:, 1]] = 1
        twice = joined @ joined
        kept += [(twice * joined).sum(1), (twice * twice).sum(1), (twice @ joined * twice).sum(1)]
    return len(np.unique(np.stack(kept)[:, endpoints > 0], axis=1).T)


def generators(fabric: Fabric) -> list[list[int]]:
    """Return permutations of switches that generate all automorphisms that keep the number of endpoints per switch.

    Raises
    ------
    tulle.MissingDependencyError
        If igraph is not installed.
    """
    try:
        import igraph
    except ModuleNotFoundError:
        raise MissingDependencyError("the orbit method needs igraph; install tulle[symmetry]") from None
    colours = np.bincount(fabric.endpoint_switch, minlength=fabric.num_switches)
    graph = igraph.Graph(fabric.num_switches, fabric.edges.tolist())
    found: list[list[int]] = graph.automorphism_group(color=colours.tolist())
    return found
