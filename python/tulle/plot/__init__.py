"""Plots: one style for all, and a file per kind of plot.

Results have methods that draw them, for example `Fabric.plot` and `Simulation.plot_cdf`. The methods call this package,
which receives plain values. Matplotlib loads with the first plot; ``tulle[plot]`` installs it.
"""
