"""How evenly a rerouted network carries traffic, beside the same network routed anew.

    python benches/rerouting_balance.py [--small] [--seeds N] [--only TEXT]

A row per fabric, routing and failure (1% and 5% of the cables, one switch):

* the busiest channel and the 99th percentile of channels, rerouted over routed anew, the worst of the seeds (paths of
  all pairs; groups split evenly);
* the all-to-all throughput at an even split, rerouted over routed anew, the worst of the seeds;
* the mean share of entries that changed, and that had to: they used a dead channel.

A second table has the worst of all fabrics per routing and failure: that of `docs/resilience.md`. `--small` takes
smaller fabrics.
"""

import argparse
import sys

import numpy as np

import tulle
from tulle.analysis import throughput

FAULTS = ("links=1%", "links=5%", "switches=1")
TABLES = (
    "minimal",
    "balanced",
    "random:layers=4",
    "almost-minimal:layers=4",
    "spread:layers=4",
    "spread-groups:layers=2",
)
FABRICS = (
    "fattree:levels=2,radix=32",
    "fattree:levels=3,radix=8",
    "slimfly:q=9",
    "dragonfly:p=3",
    "jellyfish:switches=100,degree=12,p=6",
    "hyperx:shape=6x6x3",
)
SMALL = (
    "fattree:levels=2,radix=16",
    "fattree:levels=3,radix=6",
    "slimfly:q=5",
    "dragonfly:p=2",
    "jellyfish:switches=50,degree=8,p=4",
    "hyperx:shape=5x5",
)
CLOS = "flattenedclos:switches=60,ports=24,layers=4,p=10"
# What the paths of a routing may come to, rerouted over routed anew: busiest channel, 99th percentile; throughput.
GROUPS, LAYERS = (1.15, 0.87), (1.3, 0.77)


def measure(before: tulle.Routing, routing: str, faults: str, seed: int) -> dict[str, float] | None:
    """The ratios of one draw; None if it cuts switches apart or the scheme cannot route what is left."""
    fabric = before.fabric
    damaged = fabric.failed(faults, seed)
    if damaged.diameter is None:
        return None
    try:
        rerouted, anew = before.reroute(damaged), tulle.route(damaged, routing, seed)
    except tulle.InputError:
        return None
    loads = [each.paths_over() for each in (rerouted.routing, anew)]
    rates = [throughput(damaged, "all-to-all", each, method="split").lower for each in (rerouted.routing, anew)]
    return {
        "max": loads[0].max() / loads[1].max(),
        "p99": np.percentile(loads[0], 99) / np.percentile(loads[1], 99),
        "throughput": rates[0] / rates[1],
        "touched": rerouted.touched / rerouted.entries,
        "broken": rerouted.broken / rerouted.entries,
    }


def main() -> None:
    """Measures the matrix and prints a row per fabric, routing and failure."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--small", action="store_true")
    arguments.add_argument("--seeds", type=int, default=3)
    arguments.add_argument("--only", default="")
    given = arguments.parse_args()
    cases = [(spec, routing) for spec in (SMALL if given.small else FABRICS) for routing in TABLES]
    cases.append((CLOS, "virtual-updown"))
    outside = 0
    worst: dict[tuple[str, str], list[dict[str, float]]] = {}
    print_heading("fabric", "routing")
    for spec, routing in cases:
        if given.only not in f"{spec} {routing}":
            continue
        fabric = tulle.Fabric(spec)
        try:
            routed = [tulle.route(fabric, routing, seed) for seed in range(given.seeds)]
        except tulle.InputError:
            # almost-minimal: fat trees have no paths of three hops.
            continue
        for faults in FAULTS:
            draws = [measure(before, routing, faults, seed) for seed, before in enumerate(routed)]
            found = [draw for draw in draws if draw is not None]
            if not found:
                print(f"| `{spec}` | `{routing}` | {faults} | - | - | - | - | - |", flush=True)
                continue
            whole = joined(found)
            worst.setdefault((routing, faults), []).append(whole)
            most, least = GROUPS if routing == "minimal" else LAYERS
            held = max(whole["max"], whole["p99"]) <= most and whole["throughput"] >= least
            outside += not held
            print_row([f"`{spec}`", f"`{routing}`", faults], whole, "" if held else " outside the bounds")
    print()
    print_heading("routing")
    for (routing, faults), found in worst.items():
        print_row([f"`{routing}`", faults], joined(found))
    print(f"{outside} rows outside the bounds", file=sys.stderr)


def joined(found: list[dict[str, float]]) -> dict[str, float]:
    """The worst of the ratios, the mean of the shares of entries."""
    column = {name: [each[name] for each in found] for name in found[0]}
    return {
        "max": max(column["max"]),
        "p99": max(column["p99"]),
        "throughput": min(column["throughput"]),
        "touched": float(np.mean(column["touched"])),
        "broken": float(np.mean(column["broken"])),
    }


def print_heading(*names: str) -> None:
    """Prints the heading of a table."""
    print("| " + " | ".join([*names, "fails", "busiest", "p99", "throughput", "changed", "had to"]) + " |")
    print("|" + "---|" * (len(names) + 6))


def print_row(names: list[str], row: dict[str, float], remark: str = "") -> None:
    """Prints a row of a table."""
    ratios = [f"{row[name]:.2f}" for name in ("max", "p99", "throughput")]
    shares = [f"{row[name]:.1%}" for name in ("touched", "broken")]
    print("| " + " | ".join([*names, *ratios, *shares]) + f" |{remark}", flush=True)


if __name__ == "__main__":
    main()
