"""Compare adaptive selectors of the flit simulator: over layers, and over minimal and indirect (Valiant) routes.

    python benches/flit_selectors.py [--fabrics slimfly:q=9] [--selectors SPEC ...] [--vcs 8] [--seeds 11] [--jobs 2]

Each row has five ratios:

* the accepted load of uniform traffic at full load, relative to minimal routing; goal: at least 0.97
* the accepted load of the worst-case traffic of the fabric's family (Kathareios et al., SC15, §4.2) at full load,
  relative to the best of `valiant`, `ugal` and `ugal:candidates=4`; goal: at least 0.95
* the accepted load of `skewed` traffic at full load, relative to the maximum throughput over any paths; goal: at least
  0.85
* the same if the offered load is 95% of the maximum throughput over any paths; the goal is reached if one of the two
  ratios reaches it
* the mean latency of uniform traffic at 30% load, relative to minimal routing; goal: at most 1.02

A `*` marks rows that reach all goals. The second ratio is `nan` if there are too few virtual channels for the selectors
of its divisor. Values are means over seeds; layers are generated with seed 1. For families without a known worst case,
the traffic is a longest matching of switches. Links have a latency of 10 cycles.
"""

from __future__ import annotations

import argparse
import functools
import math
import multiprocessing
from typing import NamedTuple

import numpy as np

import tulle

# The fabrics, each with its layered routings. The first has one layer more than a switch has network ports. MLFM and
# OFT have few ports and thus few layers, so 50 layers are measured, too. On Jellyfish, detours through intermediate
# switches are long, so many layers of short detours are measured, too.
FABRICS = {
    "slimfly:q=9": ["spread:layers=14"],
    "slimfly:q=13": ["spread:layers=20"],
    "dragonfly:p=4": ["spread:layers=12"],
    "mlfm:h=7": ["spread:layers=8", "spread:layers=50"],
    "oft:k=6": ["spread:layers=7", "spread:layers=50"],
    "jellyfish:switches=162,degree=13": ["spread:layers=14", "spread:layers=64,limit=4"],
}
# The offered load, as a fraction of the maximum throughput over any paths, at which skewed traffic is measured in
# addition to full load. A network above its saturation accepts less than at this load.
BELOW = 0.95
SELECTORS = [
    "random",
    "ksp-adaptive",
    "ksp-ugal:candidates=4,bias=16",
    "ugal:via=layer,direct=shortest,candidates=4,bias=16",
    "ugal:via=layer,direct=shortest,candidates=4,queue=class,cost=constant,c=1.5,bias=16",
    "recycle:via=layer,direct=shortest,c=1.25,bias=100,slow=1.3",
    "recycle:via=layer,direct=shortest,c=2,bias=50,slow=2,queue=output,weight=9",
]
# Selectors over minimal paths, with routes through intermediate switches.
INDIRECT = [
    "ugal:candidates=12,queue=class,cost=constant,c=1.5,bias=32",
    "recycle",
    "recycle:c=2.5",
    "recycle:weight=3",
    "recycle:candidates=4,queue=class",
]
RIVALS = ["valiant", "ugal", "ugal:candidates=4"]
ROUTERS = ["input-queued", "virtual-cut-through"]


class Run(NamedTuple):
    """One simulation."""

    fabric: str
    routing: str
    selector: str
    policy: str
    router: str
    traffic: str
    load: float
    seed: int


@functools.cache
def network(spec: str) -> tulle.Fabric:
    """Return the fabric of a spec."""
    return tulle.Fabric(spec, seed=1)


@functools.cache
def routing(spec: str, name: str) -> tulle.Routing:
    """Return a routing of a fabric."""
    return tulle.route(network(spec), name, seed=1)


@functools.cache
def worst(spec: str) -> str:
    """Return the spec of the worst-case traffic that papers define; longest matching if they define none."""
    try:
        tulle.traffic(network(spec), "worst-case")
    except tulle.InputError as error:
        if "no paper defines the worst case" not in str(error):
            raise
        return "longest-matching:of=switches"
    return "worst-case"


