"""Run a study from Python: a grid of networks and routings over several seeds, with intervals and plots.

One seed says little, because destinations are random. The grid runs every combination with several seeds, and reports
half the width of the 95% interval of each mean. `within` adds seeds to combinations whose interval is still too wide.
Finished runs are stored in `runs/`, so a second call repeats no run.
"""

import tulle
from tulle.study import Grid

grid = Grid(
    fabric={"Slim Fly": "slimfly:q=5", "Dragonfly": tulle.topologies.Dragonfly(p=3)},
    routing={"minimal": "minimal", "layers": tulle.schemes.Spread(layers=4)},
    traffic="permutation:bytes=64KiB",
    rate="10Gbps",
    seeds=3,
    figures=["fct_mean_us"],
)
frame = grid.run(within="10%", of="fct_mean_us", most_seeds=12)
for row in frame.table.to_pylist():
    mean, half = row["fct_mean_us"], row["fct_mean_us_half95"]
    print(f"{row['fabric']:10} {row['routing']:8} {mean:5.1f} ± {half:4.1f} µs over {row['seeds']} seeds")
frame.plot.cdf("fct.svg")
frame.plot.heatmap("mean.svg", x="routing", y="fabric", value="fct_mean_us")

# Output:
# Slim Fly   minimal  136.2 ±  6.1 µs over 5 seeds
# Slim Fly   layers   118.3 ±  6.5 µs over 3 seeds
# Dragonfly  minimal  142.4 ±  8.7 µs over 3 seeds
# Dragonfly  layers   132.8 ±  6.4 µs over 3 seeds
