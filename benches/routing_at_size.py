"""Seconds of layer schemes and deadlock schemes on Slim Flies of growing size, and how they grow.

    python benches/routing_at_size.py [--q 19,27,43] [--threads 1] [--only spread,dfsssp] [--limit 120]

Every case has a process of its own; a scheme that took longer than the limit in seconds is not run at the next size. A row has
processor seconds, the exponent of q by which they grew since the size before, seconds of the wall clock, memory, and a digest
of the result, which is the same for any number of threads.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from hashlib import sha256
from math import log
from resource import RUSAGE_SELF, getrusage
from time import perf_counter, process_time

LAYERS = [
    "minimal",
    "balanced",
    "random:layers=4,rho=0.6",
    "low-overlap:layers=4",
    "almost-minimal:layers=4",
    "spread:layers=4",
    "spread:layers=4,aim=disjoint",
    "spain:layers=4",
    "past",
    "edst",
]
DEADLOCKS = ["dfsssp", "lash", "hops", "colouring"]
ROUTED = ["spread:layers=4", "random:layers=4,rho=0.6"]


def case(q: int, routing: str, deadlock: str) -> None:
    """Runs one case, and prints its figures: seconds of the routing, or of the deadlock scheme alone."""
    import tulle

    fabric = tulle.Fabric(f"slimfly:q={q}")
    started = process_time(), perf_counter()
    routed = tulle.route(fabric, routing, seed=1)
    plan = None
    if deadlock:
        started = process_time(), perf_counter()
        plan = routed.deadlock_free(deadlock)
    took, wall = process_time() - started[0], perf_counter() - started[1]
    memory = getrusage(RUSAGE_SELF).ru_maxrss / 1024**2
    arrays = [routed.next_hop] if plan is None else [plan.sl, plan.certificate]
    digest = sha256()
    for array in arrays:
        digest.update(memoryview(array).cast("B"))
    needed = f"{routed.num_layers} layers" if plan is None else f"{plan.needed_vcs} virtual channels"
    print(took, wall, memory, digest.hexdigest()[:8], needed)


def main() -> None:
    """Runs all cases, size by size."""
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
    cases = [(spec, "") for spec in LAYERS] + [(spec, scheme) for spec in ROUTED for scheme in DEADLOCKS]
    wanted = options.only.split(",")
    before: dict[tuple[str, str], tuple[int, float]] = {}
    for q in map(int, options.q.split(",")):
        for routing, deadlock in cases:
            name = f"{deadlock} of {routing}" if deadlock else routing
            if (
                not any(name.startswith(start) for start in wanted)
                or before.get((routing, deadlock), (0, 0))[1] > options.limit
            ):
                continue
            run = subprocess.run(
                [sys.executable, __file__, "--case", str(q), routing, deadlock],
                env={**os.environ, "RAYON_NUM_THREADS": options.threads},
                capture_output=True,
                text=True,
                check=False,
            )
            if run.returncode:
                print(f"q={q} {name}: {run.stderr.strip().splitlines()[-1]}", flush=True)
                before[routing, deadlock] = q, float("inf")
                continue
            took, wall, memory, digest, needed = run.stdout.split(maxsplit=4)
            size, seconds = before.get((routing, deadlock), (0, 0.0))
            growth = f"q^{log(float(took) / seconds) / log(q / size):.1f}" if seconds else ""
            before[routing, deadlock] = q, float(took)
            print(
                f"q={q} {name:40} {float(took):8.2f} s {growth:6} wall {float(wall):7.2f} s"
                f" {float(memory):5.1f} GiB {digest} {needed.strip()}",
                flush=True,
            )


if __name__ == "__main__":
    main()
