"""Simulate layers against shortest paths: all endpoints of a switch send to the endpoints of one other switch.

This pattern is bad for shortest paths, because the flows of a switch share one path. Layers give every pair more
paths. Transport, rates and seed are the same in all runs. Routing and selector differ.
"""

import tulle

fabric = tulle.Fabric("slimfly:q=5")
load = tulle.traffic(fabric, "skewed:bytes=256KiB", seed=1)
for scheme, selector in (("minimal", "spray"), ("random:layers=4,rho=0.7", "flowlet"), ("spread:layers=8", "recycle")):
    routing = tulle.route(fabric, scheme, seed=1)
    result = tulle.simulate(fabric, routing, load, selector=selector, rate="10Gbps", seed=1)
    # Unfinished flows would be missing from the mean, so check that all flows have finished.
    assert result.complete
    times = result.summary()["fct_us"]
    print(f"{scheme:24} {selector:8} mean {times['mean']:5.0f} µs, 99th percentile {times['p99']:5.0f} µs")

# Output:
# minimal                  spray    mean   897 µs, 99th percentile   922 µs
# random:layers=4,rho=0.7  flowlet  mean   754 µs, 99th percentile  1104 µs
# spread:layers=8          recycle  mean   507 µs, 99th percentile   549 µs
