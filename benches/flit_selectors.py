"""Compare adaptive selectors over layers with minimal and indirect routing in the flit simulator.

    python benches/flit_selectors.py [--fabrics slimfly:q=9] [--vcs 8] [--seeds 11]

For each fabric: accepted load at full load for uniform traffic, relative to minimal routing's; for the family's worst
case (diameter-two §4.2), relative to the best of `valiant` and `ugal` over minimal routing; for `skewed` traffic,
relative to the throughput over any paths; and the mean latency of uniform traffic at 30% load, relative to minimal
routing's. Values are means over seeds. Layers: `spread`, one more than a switch has network ports.
"""

from __future__ import annotations

import argparse

import numpy as np

import tulle

# The fabrics, each with its number of layers.
FABRICS = {
    "slimfly:q=9": 14,
    "slimfly:q=13": 20,
    "dragonfly:p=4": 12,
    "mlfm:h=7": 15,
    "oft:k=6": 13,
    "jellyfish:switches=162,degree=13": 14,
}
SELECTORS = [
    "random",
    "ksp-adaptive",
    "ksp-ugal",
    "ugal:via=layer,candidates=4",
    "ugal:via=layer,candidates=4,bias=8",
    "ugal:via=layer,candidates=4,queue=class,bias=8",
]
RIVALS = ["valiant", "ugal:candidates=4"]


def accepted(
    fabric: tulle.Fabric, routing: tulle.Routing, selector: str, traffic: str, vcs: int, seeds: list[int]
) -> float:
    """Return the accepted load at full load; 0 if the virtual channels are too few."""
    found = []
    for seed in seeds:
        try:
            run = tulle.simulate_flits(
                fabric,
                routing,
                traffic,
                load=1.0,
                seed=seed,
                vcs=vcs,
                selector=selector,
                warmup=1500,
                window=1500,
                drain=0,
                threads=1,
            )
        except tulle.InputError:
            return 0.0
        found.append(run.accepted)
    return float(np.mean(found))


def latency(fabric: tulle.Fabric, routing: tulle.Routing, selector: str, vcs: int, seeds: list[int]) -> float:
    """Return the mean latency of uniform traffic at 30% load in cycles."""
    runs = [
        tulle.simulate_flits(fabric, routing, "uniform", load=0.3, seed=seed, vcs=vcs, selector=selector, threads=1)
        for seed in seeds
    ]
    return float(np.mean([run.summary()["latency_mean"] for run in runs]))


def table(spec: str, vcs: int, seeds: list[int]) -> None:
    """Print the ratios of a fabric."""
    fabric = tulle.Fabric(spec, seed=1)
    minimal = tulle.route(fabric, "minimal")
    layers = tulle.route(fabric, f"spread:layers={FABRICS[spec]}", seed=1)
    any_path = tulle.analysis.throughput(fabric, "skewed", gap=0.02).lower
    uniform = accepted(fabric, minimal, "minimal", "uniform", vcs, seeds)
    try:
        tulle.traffic(fabric, "worst-case")
        worst = "worst-case"
    except tulle.TulleError:
        worst = "longest-matching:of=switches"
    best = max(accepted(fabric, minimal, rival, worst, vcs, seeds) for rival in RIVALS)
    idle = latency(fabric, minimal, "minimal", vcs, seeds)
    print(
        f"{spec}, {vcs} VCs: minimal accepts {uniform:.3f} of uniform traffic in {idle:.1f} cycles; best of "
        f"{', '.join(RIVALS)} {best:.3f} of {worst}; any path {any_path:.3f} of skewed",
        flush=True,
    )
    for selector in SELECTORS:
        cells = []
        for traffic, bound in (("uniform", uniform), (worst, best), ("skewed", any_path)):
            load = accepted(fabric, layers, selector, traffic, vcs, seeds)
            cells.append(f"{load / bound:6.3f}" if load and bound else "     -")
        late = f"{latency(fabric, layers, selector, vcs, seeds) / idle:6.3f}" if cells[0].strip() != "-" else "     -"
        print(f"  {selector:48} uniform {cells[0]} worst {cells[1]} skewed {cells[2]} latency {late}", flush=True)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fabrics", nargs="+", default=list(FABRICS), help="of " + ", ".join(FABRICS))
    parser.add_argument("--vcs", nargs="+", type=int, default=[8])
    parser.add_argument("--seeds", nargs="+", type=int, default=[11, 12, 13])
    given = parser.parse_args()
    for spec in given.fabrics:
        for vcs in given.vcs:
            table(spec, vcs, given.seeds)


if __name__ == "__main__":
    main()
