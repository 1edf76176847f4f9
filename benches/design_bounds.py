"""Check the rows of ``tulle design`` against certified throughput bounds, which this script computes again.

For every size and radix, the script computes bounds of the throughput of the rows marked with a star. The throughput in
a row must be certified, must not exceed the upper bound, and must be at most 5% below it. The row's closed-form bound
must not be below the lower bound. The cost must equal the cost in ``tulle layout``. The script prints the table of
docs/explanation/design.md and exits with 1 if a check fails.

    python benches/design_bounds.py                     # all sizes and radixes
    python benches/design_bounds.py --endpoints 500 --radix 32,64
"""

from __future__ import annotations

import argparse
import sys
from time import process_time

import tulle
from tulle.design import closed_forms, design, ranked

GAP, NEAR = 0.02, 0.05


def main() -> int:
    """Check all rows; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--endpoints", default="500,1000,2000,10000")
    parser.add_argument("--radix", default="32,36,64")
    given = parser.parse_args()
    wrong = []
    heads = ("endpoints", "radix", "rows", "first row", "all-to-all", "certified between", "closed-form bound", "s")
    print(f"| {' | '.join(heads)} of processor time |\n{'|---' * len(heads)}|")
    for endpoints in map(int, given.endpoints.split(",")):
        for radix in map(int, given.radix.split(",")):
            started = process_time()
            rows = ranked(design(endpoints, radix)).pareto()
            seconds = process_time() - started
            brackets = []
            for row in rows:
                fabric = tulle.Fabric(row.forms.spec)
                found = tulle.analysis.throughput(fabric, "all-to-all", gap=GAP)
                lower, upper = min(found.lower, 1.0), min(found.upper, 1.0)
                brackets.append((lower, upper))
                forms, said = closed_forms([row.forms.spec])[0], row.all_to_all or 0.0
                bound = None if forms is None else forms.all_to_all
                cost = tulle.place(fabric).bill("fatpaths-100gbe").cost_per_endpoint
                for problem, holds in (
                    ("is not certified", row.all_to_all_is == "certified"),
                    (f"has throughput {said:.4f}, above the upper bound {upper:.4f}", said <= upper * (1 + 1e-9)),
                    (f"has throughput {said:.4f}, far below the upper bound {upper:.4f}", said * (1 + NEAR) >= upper),
                    (
                        f"has the closed-form bound {bound}, but carries {lower:.4f}",
                        bound is None or bound >= lower * (1 - 1e-9),
                    ),
                    (
                        f"costs {row.cost_per_endpoint:.2f} per endpoint, its layout {cost:.2f}",
                        row.cost_per_endpoint == cost,
                    ),
                ):
                    if not holds:
                        wrong.append(f"{endpoints} endpoints, radix {radix}: {row.forms.spec} {problem}")
            first, (lower, upper) = rows[0], brackets[0]
            print(
                f"| {endpoints} | {radix} | {len(rows)} | `{first.forms.spec}` | {first.all_to_all:.3f} "
                f"| {lower:.3f} to {upper:.3f} | {first.forms.all_to_all:.3f} | {seconds:.0f} |",
                flush=True,
            )
    for problem in wrong:
        print(problem, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
