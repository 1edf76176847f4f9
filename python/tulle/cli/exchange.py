"""``tulle exchange SPEC``: sends all messages of a workload through the flit simulator."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from tulle.cli import complete, destination
from tulle.cli.fabric import Fail, Link, Spec, build
from tulle.cli.flit import (
    ClassLatency,
    Endpoint,
    Latency,
    May,
    Packet,
    Policy,
    Router,
    Routing,
    Selector,
    Threads,
    Vcs,
    as_fields,
    by_class,
    exit_after,
    spent,
)
from tulle.cli.output import Json, ProgressLine, Seed, note, print_fields, print_json, user_seconds

Traffic = Annotated[str, complete.option("--traffic", "-t", metavar="T", what="Messages", kind="traffics")]
Order = Annotated[
    str,
    typer.Option("--order", metavar="O", help="Of an endpoint's messages: in-order, round-robin or random."),
]
FlitBytes = Annotated[
    int | None,
    typer.Option("--flit-bytes", metavar="BYTES", help="Payload of a flit; default: as the router says, else 256."),
]
CyclePs = Annotated[
    int | None, typer.Option("--cycle-ps", metavar="PS", help="Time of a cycle; default: as the router says.")
]
Limit = Annotated[int, typer.Option("--limit", metavar="CYCLES", help="The most cycles to run.")]
Output = Annotated[
    Path | None,
    typer.Option("-o", "--output", metavar="FILE.csv", callback=destination.table, help="Write the messages as CSV."),
]


def exchange(
    spec: Spec,
    routing: Routing = "minimal",
    traffic: Traffic = "all-to-all:bytes=7680B",
    order: Order = "round-robin",
    vcs: Vcs = None,
    router: Router = "input-queued",
    selector: Selector = "minimal",
    policy: Policy = "hops",
    packet: Packet = 1,
    flit_bytes: FlitBytes = None,
    cycle_ps: CyclePs = None,
    latency: Latency = 10,
    class_latency: ClassLatency = None,
    endpoint_latency: Endpoint = 1,
    limit: Limit = 10_000_000,
    seed: Seed = 0,
    threads: Threads = 1,
    may_deadlock: May = False,
    link: Link = None,
    fail: Fail = None,
    output: Output = None,
    json: Json = False,
) -> None:
    """Sends all messages of a workload through the flit simulator, until they have arrived."""
    import tulle
    from tulle.exchanges import count_packets

    fabric = build(spec, seed, fail, link)
    with ProgressLine("routing"):
        routed = tulle.route(fabric, routing, seed)
    load = tulle.traffic(fabric, traffic, seed)
    settings: dict[str, Any] = {
        "order": order,
        "vcs": vcs,
        "router": router,
        "selector": selector,
        "policy": policy,
        "packet": packet,
        "flit_bytes": flit_bytes,
        "cycle_ps": cycle_ps,
        "latency": latency,
        "class_latency": by_class(class_latency),
        "endpoint_latency": endpoint_latency,
        "limit": limit,
        "threads": threads,
        "may_deadlock": may_deadlock,
    }
    packets = count_packets(load, packet, flit_bytes)
    before = user_seconds()
    with ProgressLine("packets", estimate=True) as line:
        result = tulle.exchange(
            fabric,
            routed,
            load,
            seed=seed,
            progress=lambda progress: line.show(progress.delivered, packets),
            **settings,
        )
    used = spent(before)
    for warning in result.warnings:
        note(warning)
    if output is not None:
        table = {**load.columns, "first_cycle": result.start, "arrival_cycle": result.arrival}
        tulle.Columns(table).write_csv(output)
    fields: dict[str, Any] = {
        "fabric": fabric.spec,
        "links": list(fabric.links),
        "faults": fabric.faults,
        "routing": routed.spec,
        "traffic": load.spec,
        "seed": seed,
        **as_fields(settings),
        **result.summary(),
        **used,
    }
    if json:
        print_json(fields)
    else:
        print_fields({name: value for name, value in fields.items() if value not in ([], None)})
    exit_after(result.deadlock is not None)
