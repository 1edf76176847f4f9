"""Routings.

A routing has layers, which are sets of forwarding tables. A drawing shows the paths of all layers between two switches,
or the load of every channel.
"""

import matplotlib as mpl
from matplotlib.figure import Figure

import tulle

fabric = tulle.Fabric("slimfly:q=5")
layers = tulle.route(fabric, "spread:layers=4", seed=1)

# %% The paths of four layers between two switches

layers.plot_paths("(0,0,0)", "(0,0,1)").savefig("paths.svg")

# %% Three routings of the same pair, side by side

specs = ("minimal", "random:layers=4,rho=0.6", "spread:layers=4")
with mpl.rc_context({"font.size": 8, "axes.titlesize": 8, "legend.fontsize": 7, "legend.frameon": False}):
    figure = Figure(figsize=(7.16, 2.6), layout="constrained")
    for axes, spec in zip(figure.subplots(1, 3), specs, strict=True):
        tulle.route(fabric, spec, seed=1).plot_paths("(0,0,0)", "(0,0,1)", ax=axes)
        axes.set_title(spec)
    figure.savefig("three-routings.svg")

# %% Random layers: the number of paths over every channel

random_layers = tulle.route(fabric, "random:layers=4,rho=0.6", seed=1)
random_layers.plot_load("drawing").savefig("channel-load.svg")

# %% The same numbers of paths, as a matrix of switches

random_layers.plot_load("matrix").savefig("load-matrix.svg")
