"""How much of a fabric's any-path throughput layers carry, and flow completion times beside the equal-cost fat tree.

    python benches/spread.py throughput [SEED ...]
    python benches/spread.py groups [SEED ...]
    python benches/spread.py completion [SEED ...]
    python benches/spread.py large [SEED ...]

`large` is a Slim Fly of 10,830 endpoints: minutes per seed. Times are processor seconds of routing.
"""

import sys
import time

import numpy as np

import tulle
from tulle.analysis import Throughput, throughput

TRAFFIC = ["skewed:bytes=1MiB", "longest-matching:of=switches", "permutation:bytes=1MiB", "all-to-all"]
FABRICS = [
    ("slimfly:q=9", ["spread:layers=14", "spread:layers=20", "redksp:k=13"]),
    ("dragonfly:p=4", ["spread:layers=16", "redksp:k=11"]),
    ("hyperx:shape=6x6x6", ["spread:layers=9", "redksp:k=15"]),
    ("xpander:degree=13", ["spread:layers=14", "redksp:k=13"]),
    ("jellyfish:switches=162,degree=13", ["spread:layers=14", "redksp:k=13"]),
    ("slimfly:q=13", ["spread:layers=20", "redksp:k=19"]),
]
GROUPS = [
    ("slimfly:q=9", ["spread-groups", "spread-groups:share=0.9"]),
    ("dragonfly:p=4", ["spread-groups", "spread-groups:layers=8"]),
    ("hyperx:shape=6x6x6", ["spread-groups"]),
    ("xpander:degree=13", ["spread-groups"]),
    ("jellyfish:switches=162,degree=13", ["spread-groups"]),
    ("slimfly:q=13", ["spread-groups"]),
]
SLIM_FLY: tuple[str, str, tuple[int, ...]] = (
    "slimfly:q=9",
    "fattree:levels=3,radix=18,oversubscription=2,leaves=95",
    (14, 20),
)
LARGE: tuple[str, str, tuple[int, ...]] = (
    "slimfly:q=19",
    "fattree:levels=3,radix=36,oversubscription=2,leaves=450",
    (30,),
)


def routed(fabric: tulle.Fabric, spec: str, seed: int) -> tuple[tulle.Routing, float]:
    """A routing, and the processor seconds it took."""
    before = time.process_time()
    return tulle.route(fabric, spec, seed), time.process_time() - before


def carried(cases: list[tuple[str, list[str]]], seeds: list[int]) -> None:
    """Shares of any-path throughput, each from the middle of bounds within 1%, means over seeds of the routing."""
    for fabric_spec, specs in cases:
        fabric = tulle.Fabric(fabric_spec, seed=1)
        best = [middle(throughput(fabric, traffic, gap=0.01)) for traffic in TRAFFIC]
        print(f"{fabric_spec}: any path {np.round(best, 3)}", flush=True)
        for spec in specs:
            rows, seconds = [], []
            for seed in seeds:
                routing, took = routed(fabric, spec, seed)
                found = [middle(throughput(fabric, traffic, routing=routing, gap=0.01)) for traffic in TRAFFIC]
                rows.append(np.array(found) / best)
                seconds.append(took)
            print(f"  {spec}: {np.round(np.mean(rows, axis=0), 3)} of it, {np.mean(seconds):.2f} s", flush=True)


def middle(bounds: Throughput) -> float:
    """The middle of bounds."""
    return (bounds.lower + bounds.upper) / 2


def completion(slim_fly: str, fat_tree: str, layers: tuple[int, ...], seeds: list[int]) -> None:
    """Mean and 99th percentile of completion in µs; 1 MiB skewed and by a permutation."""
    tree, fabric = tulle.Fabric(fat_tree), tulle.Fabric(slim_fly)
    print(f"{fat_tree}: {tree.num_endpoints} endpoints, {slim_fly}: {fabric.num_endpoints}", flush=True)
    for seed in seeds:
        show("fat tree, spray", tree, tulle.route(tree, "minimal"), "spray", seed, 0.0)
        for count in layers:
            routing, took = routed(fabric, f"spread:layers={count}", seed)
            for selector in ("round-robin", "ksp-adaptive"):
                show(f"{count} layers, {selector}", fabric, routing, selector, seed, took)


def show(name: str, fabric: tulle.Fabric, routing: tulle.Routing, selector: str, seed: int, took: float) -> None:
    """Prints completion times of one routing."""
    parts = []
    for traffic in ("skewed:bytes=1MiB", "permutation:bytes=1MiB"):
        workload = tulle.traffic(fabric, traffic, seed)
        times = tulle.simulate(fabric, routing, workload, transport="purified", selector=selector, seed=seed).fct_us
        parts.append(f"{times.mean():.0f} / {np.percentile(times, 99):.0f}")
    print(f"  seed {seed}, {name}: skewed {parts[0]}, permutation {parts[1]} us; routed in {took:.1f} s", flush=True)


if __name__ == "__main__":
    what, seeds = sys.argv[1], [int(seed) for seed in sys.argv[2:]] or [1, 2]
    if what in ("throughput", "groups"):
        carried(FABRICS if what == "throughput" else GROUPS, seeds)
    else:
        completion(*(LARGE if what == "large" else SLIM_FLY), seeds)
