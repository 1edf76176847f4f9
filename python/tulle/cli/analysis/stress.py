"""``tulle stress SPEC ROUTING TRAFFIC``: search for traffic that loads a routing more than the given traffic."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

import typer

from tulle.cli.network.fabric import (
    FailFirst,
    Link,
    Spec,
    build,
    note_assumed_rate,
    routing_file,
    routing_of,
    workload_of,
)
from tulle.cli.options import complete, destination
from tulle.cli.terminal.output import Json, Seed, print_fields, print_json

Routing = Annotated[str, complete.argument(metavar="ROUTING", what="Routing that gives the loads", kind="routings")]
Traffic = Annotated[str, complete.argument(metavar="TRAFFIC", what="Traffic to start the search", kind="traffics")]
Tries = Annotated[
    int,
    typer.Option(
        "--tries",
        metavar="N",
        help="Number of swaps that the search tries; a swap exchanges the destinations of two messages.",
    ),
]
Certify = Annotated[
    bool,
    typer.Option(
        "--throughput",
        help="Also bound the routing's throughput before and after the search. The bounds differ by at most 1%.",
    ),
]
Messages = Annotated[
    Path | None,
    typer.Option("-o", "--output", metavar="FILE.csv", callback=destination.table, help="Write the messages as CSV."),
]


def stress(
    spec: Spec,
    routing: Routing,
    traffic: Traffic,
    tries: Tries = 100_000,
    seed: Seed = 0,
    link: Link = None,
    fail: FailFirst = None,
    throughput: Certify = False,
    output: Messages = None,
    json: Json = False,
) -> None:
    """Swaps destinations of messages so that the most loaded channel carries more. Even worse traffic may exist."""
    import tulle

    fabric = build(spec, seed, fail, link)
    routed = routing_of(fabric, routing, seed)
    workload = workload_of(fabric, traffic, seed)
    started = perf_counter()
    found = tulle.stress(routed, workload, tries, seed)
    seconds = perf_counter() - started
    fields: dict[str, Any] = {
        "fabric": fabric.spec,
        "links": list(fabric.links),
        "faults": fabric.faults,
        "routing": routed.spec,
        **routing_file(routing),
        "traffic": workload.spec,
        "seed": seed,
        "tries": tries,
        "messages": len(workload),
        "moved": int((found.workload.destination != workload.destination).sum()),
        "before_bytes": found.before,
        "after_bytes": found.after,
        "worse": found.after / found.before if found.before else None,
        "seconds": round(seconds, 6),
    }
    if throughput:
        note_assumed_rate(fabric)
        for name, messages in (("before", workload), ("after", found.workload)):
            bounds = tulle.analysis.throughput(fabric, messages, routed)
            fields[f"throughput_{name}"] = [bounds.lower, bounds.upper]
    if output is not None:
        found.workload.columns.write_csv(output)
        fields["written"] = str(output)
    if json:
        print_json(fields)
    else:
        print_fields({name: value for name, value in fields.items() if value not in ([], None)})
