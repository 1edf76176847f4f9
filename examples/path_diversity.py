"""Count paths: most pairs of a low-diameter network have one shortest path, but many that are one hop longer.

So routing on shortest paths alone uses few of the paths of such a network. FatPaths therefore also routes over
almost-minimal paths. The numbers are exact: the maximum number of paths of a pair that share no cable, not the count
of a heuristic.
"""

import tulle

for spec in ("slimfly:q=7", "dragonfly:p=4", "fattree:levels=3,radix=14"):
    fabric = tulle.Fabric(spec)
    diameter = fabric.diameter
    assert diameter is not None  # None: not connected
    line = f"{spec:26} diameter {diameter}, radix {fabric.network_radix:2}; disjoint paths per pair:"
    for hops in (diameter, diameter + 1):
        # mode="exact" solves a flow problem for each pair, so it uses a sample: 300 random pairs suffice for a mean.
        found = tulle.analysis.disjoint_paths(fabric, max_hops=hops, mode="exact", pairs=300, seed=1)
        line += f" {found.mean:5.2f} of ≤ {hops} hops"
    print(line)

# Output:
# slimfly:q=7                diameter 2, radix 11; disjoint paths per pair:  1.23 of ≤ 2 hops 10.20 of ≤ 3 hops
# dragonfly:p=4              diameter 3, radix 11; disjoint paths per pair:  1.88 of ≤ 3 hops  5.02 of ≤ 4 hops
# fattree:levels=3,radix=14  diameter 4, radix  7; disjoint paths per pair:  7.00 of ≤ 4 hops  7.00 of ≤ 5 hops
