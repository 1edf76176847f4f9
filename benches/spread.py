"""Measure the routing scheme `spread`: throughput, and completion times compared with a fat tree of similar cost.

    python benches/spread.py throughput [SEED ...]
    python benches/spread.py groups [SEED ...]
    python benches/spread.py completion [SEED ...]
    python benches/spread.py weights [SEED ...]
    python benches/spread.py large [SEED ...]
    python benches/spread.py selectors [SEED ...]
    python benches/spread.py offsets [SEED ...]

* `throughput` prints the throughput of layers (`spread`) and of path sets (`redksp`), and `groups` that of tables with
  groups of next hops (`spread-groups`), as fractions of the maximum throughput over any paths.
* `completion` prints completion times on a Slim Fly and on a fat tree. `large` does the same on a Slim Fly of 10,830
  endpoints and takes minutes per seed.
* `weights` compares tables with groups, with and without weights of layers and ports.
* `selectors` compares layer selectors: over twenty layers, and over 64 paths when all endpoints of a switch send to the
  endpoints of a neighbour switch.
* `offsets` searches for the worst skewed pattern. It computes the throughput for all offsets, and simulates twenty of
  them.

Times in seconds are processor time of routing.
"""

import sys
import time

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

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
WEIGHTS = [
    "spread-groups",
    "spread-groups:shares=16",
    "spread-groups:shares=64",
    "spread-groups:share=0.9",
    "spread-groups:share=0.9,shares=64",
    "spread-groups:layers=8",
    "spread-groups:layers=8,shares=64",
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
SELECTORS = ["round-robin", "ksp-adaptive", "ugal:candidates=4", "reps", "spritz", "spritz:variant=scout", "recycle"]


def routed(fabric: tulle.Fabric, spec: str, seed: int) -> tuple[tulle.Routing, float]:
    """Return a routing, and the processor seconds that its computation took."""
    before = time.process_time()
    return tulle.route(fabric, spec, seed), time.process_time() - before


def carried(cases: list[tuple[str, list[str]]], seeds: list[int]) -> None:
    """Print the throughput of routings as fractions of the throughput over any paths, averaged over seeds.

    Each throughput is the middle of bounds that are at most 1% apart.
    """
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
            print(f"  {spec}: {np.round(np.mean(rows, axis=0), 3)} of any path, {np.mean(seconds):.2f} s", flush=True)


def middle(bounds: Throughput) -> float:
    """Return the middle between the lower and the upper bound of a throughput."""
    return (bounds.lower + bounds.upper) / 2


def completion(slim_fly: str, fat_tree: str, layers: tuple[int, ...], seeds: list[int]) -> None:
    """Print mean and 99th percentile of completion times in µs: messages of 1 MiB, skewed traffic and a permutation."""
    tree, fabric = tulle.Fabric(fat_tree), tulle.Fabric(slim_fly)
    print(f"{fat_tree}: {tree.num_endpoints} endpoints, {slim_fly}: {fabric.num_endpoints}", flush=True)
    for seed in seeds:
        show("fat tree, spray", tree, tulle.route(tree, "minimal"), "spray", seed, 0.0)
        for count in layers:
            routing, took = routed(fabric, f"spread:layers={count}", seed)
            for selector in ("round-robin", "ksp-adaptive", "recycle"):
                show(f"{count} layers, {selector}", fabric, routing, selector, seed, took)


def show(name: str, fabric: tulle.Fabric, routing: tulle.Routing, selector: str, seed: int, took: float) -> None:
    """Print mean and 99th percentile of completion times for one routing and selector."""
    parts = []
    for traffic in ("skewed:bytes=1MiB", "permutation:bytes=1MiB"):
        workload = tulle.traffic(fabric, traffic, seed)
        times = tulle.simulate(fabric, routing, workload, transport="purified", selector=selector, seed=seed).fct_us
        parts.append(f"{times.mean():.0f} / {np.percentile(times, 99):.0f}")
    print(f"  seed {seed}, {name}: skewed {parts[0]}, permutation {parts[1]} us; routed in {took:.1f} s", flush=True)


def selectors(slim_fly: str, fat_tree: str, seeds: list[int]) -> None:
    """Print mean and 99th percentile of completion times in µs by selector and transport, averaged over seeds."""
    tree, fabric = tulle.Fabric(fat_tree), tulle.Fabric(slim_fly)
    minimal = tulle.route(tree, "minimal")
    routings = {seed: tulle.route(fabric, "spread:layers=20", seed) for seed in seeds}
    print(
        f"{slim_fly}, 20 layers, us: skewed and permutation with purified, skewed with ndp, skewed with dctcp",
        flush=True,
    )
    cases = [(traffic, "purified") for traffic in ("skewed:bytes=1MiB", "permutation:bytes=1MiB")]
    cases += [("skewed:bytes=1MiB", "ndp:window=8"), ("skewed:bytes=1MiB", "dctcp")]
    for selector in ["spray", "reps"]:
        row = [over(seeds, tree, dict.fromkeys(seeds, minimal), *case, selector) for case in cases]
        print(f"  fat tree, {selector:22} {', '.join(row)}", flush=True)
    for selector in SELECTORS:
        print(
            f"  {selector:32} {', '.join(over(seeds, fabric, routings, *case, selector) for case in cases)}", flush=True
        )
    print(f"{slim_fly}, 64 paths, us: endpoints send 4 MiB to endpoints of a neighbour switch, at 400 Gb/s", flush=True)
    paths = {seed: tulle.route(fabric, "rksp:k=64", seed) for seed in seeds}
    for selector in SELECTORS:
        times = [adjacent(fabric, routing, selector, seed) for seed, routing in paths.items()]
        print(f"  {selector:32} {' / '.join(f'{time:.1f}' for time in np.mean(times, axis=0))}", flush=True)


def weights(slim_fly: str, fat_tree: str, seeds: list[int]) -> None:
    """Print mean and 99th percentile of completion times in µs, averaged over seeds, for three traffic patterns."""
    tree, fabric = tulle.Fabric(fat_tree), tulle.Fabric(slim_fly)
    traffics = ["skewed:bytes=1MiB", "permutation:bytes=1MiB", "skewed:sizes=websearch,arrivals=300,duration=20ms"]
    minimal = tulle.route(tree, "minimal")
    for selector in ["spray", "reps"]:
        row = [over(seeds, tree, dict.fromkeys(seeds, minimal), traffic, "purified", selector) for traffic in traffics]
        print(f"fat tree, {selector}: {', '.join(row)}", flush=True)
    for spec in WEIGHTS:
        routings, seconds = {}, []
        for seed in seeds:
            routings[seed], took = routed(fabric, spec, seed)
            seconds.append(took)
        print(f"{spec}, {np.mean(seconds):.1f} s:", flush=True)
        for selector in ["round-robin", "ksp-adaptive", "recycle"]:
            row = [over(seeds, fabric, routings, traffic, "purified", selector) for traffic in traffics]
            print(f"  {selector:14} {', '.join(row)}", flush=True)


def offsets(slim_fly: str, fat_tree: str, seeds: list[int]) -> None:
    """Find the skewed pattern with the lowest throughput, if all endpoints of a switch send to one other switch.

    Print its throughput, also as a fraction of the throughput over any paths. Then print the longest completion times
    of twenty such patterns in µs.
    """
    tree, fabric = tulle.Fabric(fat_tree), tulle.Fabric(slim_fly)
    routings = {seed: tulle.route(fabric, "spread:layers=20", seed) for seed in seeds}
    steps = range(1, fabric.num_switches)
    best = np.array([middle(throughput(fabric, skewed(fabric, step), gap=0.02)) for step in steps])
    for seed, routing in routings.items():
        found = np.array(
            [middle(throughput(fabric, skewed(fabric, step), routing=routing, gap=0.02)) for step in steps]
        )
        at = int(np.argmin(found))
        share = found / best
        least = f"lowest of {len(best)} offsets: {found[at]:.3f} at offset {steps[at]} ({share[at]:.2f} of any paths)"
        print(f"  seed {seed}: {least}; lowest fraction {share.min():.2f}", flush=True)
    print("mean and 99th percentile of completion in us, the worst of twenty offsets:", flush=True)
    minimal = tulle.route(tree, "minimal")
    chosen = np.linspace(1, fabric.num_switches - 1, 20).astype(int)
    for name, of, by, selectors in [
        ("fat tree", tree, dict.fromkeys(seeds, minimal), ["spray", "reps"]),
        ("20 layers", fabric, routings, ["ksp-adaptive", "recycle"]),
    ]:
        for selector in selectors:
            steps_of = chosen if of is fabric else np.unique(chosen % len(np.unique(tree.endpoint_switch)))
            times = [figures(seeds, of, by, skewed(of, int(step)), "purified", selector) for step in steps_of if step]
            print(f"  {name}, {selector:14} {' / '.join(f'{time:.0f}' for time in np.max(times, axis=0))}", flush=True)


def skewed(fabric: tulle.Fabric, step: int) -> str:
    """Return the traffic in which all endpoints of switch s send to the endpoints of switch s + `step`."""
    return f"skewed:bytes=1MiB,offset={step * fabric.concentration}"


def over(
    seeds: list[int],
    fabric: tulle.Fabric,
    routings: dict[int, tulle.Routing],
    traffic: str,
    transport: str,
    selector: str,
) -> str:
    """Return mean and 99th percentile of completion times in µs, averaged over seeds, as text."""
    return " / ".join(f"{value:.0f}" for value in figures(seeds, fabric, routings, traffic, transport, selector))


def figures(
    seeds: list[int],
    fabric: tulle.Fabric,
    routings: dict[int, tulle.Routing],
    traffic: str,
    transport: str,
    selector: str,
) -> np.ndarray:
    """Return mean and 99th percentile of completion times in µs, averaged over seeds."""
    rows = []
    for seed in seeds:
        workload = tulle.traffic(fabric, traffic, seed)
        times = tulle.simulate(fabric, routings[seed], workload, transport, selector, seed=seed).fct_us
        rows.append((times.mean(), np.percentile(times, 99)))
    return np.asarray(np.mean(rows, axis=0))


def adjacent(fabric: tulle.Fabric, routing: tulle.Routing, selector: str, seed: int) -> tuple[float, float]:
    """Simulate a Slim Fly in which each switch of one half sends to a neighbour in the other half.

    Return mean and 99th percentile of completion times in µs.
    """
    switch = fabric.endpoint_switch
    rows = [np.column_stack((np.flatnonzero(switch == a), np.flatnonzero(switch == b))) for a, b in neighbours(fabric)]
    source, destination = np.concatenate(rows).T
    workload = tulle.Workload(source, destination, 4 << 20)
    times = tulle.simulate(
        fabric,
        routing,
        workload,
        "ndp:window=62",
        selector,
        rate="400Gbps",
        link_latency="387ns",
        mtu="4160B",
        queue="trim:packets=20",
        seed=seed,
    ).fct_us
    return times.mean(), np.percentile(times, 99)


def neighbours(fabric: tulle.Fabric) -> np.ndarray:
    """Match each switch in one half of a Slim Fly with a neighbour in the other half; return (n, 2) pairs."""
    half = fabric.coordinates[:, 0]
    across = fabric.edges[half[fabric.edges[:, 0]] != half[fabric.edges[:, 1]]]
    across = np.where((half[across[:, 0]] == 0)[:, None], across, across[:, ::-1])
    joined = csr_array((np.ones(len(across)), tuple(across.T)), shape=(fabric.num_switches,) * 2)
    to = maximum_bipartite_matching(joined, perm_type="column")
    return np.column_stack((np.flatnonzero(to >= 0), to[to >= 0]))


if __name__ == "__main__":
    what, seeds = sys.argv[1], [int(seed) for seed in sys.argv[2:]] or [1, 2]
    if what in ("throughput", "groups"):
        carried(FABRICS if what == "throughput" else GROUPS, seeds)
    elif what == "selectors":
        selectors(*SLIM_FLY[:2], seeds)
    elif what == "offsets":
        offsets(*SLIM_FLY[:2], seeds)
    elif what == "weights":
        weights(*SLIM_FLY[:2], seeds)
    else:
        completion(*(LARGE if what == "large" else SLIM_FLY), seeds)
