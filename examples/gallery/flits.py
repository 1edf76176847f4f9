"""Flit simulations.

Latency and accepted load over offered load, with bands over two seeds. Hollow markers are loads at which a run
saturated.
"""

import tulle

loads = (0.1, 0.3, 0.5, 0.7, 0.9, 1.0)
curves = {}
for selector in ("minimal", "valiant", "ugal"):
    curves[selector] = tulle.flit.curve(
        "slimfly:q=3",
        "minimal",
        "worst-case",
        loads=loads,
        seeds=2,
        selector=selector,
        policy="hops",
        vcs=4,
        warmup=300,
        window=1000,
    )

# %% Latency over load in the worst case: three ways to select a path

tulle.flit.plot_latency_load(curves, "latency").savefig("latency-load.svg")

# %% Accepted load over offered load

tulle.flit.plot_latency_load(curves, "accepted").savefig("accepted-load.svg")
