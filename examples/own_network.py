"""Use your own network, routing and traffic: arrays and graphs instead of specs.

A researcher with a new topology or routing scheme needs no plug-in to try it. tulle checks it like its own: next hops
that form a loop are refused, and the simulator reports pairs without a path.
"""

import networkx as nx
import numpy as np

import tulle

# A circulant graph, in which each switch also has a cable to the switch four places on; two endpoints per switch.
graph = nx.circulant_graph(16, [1, 4])
fabric = tulle.Fabric.from_networkx(graph, endpoint_switch=2)
print(f"{fabric.num_switches} switches, {fabric.num_cables} cables, diameter {fabric.diameter}")

# All shortest paths, computed by networkx.
pairs = [(a, b) for a in graph for b in graph if a != b]
routing = tulle.Routing.from_paths(fabric, [path for pair in pairs for path in nx.all_shortest_paths(graph, *pair)])
print(f"{len(routing.path_columns().source) / len(pairs):.2f} shortest paths per pair")

# Every endpoint sends to the endpoint half way around the circle.
source = np.arange(fabric.num_endpoints)
load = tulle.Workload(source, (source + len(source) // 2) % len(source), bytes=100_000)
result = tulle.simulate(fabric, routing, load, rate="10Gbps", seed=1)
print(f"{result.summary()['completed']} flows, mean {result.fct_us.mean():.0f} µs")

# Output:
# 16 switches, 32 cables, diameter 3
# 2.27 shortest paths per pair
# 32 flows, mean 185 µs
