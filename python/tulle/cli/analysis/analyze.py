"""``tulle analyze SPEC METRIC``: measure a fabric."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

import typer

from tulle.cli.network.fabric import FailFirst, Link, Spec, build
from tulle.cli.options import complete, destination
from tulle.cli.terminal.output import Json, Seed, note, print_fields, print_json

MetricSpec = Annotated[
    str,
    complete.argument(metavar="METRIC", what="A metric, for example disjoint-paths:hops=3,mode=exact", kind="metrics"),
]
Rows = Annotated[
    Path | None,
    typer.Option("-o", "--output", metavar="FILE.csv", callback=destination.table, help="Write the rows as CSV."),
]


def analyze(
    spec: Spec,
    metric: MetricSpec,
    seed: Seed = 0,
    link: Link = None,
    fail: FailFirst = None,
    output: Rows = None,
    json: Json = False,
) -> None:
    """Measures a fabric: distances, path diversity, interference, connectivity, bisection and others."""
    from tulle._internal.arguments import read_seed
    from tulle.analysis.metrics import metric as find

    canonical, measure = find(metric).parse(metric)
    fabric = build(spec, seed, fail, link)
    started = perf_counter()
    found = measure(fabric, read_seed(seed))
    fields: dict[str, Any] = {
        "fabric": fabric.spec,
        "links": list(fabric.links),
        "faults": fabric.faults,
        "metric": canonical,
        "seed": seed,
        "seconds": round(perf_counter() - started, 6),
        **found.values,
    }
    if output is not None:
        if found.rows is None:
            note(f"{canonical} has no rows; {output} is not written")
        else:
            found.rows.write_csv(output)
            fields["rows"] = str(output)
    if json:
        print_json(fields)
    else:
        print_fields({name: value for name, value in fields.items() if value != []})
