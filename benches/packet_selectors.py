"""Compare the selector `recycle` with other selectors and with minimal routing, over many traffic patterns.

    python benches/packet_selectors.py [--fabrics slimfly:q=9] [--conditions whole dead slow] [--seeds 11 12] [--jobs 2]
    python benches/packet_selectors.py --alternatives [--fabrics slimfly:q=9] [--seeds 1]

A cell of the comparison is a combination of four values:

* a fabric,
* a routing: `spread` with one layer more than a switch has network ports, or `spread-groups` with four tables,
* a condition: `whole` (no failures), `dead` (2% of the cables have failed, and the fabric is routed again) or `slow`
  (one cable has a quarter of the rate),
* a traffic pattern.

Rivals of `recycle` are other selectors over the same routing, and selectors over minimal routing. For each cell, the
script prints the mean and the 99th percentile of flow completion times, relative to the best rival. The best rival can
differ between mean and percentile. The script then prints the share of cells that reach the goals: at most 3% (mean)
and 5% (99th percentile) above the best rival. Values are means over seeds. Links have a rate of 100 Gb/s and a latency
of 1 us; the transport is `purified` with a window of 16 packets.

With `--alternatives`, the script compares `recycle` over `spread` with variants of itself, each with one parameter
changed, and with two rivals.
"""

from __future__ import annotations

import argparse
import functools
import multiprocessing
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import tulle

if TYPE_CHECKING:
    from collections.abc import Iterator


RATE = 100e9
# The fabrics, each with its number of layers: k' + 1 for network radix k'.
FABRICS = {
    "slimfly:q=9": 14,
    "dragonfly:p=4": 12,
    "jellyfish:switches=162,degree=13": 14,
    "xpander:degree=13": 14,
    "hyperx:shape=6x6x6": 16,
    "slimfly:q=19": 30,
}
SMALL = [fabric for fabric in FABRICS if fabric != "slimfly:q=19"]
OURS = "recycle"
RIVALS = ["flowlet", "round-robin", "ksp-adaptive", "reps", "spritz", "ugal", "ugal:candidates=4"]
MINIMAL = ["ecmp", "spray", "flowlet", "ksp-adaptive"]
VARIANTS = ["hop=0", "hop=0.5", "hop=1.5", "failed=1", "failed=16", "full=0", "full=8", "full=1000"]
VARIANTS += ["bias=0", "buffer=1", "candidates=1", "candidates=8", "slow=1000"]
VARIED = ["uniform 30%", "uniform 80%", "skewed", "permutation", "shuffle", "all-to-all of 252"]
CONDITIONS = ["whole", "dead", "slow"]


class Run(NamedTuple):
    """One simulation."""

    fabric: str
    routing: str
    condition: str
    pattern: str
    selector: str
    seed: int


def uniform(load: float, duration: str = "300us") -> str:
    """Return the spec of uniform traffic in messages of 64 KiB, at a fraction `load` of the link rate."""
    return f"uniform:bytes=64KiB,arrivals={load * RATE / 8 / 65536:.0f},duration={duration}"


PATTERNS = {
    "uniform 30%": uniform(0.3),
    "uniform 50%": uniform(0.5),
    "uniform 80%": uniform(0.8),
    # The mean size is 1 MB. The arrival rate is that of studies/spread/selectors.toml.
    "web search 50%": "uniform:sizes=websearch,arrivals=6250,duration=2ms",
    "skewed": "skewed:bytes=1MiB",
    "skewed, offset 5": "skewed:bytes=1MiB,offset=5",
    "skewed, offset 31": "skewed:bytes=1MiB,offset=31",
    "longest matching": "longest-matching:of=switches,bytes=1MiB",
    "permutation": "permutation:bytes=1MiB",
    "shuffle": "shuffle:bytes=256KiB",
    "incast and 30%": f'with-background:of="incast:senders=32,bytes=256KiB",background="{uniform(0.3)}"',
    "all-to-all": "all-to-all:bytes=4KiB",
    "ring all-reduce": "allreduce:bytes=4MiB",
}
# Ranks on the first 252 endpoints. Only `--alternatives` uses this pattern.
PARTS = {"all-to-all of 252": "all-to-all:ranks=252,bytes=4KiB"}


@functools.cache
def network(spec: str, condition: str) -> tulle.Fabric:
    """Return the fabric: `whole`, with failed links (`dead`), or with one slow cable (`slow`).

    All seeds have the same failures, or the same slow cable.
    """
    if condition == "slow":
        return tulle.Fabric(spec, seed=1, links=f"0/0:rate={RATE / 4e9:.0f}Gbps")
    fabric = tulle.Fabric(spec, seed=1)
    return fabric.with_failures("links=2%", seed=1) if condition == "dead" else fabric


@functools.cache
def routing(spec: str, condition: str, name: str, seed: int) -> tulle.Routing:
    """Return a routing of the fabric under a condition."""
    return tulle.route(network(spec, condition), name, seed)


@functools.cache
def messages(spec: str, condition: str, pattern: str, seed: int) -> tulle.Workload:
    """Return the workload of a pattern."""
    return tulle.traffic(network(spec, condition), (PATTERNS | PARTS)[pattern], seed)


