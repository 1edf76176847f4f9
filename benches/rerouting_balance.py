"""Compare the load balance of a rerouted network with that of the same network routed from scratch.

    python benches/rerouting_balance.py [--small] [--draws N] [--only TEXT]

The table has one row per fabric, routing and failure (1% and 5% of the cables, one switch). Each draw (repetition) uses
another seed for the routing and the failure. Many schemes make random choices, so the load of the busiest channel after
routing from scratch varies by up to a factor of two between seeds. The reference is therefore the mean of routing from
scratch with five seeds: the draw's own seed and four others.

* `busiest` and `p99`: the load of the busiest channel, and the 99th percentile of channel loads. A channel's load is
  its number of paths over all pairs of switches; groups of next hops split evenly.
* `throughput`: the throughput of all-to-all traffic if groups split evenly. `busiest`, `p99` and `throughput` are
  ratios of the rerouted network to the reference, averaged over the draws. The bounds apply to these three ratios.
* `each draw`: the load of the busiest channel after rerouting, divided by its load after routing from scratch with the
  draw's own seed.
* `before`: the load of the busiest channel before the failure, also divided by its load after routing from scratch. If
  this ratio exceeds the bound, the routing was uneven before the failure. Rerouting is then not the cause, because it
  keeps most entries.
* `changed`, `had to change`: the mean fraction of entries that changed, and of entries that had to change because they
  used a failed channel.

A second table has, per routing and failure, the worst ratios of all fabrics, and the means of `changed` and
`had to change`; `docs/explanation/resilience.md` shows it. `--small` selects smaller fabrics.
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
# Bounds of the ratios of a rerouted network to one routed from scratch. The first number of a pair is the upper bound
# for channel loads (busiest channel and 99th percentile). The second is the lower bound for the throughput.
GROUPS, LAYERS = (1.15, 0.87), (1.3, 0.77)
ANEW = 5


class Loads:
    """The channel loads of a routing (numbers of paths), and its throughput."""

    def __init__(self, routing: tulle.Routing) -> None:
        over = routing.paths_over()
        self.busiest = float(over.max())
        self.p99 = float(np.percentile(over, 99))
        self.throughput = throughput(routing.fabric, "all-to-all", routing, method="split").lower


def measure(before: tulle.Routing, routing: str, faults: str, seed: int) -> dict[str, float] | None:
    """Return the ratios of one draw.

    Return None if the failure disconnects switches or the scheme cannot route the remaining fabric.
    """
    damaged = before.fabric.with_failures(faults, seed)
    if damaged.diameter is None:
        return None
    try:
        rerouted = before.reroute(damaged)
        anew = [Loads(tulle.route(damaged, routing, seed + other)) for other in range(ANEW)]
    except tulle.InputError:
        return None
    loads = Loads(rerouted.routing)
    return {
        "busiest": loads.busiest / float(np.mean([each.busiest for each in anew])),
        "p99": loads.p99 / float(np.mean([each.p99 for each in anew])),
        "throughput": loads.throughput / float(np.mean([each.throughput for each in anew])),
        "strict": loads.busiest / anew[0].busiest,
        "before": float(before.paths_over().max()) / anew[0].busiest,
        "touched": rerouted.touched / rerouted.entries,
        "broken": rerouted.broken / rerouted.entries,
    }


def main() -> None:
    """Measure all combinations and print one row per fabric, routing and failure."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--small", action="store_true")
    arguments.add_argument("--draws", type=int, default=3)
    arguments.add_argument("--only", default="")
    given = arguments.parse_args()
    cases = [(spec, routing) for spec in (SMALL if given.small else FABRICS) for routing in TABLES]
    cases.append((CLOS, "virtual-updown"))
    rows = outside = strict = uneven = 0
    worst: dict[tuple[str, str], list[dict[str, float]]] = {}
    heading(
        "fabric", "routing", "fails", "busiest", "p99", "throughput", "each draw", "before", "changed", "had to change"
    )
    for spec, routing in cases:
        if given.only not in f"{spec} {routing}":
            continue
        fabric = tulle.Fabric(spec)
        try:
            routed = [tulle.route(fabric, routing, seed) for seed in range(given.draws)]
        except tulle.InputError:
            # The scheme almost-minimal cannot route fat trees, which have no paths of three hops.
            continue
        for faults in FAULTS:
            draws = [measure(before, routing, faults, seed) for seed, before in enumerate(routed)]
            found = [draw for draw in draws if draw is not None]
            if not found:
                print(f"| `{spec}` | `{routing}` | {faults} |" + " - |" * 7, flush=True)
                continue
            row = {name: float(np.mean([draw[name] for draw in found])) for name in found[0]}
            most, least = GROUPS if routing == "minimal" else LAYERS
            held = max(row["busiest"], row["p99"]) <= most and row["throughput"] >= least
            above = [draw for draw in found if draw["strict"] > most]
            rows, outside, strict = rows + 1, outside + (not held), strict + len(above)
            uneven += sum(draw["before"] > most for draw in above)
            each, before = (" ".join(f"{draw[name]:.2f}" for draw in found) for name in ("strict", "before"))
            shares = (f"{row['touched']:.1%}", f"{row['broken']:.1%}")
            remark = "" if held else " outside the bounds"
            line(f"`{spec}`", f"`{routing}`", faults, *ratios(row), each, before, *shares, remark=remark)
            row["strict"] = max(draw["strict"] for draw in found)
            worst.setdefault((routing, faults), []).append(row)
    print()
    heading("routing", "fails", "busiest", "p99", "throughput", "worst draw", "changed", "had to change")
    for (routing, faults), found in worst.items():
        row = {name: max(each[name] for each in found) for name in ("busiest", "p99", "strict")}
        row["throughput"] = min(each["throughput"] for each in found)
        means = (f"{np.mean([each[name] for each in found]):.1%}" for name in ("touched", "broken"))
        line(f"`{routing}`", faults, *ratios(row), f"{row['strict']:.2f}", *means)
    print(f"{outside} of {rows} rows are outside the bounds.", file=sys.stderr)
    print(
        f"Relative to routing from scratch with the same seed, {strict} draws are outside the bounds.",
        file=sys.stderr,
        end=" ",
    )
    print(f"{uneven} of these draws were outside the bounds even before the failure.", file=sys.stderr)


def ratios(row: dict[str, float]) -> tuple[str, str, str]:
    """Return the three ratios that the script compares with bounds."""
    return f"{row['busiest']:.2f}", f"{row['p99']:.2f}", f"{row['throughput']:.2f}"


def heading(*names: str) -> None:
    """Print the heading of a table."""
    line(*names)
    print("|" + "---|" * len(names))


def line(*cells: str, remark: str = "") -> None:
    """Print a row of a table."""
    print("| " + " | ".join(cells) + f" |{remark}", flush=True)


if __name__ == "__main__":
    main()
