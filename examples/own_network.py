"""Use your own network, routing and traffic: arrays and graphs instead of specs.

A researcher can try a new topology or routing scheme without a plug-in. tulle checks the routing as it
checks its own: next hops that form a loop are refused, and the simulator reports pairs without a path.
"""

import networkx as nx
import numpy as np

import tulle

# A circulant graph: each switch has cables to the switches whose ids are 1 and 4 higher. Each has two endpoints.
graph = nx.circulant_graph(16, [1, 4])
fabric = tulle.Fabric.from_networkx(graph, endpoint_switch=2)
print(f"{fabric.num_switches} switches, {fabric.num_cables} cables, diameter {fabric.diameter}")

# All shortest paths, computed by networkx.
pairs = [(a, b) for a in graph for b in graph if a != b]
routing = tulle.Routing.from_paths(fabric, [path for pair in pairs for path in nx.all_shortest_paths(graph, *pair)])
print(f"{len(routing.path_columns().source) / len(pairs):.2f} shortest paths per pair")

# Every endpoint sends to the endpoint on the opposite side of the circle.
source = np.arange(fabric.num_endpoints)
load = tulle.Workload(source, (source + len(source) // 2) % len(source), bytes=100_000)
result = tulle.simulate(fabric, routing, load, rate="10Gbps", seed=1)
print(f"{result.summary()['completed']} flows, mean {result.fct_us.mean():.0f} µs")

# Output:
# 16 switches, 32 cables, diameter 3
# 2.27 shortest paths per pair
# 32 flows, mean 185 µs
