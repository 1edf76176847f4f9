"""Automorphisms of fabrics, by BLISS through igraph."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tulle.errors import MissingDependencyError

if TYPE_CHECKING:
    from tulle.fabric import Fabric


def available() -> bool:
    """Whether igraph is installed."""
    from importlib.util import find_spec

    return find_spec("igraph") is not None


def generators(fabric: Fabric) -> list[list[int]]:
    """Permutations of the switches that generate the automorphisms which keep the number of endpoints.

    Raises
    ------
    tulle.MissingDependencyError
        Without igraph.
    """
    try:
        import igraph
    except ImportError:
        raise MissingDependencyError("the orbit method needs igraph; install tulle[symmetry]") from None
    colours = np.bincount(fabric.endpoint_switch, minlength=fabric.num_switches)
    graph = igraph.Graph(fabric.num_switches, fabric.edges.tolist())
    found: list[list[int]] = graph.automorphism_group(color=colours.tolist())
    return found
