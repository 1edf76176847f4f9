"""Compare the times of tulle and scipy for the maximum achievable throughput, a linear program.

Run ``.venv/bin/python benches/throughput.py [peers|small]``.

The script prints one line per case, with tulle's processor seconds on one thread. tulle's time covers the computation
of throughput bounds from fabric and demands. With ``peers``, cases that scipy solves within minutes also show scipy's
time. scipy's time includes building the linear program (edge or path program) and solving it with
``scipy.optimize.linprog`` (HiGHS, with its default method and with interior points).

With ``small``, the script instead runs linear programs that take milliseconds, and prints medians of five runs. tulle
computes bounds from demands with the method that tulle selects; scipy solves the program that tulle has built.
"""

from __future__ import annotations

import os

os.environ["RAYON_NUM_THREADS"] = "1"

import sys
from statistics import median
from time import process_time
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_array, csc_array, eye_array, hstack, kron

import tulle
from tulle import _tulle
from tulle.analysis import Demands, demands, throughput
from tulle.analysis.concurrent_flow import edge_lp, path_lp

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray
    from scipy.sparse import csr_array

CLOS = "flattenedclos:switches=144,ports=32,layers=4,p=8"
RANDOM = "jellyfish:switches=722,degree=29,p=15"
MATCHING = "longest-matching:of=switches"

# Columns: fabric, routing, traffic, method, gap between the bounds, whether scipy solves the program within minutes.
CASES = [
    ("slimfly:q=5", None, "all-to-all", "orbit-lp", 1e-6, True),
    ("slimfly:q=19", None, "all-to-all", "orbit-lp", 1e-6, False),
    ("slimfly:q=43", None, "all-to-all", "orbit-lp", 1e-6, False),
    ("slimfly:q=19", None, "all-to-all", "weights", 0.01, False),
    (RANDOM, None, "all-to-all", "weights", 0.01, False),
    (CLOS, "virtual-updown", "all-to-all", "path-weights", 0.01, False),
    ("slimfly:q=19", None, MATCHING, "weights", 0.15, False),
    ("slimfly:q=5", None, MATCHING, "weights", 0.01, True),
    ("jellyfish:switches=36,degree=16,p=8", None, "all-to-all", "weights", 0.01, True),
]


# Columns: fabric, routing, traffic.
SMALL = [
    ("slimfly:q=5", "minimal", "uniform"),
    ("slimfly:q=5", "minimal", "all-to-all"),
    ("slimfly:q=5", "spread:layers=4,aim=disjoint", "permutation"),
    ("slimfly:q=5", "spread:layers=4,aim=disjoint", "longest-matching"),
    ("slimfly:q=7", "spread:layers=4,aim=disjoint", "longest-matching:of=switches"),
    ("slimfly:q=7", "spread:layers=4,aim=disjoint", "permutation"),
    ("jellyfish:switches=20,degree=5,p=2", "redksp:k=4", "permutation"),
    ("jellyfish:switches=36,degree=16,p=8", "minimal", "permutation"),
    ("hyperx:shape=4x4", "minimal", "uniform"),
    ("hyperx:shape=4x4x4", "minimal", "longest-matching"),
    ("fattree:levels=3,radix=4", "minimal", "permutation"),
    ("fattree:levels=3,radix=8", "minimal", "permutation"),
    ("slimfly:q=3", None, "permutation"),
    ("slimfly:q=5", None, "all-to-all"),
    ("jellyfish:switches=12,degree=4,p=2", None, "longest-matching"),
    ("jellyfish:switches=20,degree=5,p=2", None, "all-to-all"),
    ("hyperx:shape=3x3", None, "uniform"),
    ("fattree:levels=3,radix=4", None, "permutation"),
]


def over_edges(fabric: tulle.Fabric, wanted: Demands) -> tuple[csr_array, csr_array]:
    """Return the flow-balance and capacity constraints of the edge program, as matrices.

    The columns are flows, one per source and channel. The last column is the throughput.
    """
    switches, channels = fabric.num_switches, fabric.channels
    width = len(channels)
    ends, ones = np.arange(width), np.ones(width)
    incidence = coo_array((ones, (channels[:, 1], ends)), (switches, width))
    incidence = incidence - coo_array((ones, (channels[:, 0], ends)), (switches, width))
    sources, rank = np.unique(wanted.source, return_inverse=True)
    balance = np.zeros((len(sources), switches))
    np.add.at(balance, (rank, wanted.destination), -wanted.amount)
    np.add.at(balance, (rank, wanted.source), wanted.amount)
    equal = hstack([kron(eye_array(len(sources)), incidence), coo_array(balance.reshape(-1, 1))])
    load = hstack([kron(np.ones((1, len(sources))), eye_array(width)), coo_array((width, 1))])
    return equal.tocsr(), load.tocsr()