def measure(run: Run) -> tuple[Run, tuple[float, float]]:
    """Simulate a run; return the accepted load and the mean latency, or zeros if there are too few virtual channels."""
    is_full = run.load > 0.3
    try:
        found = tulle.simulate_flits(
            network(run.fabric),
            routing(run.fabric, run.routing),
            run.traffic,
            load=run.load,
            seed=run.seed,
            router=run.router,
            selector=run.selector,
            policy=run.policy,
            warmup=1500 if is_full else 500,
            window=1500 if is_full else 2000,
            drain=0 if is_full else 4000,
            threads=1,
        )
    except tulle.InputError as error:
        if "virtual channels" not in str(error):
            raise
        return run, (0.0, 0.0)
    return run, (found.accepted, found.latency_mean or 0.0)


def table(
    spec: str, selectors: list[str], indirect: list[str], policy: str, router: str, seeds: list[int], jobs: int
) -> None:
    """Print one row per routing and selector of a fabric."""
    any_path = min(1.0, tulle.analysis.throughput(network(spec), "skewed", gap=0.02).lower)
    loads = [("uniform", 1.0), (worst(spec), 1.0), ("skewed", 1.0), ("skewed", BELOW * any_path), ("uniform", 0.3)]
    ways = [(layers, selector, policy) for layers in FABRICS[spec] for selector in selectors]
    ways += [("minimal", selector, policy) for selector in indirect]
    # A plan for layers gives no virtual channels to routes through intermediate switches, which the rivals take.
    base = "hops" if policy.startswith("plan") else policy
    cells = [("minimal", "minimal", base, *loads[0]), ("minimal", "minimal", base, *loads[4])]
    cells += [("minimal", rival, base, *loads[1]) for rival in RIVALS]
    cells += [(*way, *load) for way in ways for load in loads]
    todo = [
        Run(spec, route, selector, way, router, traffic, load, seed)
        for route, selector, way, traffic, load in cells
        for seed in seeds
    ]
    with multiprocessing.Pool(jobs) as pool:
        found = dict(pool.imap_unordered(measure, todo, chunksize=len(seeds)))

    def mean(cell: tuple[str, str, str, str, float], which: int) -> float:
        values = [found[run][which] for run in todo if (run[1], run[2], run[3], run[5], run[6]) == cell]
        return float(np.mean(values)) if all(values) else 0.0

    uniform, idle = mean(cells[0], 0), mean(cells[1], 1)
    rivals = {rival: mean(("minimal", rival, base, *loads[1]), 0) for rival in RIVALS}
    best = max(rivals, key=lambda rival: rivals[rival])
    print(
        f"{spec}, {router}, {policy}: accepted by minimal routing: {uniform:.3f} (uniform; {idle:.1f} cycles at 30%); "
        f"by {best}: {rivals[best]:.3f} ({worst(spec)}); over any paths: {any_path:.3f} (skewed)",
        flush=True,
    )
    for way in ways:
        accepted = [mean((*way, *load), 0) for load in loads[:4]]
        if not all(accepted):
            print(f"    {way[0]:24} {way[1]:84} too few virtual channels", flush=True)
            continue
        # If there are too few virtual channels for all rivals, the second ratio is not a number.
        bounds = (uniform, rivals[best] or math.nan, any_path, any_path)
        ratios = [load / bound for load, bound in zip(accepted, bounds, strict=True)]
        late = mean((*way, *loads[4]), 1) / idle
        good = ratios[0] >= 0.97 and ratios[1] >= 0.95 and max(ratios[2:]) >= 0.85 and late <= 1.02
        shown = " ".join(f"{ratio:.3f}" for ratio in (*ratios, late))
        print(f"  {'*' if good else ' '} {way[0]:24} {way[1]:84} {shown}", flush=True)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fabrics", nargs="+", choices=list(FABRICS), default=list(FABRICS))
    parser.add_argument("--selectors", nargs="*", default=SELECTORS, help="selectors over layers")
    parser.add_argument("--indirect", nargs="*", default=INDIRECT, help="selectors over minimal paths")
    parser.add_argument("--policies", nargs="+", default=["hops"], help="policies of all selectors")
    parser.add_argument("--routers", nargs="+", default=ROUTERS)
    parser.add_argument("--vcs", nargs="+", type=int, default=[8])
    parser.add_argument("--seeds", nargs="+", type=int, default=[11, 12, 13])
    parser.add_argument("--jobs", type=int, default=1, help="simulations at a time")
    given = parser.parse_args()
    for spec in given.fabrics:
        for router in given.routers:
            for vcs in given.vcs:
                for policy in given.policies:
                    router_spec = f"{router}:vcs={vcs}"
                    table(spec, given.selectors, given.indirect, policy, router_spec, given.seeds, given.jobs)


if __name__ == "__main__":
    main()
