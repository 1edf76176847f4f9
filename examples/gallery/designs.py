"""Failures, floors and costs.

An architect compares candidates, places one of them on a floor, and checks how it degrades.
"""

import tulle
from tulle.design import design

floor = tulle.place("slimfly:q=7")

# %% Candidates for 500 endpoints: cost and all-to-all throughput

families = ["slimfly", "dragonfly", "hyperx", "jellyfish", "fattree"]
design(500, radix=24, families=families).plot().savefig("candidates.svg")

# %% Racks, their power, and cable trays, to scale

floor.plot("fatpaths-100gbe").savefig("floor.svg")

# %% A Slim Fly after random failures of links and switches

failures = tulle.analysis.resilience("slimfly:q=5", shares=["0%", "2%", "5%", "10%"], seeds=3)
failures.plot("average_path_length").savefig("failures.svg")
