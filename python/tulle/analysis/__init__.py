"""Analyse a fabric: distances, path diversity, interference, connectivity, load, and throughput.

>>> import tulle
>>> found = tulle.analysis.disjoint_paths(tulle.Fabric("clique:degree=10"), max_hops=2, mode="exact")
>>> found.mean, found.share_of_radix(found.mean)
(10.0, 1.0)

Docstrings say whether a result is exact, a bound, a greedy count or a model. The public names load on first use.
"""

from typing import TYPE_CHECKING

from tulle._internal.lazy import attach

if TYPE_CHECKING:
    from tulle.analysis.concurrent_flow.methods import METHODS as METHODS
    from tulle.analysis.concurrent_flow.methods import check_method as check_method
    from tulle.analysis.concurrent_flow.result import Throughput as Throughput
    from tulle.analysis.concurrent_flow.run import subflow_rates as subflow_rates
    from tulle.analysis.concurrent_flow.run import throughput as throughput
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
    from tulle.analysis.endpoint_collisions import collisions as collisions
    from tulle.analysis.failure_sweep import Resilience as Resilience
    from tulle.analysis.failure_sweep import resilience as resilience
    from tulle.analysis.lengths import Distances as Distances
    from tulle.analysis.lengths import NextHops as NextHops
    from tulle.analysis.lengths import distances as distances
    from tulle.analysis.lengths import next_hop_counts as next_hop_counts
    from tulle.analysis.lengths import next_hops as next_hops
    from tulle.analysis.lengths import walks as walks
    from tulle.analysis.partition import Bisection as Bisection
    from tulle.analysis.partition import bisection as bisection
    from tulle.analysis.spectral import Spectrum as Spectrum
    from tulle.analysis.spectral import spectrum as spectrum
    from tulle.analysis.summary import Measures as Measures
    from tulle.analysis.summary import measures as measures
    from tulle.analysis.virtual_updown import VirtualUpdownPaths as VirtualUpdownPaths
    from tulle.analysis.virtual_updown import virtual_updown_paths as virtual_updown_paths

# Public name -> module that defines it.
_HOMES = {
    "METHODS": "tulle.analysis.concurrent_flow.methods",
    "Bisection": "tulle.analysis.partition",
    "Demands": "tulle.analysis.demand",
    "DisjointPaths": "tulle.analysis.diversity",
    "Distances": "tulle.analysis.lengths",
    "FlowTree": "tulle.analysis.connectivity",
    "Interference": "tulle.analysis.diversity",
    "Measures": "tulle.analysis.summary",
    "NextHops": "tulle.analysis.lengths",
    "Resilience": "tulle.analysis.failure_sweep",
    "Spectrum": "tulle.analysis.spectral",
    "Throughput": "tulle.analysis.concurrent_flow.result",
    "VirtualUpdownPaths": "tulle.analysis.virtual_updown",
    "bisection": "tulle.analysis.partition",
    "check_method": "tulle.analysis.concurrent_flow.methods",
    "collisions": "tulle.analysis.endpoint_collisions",
    "demands": "tulle.analysis.demand",
    "disjoint_paths": "tulle.analysis.diversity",
    "disjoint_paths_between": "tulle.analysis.diversity",
    "distances": "tulle.analysis.lengths",
    "edge_connectivity": "tulle.analysis.connectivity",
    "edge_density": "tulle.analysis.density",
    "flow_tree": "tulle.analysis.connectivity",
    "interference": "tulle.analysis.diversity",
    "measures": "tulle.analysis.summary",
    "next_hop_counts": "tulle.analysis.lengths",
    "next_hops": "tulle.analysis.lengths",
    "rank_connectivity": "tulle.analysis.connectivity",
    "resilience": "tulle.analysis.failure_sweep",
    "spectrum": "tulle.analysis.spectral",
    "subflow_rates": "tulle.analysis.concurrent_flow.run",
    "throughput": "tulle.analysis.concurrent_flow.run",
    "total_network_load": "tulle.analysis.density",
    "virtual_updown_paths": "tulle.analysis.virtual_updown",
    "walks": "tulle.analysis.lengths",
}

__all__ = [*_HOMES]

if not TYPE_CHECKING:
    # Type checkers must not see `__getattr__`: with it, they accept any name in this module.
    __getattr__, __dir__ = attach(__name__, _HOMES)
