"""``tulle simulate SPEC``: routes, loads and simulates a fabric."""

from __future__ import annotations

import sys
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tulle.cli.network.fabric import FailFirst, Link, Spec, build, routing_of
from tulle.cli.options import complete, destination
from tulle.cli.terminal.output import Json, ProgressLine, Seed, note, print_fields, print_json, user_seconds
from tulle.packet.configuration import LINK_LATENCY, MTU, NIC, RATE, SELECTOR, TRANSPORT

if TYPE_CHECKING:
    import tulle

Routing = Annotated[str, complete.option("--routing", "-r", metavar="R", what="Routing", kind="routings")]
Traffic = Annotated[str, complete.option("--traffic", "-t", metavar="T", what="Traffic", kind="traffics")]
Transport = Annotated[str, complete.option("--transport", metavar="X", what="Transport", kind="transports")]
Selector = Annotated[
    str, complete.option("--selector", metavar="S", what="What picks layer and path", kind="selectors")
]
Queue = Annotated[
    str | None,
    complete.option(
        "--queue", metavar="Q", what="Queues of switch ports, by default those of the transport", kind="queues"
    ),
]
Nic = Annotated[
    str, complete.option("--nic", metavar="D", what="Order of an endpoint's flows at its link", kind="nics")
]
Rate = Annotated[
    str, typer.Option("--rate", metavar="RATE", help="Rate of links that nothing else is said of, as 100Gbps.")
]
Latency = Annotated[
    str, typer.Option("--link-latency", metavar="TIME", help="Latency of links that nothing else is said of, as 1us.")
]
Mtu = Annotated[str, typer.Option("--mtu", metavar="BYTES", help="A full packet with its header of 64 bytes, as 9KB.")]
Until = Annotated[str | None, typer.Option("--until", metavar="TIME", help="When to cut the run off, as 10ms.")]
Faults = Annotated[
    list[str] | None,
    typer.Option(
        "--faults", metavar="F", help="What fails when, as down:links=5%,at=50us,until=1ms, or @FILE; may be repeated."
    ),
]
Sample = Annotated[str | None, typer.Option("--sample", metavar="TIME", help="Time between rows of --samples.")]
Threads = Annotated[
    int | None, typer.Option("--threads", metavar="N", help="Threads for this simulation; default: by its size.")
]
Profile = Annotated[bool, typer.Option("--profile", help="Tell where the time of the simulation went.")]
Links = Annotated[
    Path | None, typer.Option("--links", metavar="FILE.csv", callback=destination.table, help="Write the links as CSV.")
]
Samples = Annotated[
    Path | None,
    typer.Option(
        "--samples", metavar="FILE.csv", callback=destination.table, help="Write the network's state over time as CSV."
    ),
]
Fct = Annotated[
    Path | None,
    typer.Option(
        "--fct",
        metavar="FILE.txt",
        callback=destination.text,
        help="Write completion times as HPCC's ns-3 does (fct.txt).",
    ),
]
Output = Annotated[
    Path | None,
    typer.Option("-o", "--output", metavar="FILE.csv", callback=destination.table, help="Write the flows as CSV."),
]


def simulate(
    spec: Spec,
    routing: Routing = "minimal",
    traffic: Traffic = "permutation",
    transport: Transport = TRANSPORT,
    selector: Selector = SELECTOR,
    queue: Queue = None,
    nic: Nic = NIC,
    rate: Rate = RATE,
    link_latency: Latency = LINK_LATENCY,
    mtu: Mtu = MTU,
    faults: Faults = None,
    until: Until = None,
    sample: Sample = None,
    threads: Threads = None,
    profile: Profile = False,
    seed: Seed = 0,
    link: Link = None,
    fail: FailFirst = None,
    output: Output = None,
    links: Links = None,
    samples: Samples = None,
    fct: Fct = None,
    json: Json = False,
) -> None:
    """Simulates traffic over a routed fabric, packet by packet."""
    import tulle

    if (sample is None) != (samples is None):
        raise tulle.InputError("--sample and --samples go together; legal: both or neither")
    fabric = build(spec, seed, fail, link)
    with ProgressLine("routing"):
        routed = routing_of(fabric, routing, seed)
    _note_unused(fabric, rate, link_latency)
    workload = tulle.traffic(fabric, traffic, seed)
    before = user_seconds()
    with ProgressLine("packets delivered", estimate=True) as line:
        result = tulle.simulate(
            fabric,
            routed,
            workload,
            transport,
            selector,
            queue=queue,
            nic=nic,
            rate=rate,
            link_latency=link_latency,
            mtu=mtu,
            faults=faults or (),
            until=until,
            sample=sample,
            threads=threads,
            profile=profile,
            seed=seed,
            keep_partial=True,
            progress=lambda progress: line.show(min(progress.delivered, progress.packets), progress.packets),
        )
    seconds = user_seconds() - before
    if output is not None:
        tulle.Columns({**result.flows, "slowdown": result.slowdown}, result.flows.units).write_csv(output)
    if links is not None:
        result.links.write_csv(links)
    if samples is not None:
        result.samples.write_csv(samples)
    if fct is not None:
        result.write_fct(fct)
    fields: dict[str, Any] = {
        "fabric": fabric.spec,
        "links": list(fabric.links),
        "faults": fabric.faults,
        "routing": routed.spec,
        "traffic": workload.spec,
        **result.configuration,
        **result.summary(),
        **({"profile": result.profile} if profile else {}),
        "user_seconds": round(seconds, 6),
        "peak_rss_mb": _peak_rss_mb(),
    }
    if json:
        print_json(fields)
    else:
        print_fields({name: value for name, value in fields.items() if value != []})
    if result.partial:
        raise KeyboardInterrupt


def _note_unused(fabric: tulle.Fabric, rate: str, link_latency: str) -> None:
    """Warns that an option has no effect because every link has its own rate or latency."""
    for option, given, default, known in (
        ("--rate", rate, RATE, (fabric.link_rate, fabric.endpoint_rate)),
        ("--link-latency", link_latency, LINK_LATENCY, (fabric.link_latency, fabric.endpoint_latency)),
    ):
        if given != default and all((of >= 0).all() for of in known):
            what = option.rpartition("-")[2]
            note(f"{option} {given} is not used: every link has a {what} of its own")


def _peak_rss_mb() -> float:
    """The most memory that this process had at a time, in MB (10⁶ bytes)."""
    # Kibibytes on Linux, bytes on macOS.
    unit = 1 if sys.platform == "darwin" else 1024
    return round(getrusage(RUSAGE_SELF).ru_maxrss * unit / 1e6, 1)
