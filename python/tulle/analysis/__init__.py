"""What a fabric offers (distances, path diversity, interference, connectivity, load) and carries (throughput).

>>> import tulle
>>> found = tulle.analysis.disjoint_paths(tulle.Fabric("clique:degree=10"), max_hops=2, mode="exact")
>>> found.mean, found.share_of_radix(found.mean)
(10.0, 1.0)

Numbers are exact, or a bracket of bounds, or called greedy. Names load on first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tulle.analysis.colliding import collisions as collisions
    from tulle.analysis.connectivity import FlowTree as FlowTree
    from tulle.analysis.connectivity import edge_connectivity as edge_connectivity
    from tulle.analysis.connectivity import flow_tree as flow_tree
    from tulle.analysis.connectivity import rank_connectivity as rank_connectivity
    from tulle.analysis.demand import Demands as Demands
    from tulle.analysis.demand import demands as demands
    from tulle.analysis.density import edge_density as edge_density
    from tulle.analysis.density import total_network_load as total_network_load
    from tulle.analysis.diversity import DisjointPaths as DisjointPaths
    from tulle.analysis.diversity import Interference as Interference
    from tulle.analysis.diversity import disjoint_paths as disjoint_paths
    from tulle.analysis.diversity import disjoint_paths_between as disjoint_paths_between
    from tulle.analysis.diversity import interference as interference
    from tulle.analysis.lengths import Distances as Distances
    from tulle.analysis.lengths import NextHops as NextHops
    from tulle.analysis.lengths import distances as distances
    from tulle.analysis.lengths import next_hop_counts as next_hop_counts
    from tulle.analysis.lengths import next_hops as next_hops
    from tulle.analysis.lengths import walks as walks
    from tulle.analysis.mat import Throughput as Throughput
    from tulle.analysis.mat import subflow_rates as subflow_rates
    from tulle.analysis.mat import throughput as throughput
    from tulle.analysis.mat.methods import METHODS as METHODS
    from tulle.analysis.mat.methods import check_method as check_method
    from tulle.analysis.measures import Measures as Measures
    from tulle.analysis.measures import measures as measures
    from tulle.analysis.partition import Bisection as Bisection
    from tulle.analysis.partition import bisection as bisection
    from tulle.analysis.spectral import Spectrum as Spectrum
    from tulle.analysis.spectral import spectrum as spectrum

# Public name -> module it lives in.
_HOMES = {
    "METHODS": "mat.methods",
    "Bisection": "partition",
    "Demands": "demand",
    "DisjointPaths": "diversity",
    "Distances": "lengths",
    "FlowTree": "connectivity",
    "Interference": "diversity",
    "Measures": "measures",
    "NextHops": "lengths",
    "Spectrum": "spectral",
    "Throughput": "mat",
    "bisection": "partition",
    "check_method": "mat.methods",
    "collisions": "colliding",
    "demands": "demand",
    "disjoint_paths": "diversity",
    "disjoint_paths_between": "diversity",
    "distances": "lengths",
    "edge_connectivity": "connectivity",
    "edge_density": "density",
    "flow_tree": "connectivity",
    "interference": "diversity",
    "measures": "measures",
    "next_hop_counts": "lengths",
    "next_hops": "lengths",
    "rank_connectivity": "connectivity",
    "spectrum": "spectral",
    "subflow_rates": "mat",
    "throughput": "mat",
    "total_network_load": "density",
    "walks": "lengths",
}

__all__ = [*_HOMES]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'tulle.analysis' has no attribute '{name}'")
    value = getattr(import_module(f"tulle.analysis.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