def measure(run: Run) -> tuple[Run, tuple[float, float]]:
    """Simulate a run; return the mean and the 99th percentile of flow completion times in microseconds."""
    found = tulle.simulate(
        network(run.fabric, run.condition),
        routing(run.fabric, run.condition, run.routing, run.seed),
        messages(run.fabric, run.condition, run.pattern, run.seed),
        transport="purified:window=16",
        selector=run.selector,
        rate="100Gbps",
        seed=run.seed,
        threads=1,
    )
    times = found.fct_us
    return run, (float(times.mean()), float(np.percentile(times, 99)))


def runs(fabric: str, route: str, condition: str, patterns: list[str], seeds: list[int]) -> Iterator[Run]:
    """Return all runs of a table, in an order that lets a worker process reuse its workloads."""
    for pattern in patterns:
        for seed in seeds:
            for selector in [OURS, *RIVALS]:
                yield Run(fabric, route, condition, pattern, selector, seed)
            for selector in MINIMAL:
                yield Run(fabric, "minimal", condition, pattern, selector, seed)


def table(
    fabric: str, route: str, condition: str, patterns: list[str], seeds: list[int], jobs: int
) -> list[tuple[float, float]]:
    """Measure and print the cells of a fabric, routing and condition.

    Return per cell two ratios of `recycle` to the best rival: of the mean, and of the 99th percentile.
    """
    todo = list(runs(fabric, route, condition, patterns, seeds))
    with multiprocessing.Pool(jobs) as pool:
        found = dict(pool.imap_unordered(measure, todo, chunksize=len(RIVALS) + len(MINIMAL) + 1))
    cells = []
    print(f"{fabric}, {route}, {condition}: mean and 99th percentile, relative to the best rival", flush=True)
    for pattern in patterns:
        means: dict[str, np.ndarray] = {}
        for run in todo:
            if run.pattern == pattern:
                name = run.selector if run.routing == route else f"minimal, {run.selector}"
                means[name] = means.get(name, np.zeros(2)) + np.array(found[run]) / len(seeds)
        ours = means.pop(OURS)
        best = [min(means, key=lambda name: means[name][which]) for which in range(2)]
        ratios = [float(ours[which] / means[best[which]][which]) for which in range(2)]
        cells.append((ratios[0], ratios[1]))
        shown = [f"{ours[which]:9.1f} us {ratios[which]:6.3f} ({best[which]})" for which in range(2)]
        print(f"  {pattern:18} {' '.join(shown)}", flush=True)
    return cells


def alternatives(fabric: str, seeds: list[int]) -> None:
    """Print completion times of `recycle` with other parameters, and of two rivals, relative to default parameters."""
    route = f"spread:layers={FABRICS[fabric]}"

    def times(pattern: str, selector: str) -> np.ndarray:
        found = [measure(Run(fabric, route, "whole", pattern, selector, seed))[1] for seed in seeds]
        return np.asarray(np.array(found).mean(axis=0))

    print(f"{fabric}, {route}: {', '.join(VARIED)}")
    ours = {pattern: times(pattern, OURS) for pattern in VARIED}
    for selector in [*(f"{OURS}:{change}" for change in VARIANTS), "reps", "ugal:candidates=4"]:
        shown = [" / ".join(f"{ratio:.2f}" for ratio in times(pattern, selector) / ours[pattern]) for pattern in VARIED]
        print(f"  {selector:22} {'   '.join(shown)}", flush=True)


def main() -> None:
    """Print all tables, and the shares of cells that reach the goals."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fabrics", nargs="+", default=SMALL, help="some of " + ", ".join(FABRICS))
    parser.add_argument("--routings", nargs="+", default=["spread", "spread-groups"])
    parser.add_argument("--conditions", nargs="+", default=CONDITIONS)
    named = "; ".join(PATTERNS).replace("%", "%%")
    parser.add_argument(
        "--patterns", nargs="+", default=[*PATTERNS], choices=PATTERNS, metavar="PATTERN", help=f"some of: {named}"
    )
    parser.add_argument("--seeds", nargs="+", type=int, default=[11, 12, 13])
    parser.add_argument("--jobs", type=int, default=1, help="simulations at a time")
    parser.add_argument(
        "--alternatives", action="store_true", help="compare recycle with variants that have other parameters"
    )
    given = parser.parse_args()
    if given.alternatives:
        for fabric in given.fabrics:
            alternatives(fabric, given.seeds)
        return
    cells = []
    for fabric in given.fabrics:
        for name in given.routings:
            route = f"spread:layers={FABRICS[fabric]}" if name == "spread" else name
            for condition in given.conditions:
                cells += table(fabric, route, condition, given.patterns, given.seeds, given.jobs)
    for which, name, goal in ((0, "mean", 1.03), (1, "99th percentile", 1.05)):
        values = np.array([cell[which] for cell in cells])
        print(
            f"{name}: {np.mean(values <= goal):.1%} of {len(values)} cells are up to {goal - 1:.0%} "
            f"above the best rival, "
            f"{np.mean(values <= 1.1):.1%} up to 10%; largest ratio {values.max():.3f}, geometric mean "
            f"{np.exp(np.log(values).mean()):.3f}"
        )


if __name__ == "__main__":
    main()
