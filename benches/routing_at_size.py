"""Measure run times of routing schemes and deadlock schemes on Slim Flies of growing size.

    python benches/routing_at_size.py [--q 19,27,43] [--threads 1,2] [--only spread,dfsssp] [--limit 120]

Every case runs in its own process. If a scheme takes longer than the limit (in seconds), larger sizes are skipped. A
row shows processor seconds, their growth since the previous size, as the exponent e of q^e, wall-clock seconds, memory,
and a digest of the result. If several numbers of threads are given, each case runs with each number, and the row shows
the times for the first number. If the digests of these runs differ, the script stops with an error. `--only` takes
prefixes of scheme names; `paths` selects all schemes that give explicit paths.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from dataclasses import fields
from hashlib import sha256
from math import log
from resource import RUSAGE_SELF, getrusage
from time import perf_counter, process_time
from typing import Any

LAYERS = [
    "minimal",
    "balanced",
    "random:layers=4,rho=0.6",
    "low-overlap:layers=4",
    "almost-minimal:layers=4",
    "spread:layers=4",
    "spread:layers=4,aim=disjoint",
    "spread-groups",
    "spain:layers=4",
    "past",
    "edst",
]
PATHS = ["ksp:k=4", "rksp:k=4", "edksp:k=4", "redksp:k=4", "llskr", "edst-paths", "spain-paths:k=4"]
DEADLOCKS = ["dfsssp", "lash", "hops", "colouring"]
ROUTED = ["spread:layers=4", "random:layers=4,rho=0.6"]


def case(q: int, routing: str, deadlock: str) -> None:
    """Run one case and print its results. The time is that of the deadlock scheme; without one, that of the routing."""
    import tulle

    fabric = tulle.Fabric(f"slimfly:q={q}")
    started = process_time(), perf_counter()
    routed = tulle.route(fabric, routing, seed=1)
    plan = None
    if deadlock:
        started = process_time(), perf_counter()
        plan = routed.assign_vcs(deadlock)
    took, wall = process_time() - started[0], perf_counter() - started[1]
    memory = getrusage(RUSAGE_SELF).ru_maxrss / 1024**2
    arrays: list[Any]
    if plan is not None:
        arrays, needed = [plan.sl, plan.certificate], f"{plan.needed_vcs} virtual channels"
    elif routed.num_paths is None:
        arrays, needed = [routed.next_hop, routed.paths_over()], f"{routed.num_layers} layers"
    else:
        paths = routed.path_columns()
        arrays, needed = [getattr(paths, field.name) for field in fields(paths)], f"{routed.num_paths} paths"
    digest = sha256()
    for array in arrays:
        digest.update(memoryview(array).cast("B"))
    print(took, wall, memory, digest.hexdigest()[:8], needed)


def main() -> None:
    """Run all cases, size by size."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--q", default="19,27,43")
    parser.add_argument("--threads", default="1")
    parser.add_argument("--only", default="")
    parser.add_argument("--limit", type=float, default=120)
    parser.add_argument("--case", nargs=3)
    options = parser.parse_args()
    if options.case:
        q, routing, deadlock = options.case
        case(int(q), routing, deadlock)
        return
    cases = [(spec, "") for spec in LAYERS + PATHS] + [(spec, scheme) for spec in ROUTED for scheme in DEADLOCKS]
    wanted = [name for word in options.only.split(",") for name in (PATHS if word == "paths" else [word])]
    before: dict[tuple[str, str], tuple[int, float]] = {}
    for q in map(int, options.q.split(",")):
        for routing, deadlock in cases:
            name = f"{deadlock} of {routing}" if deadlock else routing
            size, seconds = before.get((routing, deadlock), (0, 0.0))
            if seconds > options.limit or not any(name.startswith(start) for start in wanted):
                continue
            runs = [run(q, routing, deadlock, threads) for threads in options.threads.split(",")]
            rows = [row for row in runs if row is not None]
            if len(rows) < len(runs):
                before[routing, deadlock] = q, float("inf")
                continue
            took, wall, memory, digest, needed = rows[0]
            if any(row[3] != digest for row in rows):
                sys.exit(f"q={q} {name}: {' and '.join(row[3] for row in rows)} by {options.threads} threads")
            growth = f"q^{log(float(took) / seconds) / log(q / size):.1f}" if seconds else ""
            before[routing, deadlock] = q, float(took)
            print(
                f"q={q} {name:40} {float(took):8.2f} s {growth:6} wall {float(wall):7.2f} s"
                f" {float(memory):5.1f} GiB {digest} {needed.strip()}",
                flush=True,
            )


def run(q: int, routing: str, deadlock: str, threads: str) -> list[str] | None:
    """Run one case in its own process and return its results; if the case fails, print a message and return None."""
    done = subprocess.run(
        [sys.executable, __file__, "--case", str(q), routing, deadlock],
        env={**os.environ, "RAYON_NUM_THREADS": threads},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        said = done.stderr.strip().splitlines() or [f"ended with {done.returncode}"]
        print(f"q={q} {routing} {deadlock}: {said[-1]}", flush=True)
        return None
    return done.stdout.split(maxsplit=4)


if __name__ == "__main__":
    main()
