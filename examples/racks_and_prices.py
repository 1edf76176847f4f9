"""Place two networks in racks: cable lengths, copper or fibre, and the bill of materials.

Short cables are copper; longer cables are fibre and cost more. The layout uses the structure of each family, for
example the groups of a Dragonfly, to keep cables short. The Dragonfly has a larger share of copper cables, but it costs
more per endpoint, because it needs more switches: 264 for 1,056 endpoints, compared with 162 for 1,134.
"""

import tulle

for spec in ("slimfly:q=9", "dragonfly:p=4"):
    layout = tulle.place(spec, floor="standard")
    metres = layout.cable_length / 1000  # millimetres in the layout
    bill = layout.bill("infiniband-edr")
    print(f"{spec}: {layout.fabric.num_endpoints} endpoints in {len(layout.racks)} racks")
    print(f"  cables between switches: {len(metres)}, mean {metres.mean():.1f} m, longest {metres.max():.1f} m")
    print(f"  copper: {layout.cable_copper.mean():.0%} of the cables")
    print(f"  cost per endpoint: {bill.cost_per_endpoint:.0f} {bill.currency}")

# Output:
# slimfly:q=9: 1134 endpoints in 18 racks
#   cables between switches: 1053, mean 3.9 m, longest 10.4 m
#   copper: 38% of the cables
#   cost per endpoint: 2769 USD
# dragonfly:p=4: 1056 endpoints in 33 racks
#   cables between switches: 1452, mean 3.0 m, longest 12.2 m
#   copper: 64% of the cables
#   cost per endpoint: 4307 USD