def over_paths(fabric: tulle.Fabric, wanted: Demands, routing: tulle.Routing) -> tuple[csr_array, csr_array]:
    """Return the flow-balance and capacity constraints of the path program, as matrices.

    The columns are flows, one per path. The last column is the throughput.
    """
    pairs, amounts = zip(wanted.source.tolist(), wanted.destination.tolist(), strict=True), wanted.amount
    paths = [(pair, path) for pair, ends in enumerate(pairs) for path in routing.paths(*ends)]
    columns = np.arange(len(paths))
    equal = coo_array((np.ones(len(paths)), ([pair for pair, _ in paths], columns)), (len(amounts), len(paths)))
    hops = np.concatenate([path for _, path in paths])
    at = np.repeat(columns, [len(path) for _, path in paths])
    load = coo_array((np.ones(len(hops)), (hops, at)), (2 * fabric.num_cables, len(paths)))
    last = coo_array(-amounts.reshape(-1, 1))
    return hstack([equal, last]).tocsr(), hstack([load, coo_array((load.shape[0], 1))]).tocsr()


def plain(program: Callable[[], tuple[csr_array, csr_array]], method: str) -> tuple[float, float]:
    """Build and solve a linear program with scipy; return the throughput and the processor seconds."""
    start = process_time()
    equal, load = program()
    goal = np.zeros(equal.shape[1])
    goal[-1] = -1
    solved = linprog(goal, load, np.ones(load.shape[0]), equal, np.zeros(equal.shape[0]), method=method)
    if solved.status != 0:
        raise RuntimeError(solved.message)
    return float(-solved.fun), process_time() - start


def handed_over(
    fabric: tulle.Fabric, wanted: Demands, routing: tulle.Routing | None
) -> tuple[csr_array, csr_array, NDArray[np.float64]]:
    """Return the equality and inequality constraints of tulle's linear program, and the bounds of the inequalities."""
    if routing is None:
        made = edge_lp.program(
            _tulle.edge_flow(fabric._core, wanted._core, None, None), fabric.channels, fabric.num_switches
        )
    else:
        made = path_lp.program(_tulle.path_flow(routing._core, wanted._core, None))
    rows = csc_array((made.value, made.index, made.start), (len(made.bound), len(made.start) - 1)).tocsr()
    return rows[: made.equalities], rows[made.equalities :], made.bound[made.equalities :]


def small() -> None:
    """Print one line per small program: columns, milliseconds of tulle and scipy, and the ratio scipy / tulle."""
    for spec, scheme, traffic in SMALL:
        fabric = tulle.Fabric(spec, 1)
        wanted = demands(fabric, traffic, 1)
        routing = None if scheme is None else tulle.route(fabric, scheme, 1)
        equal, load, bound = handed_over(fabric, wanted, routing)
        goal = np.zeros(equal.shape[1])
        goal[-1] = -1
        ours, theirs = [], {"highs": list[float](), "highs-ipm": list[float]()}
        for turn in range(5):
            start = process_time()
            found = throughput(fabric, wanted, routing)
            ours.append(process_time() - start)
            for name, times in theirs.items():
                # If scipy takes more than a second, it runs only once.
                if turn and times[0] > 1:
                    continue
                start = process_time()
                solved = linprog(goal, load, bound, equal, np.zeros(equal.shape[0]), method=name)
                times.append(process_time() - start)
                if not found.lower * (1 - 1e-6) <= -solved.fun <= found.upper * (1 + 1e-6):
                    raise RuntimeError(f"scipy's throughput {-solved.fun} is outside tulle's bounds")
        mine = median(ours)
        beside = ", ".join(
            f"{name} {1e3 * median(times):.1f} ({median(times) / mine:.1f}x)" for name, times in theirs.items()
        )
        case = f"{fabric.spec} {scheme or 'any path'} {traffic}, {len(goal)} columns"
        print(f"{case}: {found.method} {1e3 * mine:.1f} ms; {beside}", flush=True)


def main(*, peers: bool) -> None:
    """Print one line per case."""
    for spec, scheme, traffic, method, gap, small in CASES:
        fabric = tulle.Fabric(spec, 1)
        wanted = demands(fabric, traffic, 1)
        routing = None if scheme is None else tulle.route(fabric, scheme, 1)
        start = process_time()
        found = throughput(fabric, wanted, routing, gap, method=method)
        ours = process_time() - start
        bounds = f"[{found.lower:.5f}, {found.upper:.5f}]{'' if found.proven else ' not proven'}"
        print(f"{fabric.spec} {scheme or 'any path'} {wanted.spec} {method}: {bounds} in {ours:.2f} s", flush=True)
        if not (peers and small):
            continue

        def program(
            fabric: tulle.Fabric = fabric, wanted: Demands = wanted, routing: tulle.Routing | None = routing
        ) -> tuple[csr_array, csr_array]:
            return over_edges(fabric, wanted) if routing is None else over_paths(fabric, wanted, routing)

        for name in ("highs", "highs-ipm"):
            value, theirs = plain(program, name)
            if not found.lower * (1 - 1e-6) <= value <= found.upper * (1 + 1e-6):
                raise RuntimeError(f"scipy's throughput {value} is outside tulle's bounds")
            print(f"  scipy {name}: {value:.5f} in {theirs:.2f} s: {theirs / ours:.0f}x", flush=True)


if __name__ == "__main__":
    # The first call imports modules, so that the measured times do not include imports.
    throughput("slimfly:q=3", "all-to-all", method="orbit-lp")
    if "small" in sys.argv[1:]:
        small()
    else:
        main(peers="peers" in sys.argv[1:])
