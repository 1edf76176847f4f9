"""Compute bounds on the throughput: the fraction of a hard traffic matrix that a network and its routings can carry.

Both bounds in a row of the output are proved: a computed flow reaches the lower bound, and no flow exceeds the upper
bound. A simulation cannot give such a statement, because a poor result may be due to the transport.
"""

import tulle

fabric = tulle.Fabric("slimfly:q=5")
# Each endpoint sends to one endpoint, and the total distance is as large as possible: a hard pattern for any network.
load = tulle.traffic(fabric, "longest-matching", seed=1)
for scheme in (None, "minimal", "spread:layers=4", "spread:layers=8"):
    routing = None if scheme is None else tulle.route(fabric, scheme, seed=1)
    found = tulle.analysis.throughput(fabric, load, routing, gap="2%")
    print(f"{scheme or 'any paths':16} {found.lower:.2f} to {found.upper:.2f} of the link rate per endpoint")

# Output:
# any paths        0.73 to 0.73 of the link rate per endpoint
# minimal          0.20 to 0.20 of the link rate per endpoint
# spread:layers=4  0.64 to 0.64 of the link rate per endpoint
# spread:layers=8  0.73 to 0.73 of the link rate per endpoint
