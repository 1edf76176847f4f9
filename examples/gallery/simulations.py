"""Packet simulations.

Two simulations of the same messages, with minimal paths and with layers, and an incast with sampled links.
"""

import tulle

fabric = tulle.Fabric("slimfly:q=5")
messages = tulle.traffic(fabric, "uniform:arrivals=4000,duration=1ms,sizes=websearch", seed=1)
minimal = tulle.simulate(fabric, "minimal", messages, selector="ecmp", seed=1)
layers = tulle.simulate(fabric, "spread:layers=4", messages, seed=1)

# %% Distribution of flow completion times

figure = minimal.plot_cdf(label="minimal paths")
layers.plot_cdf(label="four layers", ax=figure.axes[0])
figure.savefig("completion-times.svg")

# %% Slowdown against a flow alone

figure = minimal.plot_cdf("slowdown", label="minimal paths")
layers.plot_cdf("slowdown", label="four layers", ax=figure.axes[0])
figure.savefig("slowdown.svg")

# %% Completion times by message size

layers.plot_fct_by_size().savefig("times-by-size.svg")

# %% Utilisation of every channel

minimal.plot_load("drawing").savefig("utilisation.svg")

# %% Queue and utilisation of two links over time

incast = tulle.traffic(fabric, "incast:senders=4,bytes=1MiB", seed=1)
result = tulle.simulate(
    fabric, "minimal", incast, "dctcp", seed=1, sample="50us", sample_links=["to:5", "(1,0,1)--(0,0,1)"]
)
result.plot_timeseries().savefig("incast.svg")
