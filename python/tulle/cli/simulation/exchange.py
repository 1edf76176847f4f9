"""``tulle exchange SPEC``: sends all messages of a workload through the flit simulator."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from tulle.cli.network.fabric import FailFirst, Link, Spec, build, routing_of
from tulle.cli.options import complete, destination
from tulle.cli.simulation.flit import (
    ClassLatency,
    Endpoint,
    LinkLatency,
    May,
    Packet,
    Policy,
    Router,
    Routing,
    Selector,
    Threads,
    Vcs,
    by_class,
    exit_after,
    print_result,
    spent,
    without_load,
)
from tulle.cli.terminal.output import Json, ProgressLine, Seed, note, user_seconds
from tulle.flit.configuration import DEFAULTS, FlitConfiguration, Settings
from tulle.flit.run_to_completion import LIMIT, ORDER, count_packets

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
    order: Order = ORDER,
    vcs: Vcs = None,
    router: Router = DEFAULTS["router"],
    selector: Selector = DEFAULTS["selector"],
    policy: Policy = DEFAULTS["policy"],
    packet: Packet = DEFAULTS["packet"],
    flit_bytes: FlitBytes = None,
    cycle_ps: CyclePs = None,
    link_latency: LinkLatency = DEFAULTS["link_latency"],
    class_latency: ClassLatency = None,
    endpoint_latency: Endpoint = DEFAULTS["endpoint_latency"],
    limit: Limit = LIMIT,
    seed: Seed = 0,
    threads: Threads = DEFAULTS["threads"],
    may_deadlock: May = False,
    link: Link = None,
    fail: FailFirst = None,
    output: Output = None,
    json: Json = False,
) -> None:
    """Sends all messages of a workload through the flit simulator, until they have arrived."""
    import tulle

    fabric = build(spec, seed, fail, link)
    with ProgressLine("routing"):
        routed = routing_of(fabric, routing, seed)
    workload = tulle.traffic(fabric, traffic, seed)
    packets = count_packets(workload, packet, flit_bytes)
    before = user_seconds()
    with ProgressLine("packets", estimate=True) as line:
        result = tulle.simulate_exchange(
            fabric,
            routed,
            workload,
            order=order,
            flit_bytes=flit_bytes,
            cycle_ps=cycle_ps,
            limit=limit,
            seed=seed,
            progress=lambda progress: line.show(progress.delivered, packets),
            vcs=vcs,
            router=router,
            selector=selector,
            policy=policy,
            packet=packet,
            link_latency=link_latency,
            class_latency=by_class(class_latency),
            endpoint_latency=endpoint_latency,
            threads=threads,
            may_deadlock=may_deadlock,
        )
    used = spent(before)
    for warning in result.warnings:
        note(warning)
    if output is not None:
        table = {**workload.columns, "first_cycle": result.start, "arrival_cycle": result.arrival}
        tulle.Columns(table, workload.columns.units).write_csv(output)
    fields: dict[str, Any] = {
        "fabric": fabric.spec,
        "links": list(fabric.links),
        "faults": fabric.faults,
        "routing": routed.spec,
        "traffic": workload.spec,
        "seed": seed,
        "order": order,
        "limit": limit,
        **closed_loop(result.configuration),
        **result.summary(),
        **used,
    }
    print_result(fields, json)
    exit_after(result.deadlock is not None)


def closed_loop(configuration: FlitConfiguration) -> dict[str, Any]:
    """A configuration without what says nothing of an exchange."""
    names = Settings.__annotations__
    return {name: value for name, value in without_load(configuration).items() if name in names}
