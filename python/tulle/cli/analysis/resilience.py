"""``tulle resilience SPEC``: measure a fabric after failures of cables and switches."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tulle import __version__
from tulle.cli.network.fabric import Fail, Link, Spec, build, note_assumed_rate
from tulle.cli.options import complete
from tulle.cli.options.plotting import plot_option
from tulle.cli.terminal.output import Json, ProgressLine, Seed, note, print_json, print_table, span, text
from tulle.cli.terminal.table import Column
from tulle.errors import SpecError

if TYPE_CHECKING:
    from tulle.analysis.failure_sweep import Band

Routing = Annotated[
    str | None,
    typer.Option(
        "--routing",
        metavar="SPEC",
        help="Routing whose throughput is measured after failures, both rerouted and computed anew. With --campaign: "
        "the deployed routing; default: almost-minimal:layers=4.",
    ),
]
Traffic = Annotated[
    str | None,
    complete.option(
        "--traffic", metavar="SPEC", what="With --routing: also measure the throughput of this traffic", kind="traffics"
    ),
]
Shares = Annotated[
    str,
    typer.Option("--shares", metavar="S,…", help="Fractions of cables or switches that fail, for example 0%,1%,5%."),
]
Kinds = Annotated[str, typer.Option("--kinds", metavar="KIND,…", help="Kinds of failing parts: links, switches.")]
Seeds = Annotated[int, typer.Option("--seeds", metavar="N", help="Number of random failure sets for every fraction.")]
Hops = Annotated[
    int | None,
    typer.Option("--hops", metavar="L", help="Hop limit of disjoint paths; default: the diameter plus one."),
]
Pairs = Annotated[
    int | None,
    typer.Option(
        "--pairs",
        metavar="N",
        help="Number of random pairs of switches whose disjoint paths are counted; default: all pairs if at most 100 "
        "switches have endpoints, otherwise 1000.",
    ),
]
Gap = Annotated[
    str,
    typer.Option(
        "--gap",
        metavar="SHARE",
        help="Largest relative gap between the lower and the upper bound of all-to-all throughput, for example 5%.",
    ),
]
Campaign = Annotated[
    bool,
    typer.Option(
        "--campaign",
        help="Fail and replace cables and switches over simulated weeks, and repair the tables after each change.",
    ),
]
Deadlock = Annotated[
    str | None,
    complete.option(
        "--deadlock",
        metavar="SCHEME",
        what="With --campaign: the deadlock scheme, which assigns virtual lanes; default: colouring",
        kind="deadlocks",
    ),
]
Failures = Annotated[
    int | None, typer.Option("--failures", metavar="N", help="With --campaign: number of failures; default: 1000.")
]
Rate = Annotated[
    list[str] | None,
    typer.Option(
        "--rate",
        metavar="NAME=NUMBER",
        help="With --campaign: a failure rate or repair time, for example deaths=0.1 (per cable and year); may be "
        "repeated.",
    ),
]
Plot = Annotated[Path | None, plot_option("a panel per metric", "-o", "--output", "--plot")]


# The options that only failure sweeps use, with the names of their parameters.
_OF_SWEEPS = ("traffic", "shares", "kinds", "seeds", "hops", "pairs", "gap")


def resilience(
    context: typer.Context,
    spec: Spec,
    routing: Routing = None,
    traffic: Traffic = None,
    shares: Shares = "0%,1%,2%,5%,10%,20%",
    kinds: Kinds = "links,switches",
    seeds: Seeds = 5,
    hops: Hops = None,
    pairs: Pairs = None,
    gap: Gap = "5%",
    seed: Seed = 0,
    link: Link = None,
    fail: Fail = None,
    campaign: Campaign = False,
    deadlock: Deadlock = None,
    failures: Failures = None,
    rate: Rate = None,
    output: Plot = None,
    json: Json = False,
) -> None:
    """Measures distances, cuts, disjoint paths and throughput after cables or switches fail, over several seeds."""
    if campaign:
        from tulle.cli.analysis.campaign import run_campaign

        for name in _OF_SWEEPS:
            source = context.get_parameter_source(name)
            if source is not None and source.name != "DEFAULT":
                raise SpecError(f"--{name} does not apply to --campaign; legal: omit one of the two options")
        whole = build(spec, seed, fail, link)
        run_campaign(whole, routing, deadlock, failures=failures, rates=rate or [], seed=seed, output=output, json=json)
        return
    for name, value in (("--deadlock", deadlock), ("--failures", failures), ("--rate", rate)):
        if value is not None:
            raise SpecError(f"{name} applies only to failure campaigns; legal: add --campaign, or omit {name}")
    from tulle._internal.arguments import read_gap
    from tulle._internal.reading import file_and_digest
    from tulle.analysis.failure_sweep import METRICS
    from tulle.analysis.failure_sweep import resilience as measure

    fabric = build(spec, seed, fail, link)
    note_assumed_rate(fabric)
    file, digest = file_and_digest(routing)
    with ProgressLine("draws", estimate=True) as line:
        found = measure(
            fabric,
            routing,
            traffic=traffic,
            shares=shares.split(","),
            kinds=kinds.split(","),
            # An illegal number of seeds is passed on unchanged, because `measure` reports it.
            seeds=range(seed, seed + seeds) if seeds > 0 else seeds,
            hops=hops,
            pairs=pairs,
            gap=gap,
            progress=line.show,
        )
    if output is not None:
        found.draw(output)
    if json:
        made = {"links": list(fabric.links), "faults": fabric.faults, "fingerprint": fabric._fingerprint()}
        read = {"routing_file": file, "routing_sha256": digest}
        print_json({**asdict(found), **made, **read, "seed": seed, "tulle": __version__})
        return
    names = list(found.rows[0].bands)
    heads = [Column(head, rank) for head, rank in _LEADING.items()]
    heads += [Column(METRICS[name], _RANKS.get(name, 5)) for name in names]
    cells = [
        [row.kind, f"{100 * row.share:g}%", row.failed, f"{row.connected:.0%}", _cell(row.joined), _cell(row.endpoints)]
        + [_cell(row.bands[name]) for name in names]
        for row in found.rows
    ]
    print_table(heads, cells, title=", ".join(filter(None, (found.fabric, found.routing, found.traffic))))
    values = "values of one seed" if seeds == 1 else f"median (minimum to maximum) of {seeds} seeds"
    note(
        f"{values}; columns after 'endpoints left' cover only networks that stay "
        f"connected; disjoint paths have up to {found.hops} hops; all-to-all: an achievable throughput, which is at "
        f"most {100 * read_gap(gap):g}% below the maximum"
        + ("; rerouted: few table entries change; routed anew: many entries change" if found.routing else "")
    )


_LEADING = {"fails": 0, "share": 0, "failed": 4, "connected": 1, "pairs connected": 6, "endpoints left": 6}
_RANKS = {"routed": 2, "routed_anew": 2, "all_to_all": 3, "routed_traffic": 3, "routed_anew_traffic": 3, "diameter": 4}
"""Metric -> rank of its column. A narrow terminal omits columns of the highest rank first."""


def _cell(band: Band | None) -> str:
    if band is None:
        return "-"
    words = span(band.low, band.high)
    return text(band.median) + (f" ({words})" if words else "")
