"""Networks.

The layout of a drawing follows from the family. Colours show groups, levels, roles or loads.
"""

import tulle

slim_fly = tulle.Fabric("slimfly:q=5")
dragonfly = tulle.Fabric("dragonfly:p=2")

# %% A Slim Fly: rings of groups

slim_fly.plot("group").savefig("slim-fly.svg")

# %% A Dragonfly: a ring per group

dragonfly.plot("group").savefig("dragonfly.svg")

# %% A fat tree: levels

tulle.Fabric("fattree:levels=3,radix=6").plot().savefig("fat-tree.svg")

# %% A torus: a grid with the names of its switches

tulle.Fabric("torus:shape=4x4").plot(names=True).savefig("torus.svg")

# %% A random network: a spectral layout

tulle.Fabric("jellyfish:switches=60,degree=5,p=3", seed=1).plot().savefig("jellyfish.svg")

# %% The adjacency matrix of the Dragonfly, by class of cable

dragonfly.plot_adjacency().savefig("adjacency.svg")
