"""Compare the speed of adaptive selectors of the flit simulator with that of `ksp-adaptive` over path sets.

    python benches/flit_selector_speed.py [--fabrics slimfly:q=9 ...] [--loads 0.3 0.6] [--repeat 5]

Each row has the processor time per delivered flit, and the time per hop of a delivered flit, relative to
`ksp-adaptive` over `redksp:k=8`. The time is the lowest of `--repeat` runs; the runs of all rows take turns. Traffic is
uniform. The router has 8 virtual channels with the policy `hops`. tulle uses one thread. Use an otherwise idle machine.
"""

from __future__ import annotations

import argparse
import time

import tulle

# Per fabric, the layers: one more than a switch has network ports, and for Jellyfish also those of the best selector.
FABRICS = {
    "slimfly:q=9": ["spread:layers=14"],
    "dragonfly:p=4": ["spread:layers=12"],
    "jellyfish:switches=162,degree=13": ["spread:layers=14", "spread:layers=64,limit=4"],
}
SELECTORS = [
    "ksp-adaptive",
    "ugal:via=layer,direct=shortest,candidates=4,bias=16",
    "ugal:via=layer,direct=shortest,candidates=4,queue=class,cost=constant,c=1.5,bias=16",
    "recycle:via=layer,direct=shortest,c=1.25,bias=100,slow=1.3",
]
# Selectors over minimal paths, with routes through intermediate switches.
INDIRECT = [
    "ugal",
    "ugal:candidates=12,queue=class,cost=constant,c=1.5,bias=32",
    "recycle",
    "recycle:candidates=4,queue=class",
]


def measure(fabric: tulle.Fabric, routing: tulle.Routing, selector: str, load: float) -> tuple[float, float]:
    """Return a run's processor seconds divided by the accepted load, and the mean number of hops."""
    start = time.process_time()
    found = tulle.simulate_flits(
        fabric, routing, "uniform", load=load, seed=1, router="input-queued:vcs=8", selector=selector, policy="hops",
        warmup=500, window=3000, drain=0, threads=1,
    )  # fmt: skip
    return (time.process_time() - start) / found.accepted, found.hops_mean or 0.0


def main() -> None:
    """Print one row per fabric, load and selector."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fabrics", nargs="+", choices=list(FABRICS), default=list(FABRICS))
    parser.add_argument("--loads", nargs="+", type=float, default=[0.3, 0.6])
    parser.add_argument("--repeat", type=int, default=5, help="runs of each row")
    given = parser.parse_args()
    print(f"{'fabric':34} {'load':4} {'routing':24} {'selector':84} {'hops':>5} {'per flit':>8} {'per hop':>8}")
    for spec in given.fabrics:
        fabric = tulle.Fabric(spec, seed=1)
        paths, layers = "redksp:k=8", FABRICS[spec]
        routings = {name: tulle.route(fabric, name, seed=1) for name in (paths, *layers, "minimal")}
        rows = [(paths, "ksp-adaptive"), *((name, selector) for name in layers for selector in SELECTORS)]
        rows += [("minimal", selector) for selector in INDIRECT]
        for load in given.loads:
            found: dict[tuple[str, str], list[tuple[float, float]]] = {row: [] for row in rows}
            for _ in range(given.repeat):
                for row in rows:
                    found[row].append(measure(fabric, routings[row[0]], row[1], load))
            base, base_hops = min(found[rows[0]])
            for row in rows:
                taken, hops = min(found[row])
                ratios = f"{taken / base:8.2f} {taken / base * base_hops / hops:8.2f}"
                print(f"{spec:34} {load:<4g} {row[0]:24} {row[1]:84} {hops:5.2f} {ratios}", flush=True)


if __name__ == "__main__":
    main()
