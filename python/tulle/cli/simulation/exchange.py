"""``tulle exchange SPEC``: send all messages of a workload through the flit simulator."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from tulle.cli.network.fabric import FailFirst, Link, Spec, build, routing_file, routing_of, workload_of
from tulle.cli.options import complete, destination
from tulle.cli.options.simulator import declared
from tulle.cli.simulation.flit import (
    Routing,
    Vcs,
    by_class,
    exit_after,
    note_latencies,
    print_result,
    spent,
    without_load,
)
from tulle.cli.simulation.simulate import named
from tulle.cli.terminal.output import Json, ProgressLine, Seed, note, user_seconds
from tulle.flit.configuration import Settings
from tulle.flit.notes import layer_notes
from tulle.flit.options import EXCHANGE_DEFAULTS, FlitConfiguration, WindowSettings
from tulle.flit.run_to_completion import count_packets

Traffic = Annotated[str, complete.option("--traffic", "-t", metavar="T", what="Messages", kind="traffics")]
Output = Annotated[
    Path | None,
    typer.Option("-o", "--output", metavar="FILE.csv", callback=destination.table, help="Write the messages as CSV."),
]


@declared("flit", "exchange", skip={"load", *WindowSettings.__annotations__} - {*EXCHANGE_DEFAULTS})
def exchange(
    spec: Spec,
    routing: Routing = "minimal",
    traffic: Traffic = "all-to-all:bytes=7680B",
    vcs: Vcs = None,
    seed: Seed = 0,
    link: Link = None,
    fail: FailFirst = None,
    output: Output = None,
    json: Json = False,
    **options: Any,
) -> None:
    """Sends all messages of a workload through the flit simulator, until they have arrived."""
    import tulle

    settings = {**options, "vcs": vcs, "class_latency": by_class(options["class_latency"])}
    fabric = build(spec, seed, fail, link)
    with ProgressLine("routing"):
        routed = routing_of(fabric, routing, seed)
    workload = workload_of(fabric, traffic, seed)
    packets = count_packets(workload, options["packet"], options["flit_bytes"])
    before = user_seconds()
    with ProgressLine("packets", estimate=True) as line:
        result = tulle.simulate_exchange(
            fabric,
            routed,
            workload,
            seed=seed,
            progress=lambda progress: line.show(progress.delivered, packets),
            **settings,
        )
    used = spent(before)
    note_latencies(fabric, settings)
    for warning in (*layer_notes(routed, result.configuration["selector"]), *result.warnings):
        note(warning)
    if output is not None:
        table = {**workload.columns, "first_cycle": result.start, "arrival_cycle": result.arrival}
        named(tulle.Columns(table, workload.columns.units), fabric, "destination").write_csv(output)
    fields: dict[str, Any] = {
        "fabric": fabric.spec,
        "links": list(fabric.links),
        "faults": fabric.faults,
        "routing": routed.spec,
        **routing_file(routing),
        "traffic": workload.spec,
        "seed": seed,
        "order": options["order"],
        "software": options["software"],
        "gap": options["gap"],
        "limit": options["limit"],
        **closed_loop(result.configuration),
        **result.summary(),
        **used,
    }
    print_result(fields, json)
    exit_after(result.deadlock is not None)


def closed_loop(configuration: FlitConfiguration) -> dict[str, Any]:
    """Return a configuration without the settings that do not apply to this command."""
    names = Settings.__annotations__
    return {name: value for name, value in without_load(configuration).items() if name in names}
