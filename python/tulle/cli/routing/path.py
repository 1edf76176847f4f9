"""``tulle path SPEC ROUTING A B``: print the paths between two switches, with names and ports."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tulle.cli.network.fabric import FailFirst, Link, Spec, build, routing_file, routing_of
from tulle.cli.options.plotting import plot_option, write_plot
from tulle.cli.routing.route import Scheme  # noqa: TC001 - typer reads it
from tulle.cli.terminal.output import Column, Json, Seed, print_fields, print_json, print_table
from tulle.cli.terminal.text import exact

if TYPE_CHECKING:
    from tulle.routing.trace import Trace

Source = Annotated[str, typer.Argument(metavar="A", help="First switch of the paths, or an endpoint of this switch.")]
Destination = Annotated[
    str, typer.Argument(metavar="B", help="Last switch of the paths, or an endpoint of this switch.")
]
Deadlock = Annotated[
    str | None,
    typer.Option(
        "--deadlock",
        metavar="SCHEME",
        help="Also show the virtual channels of a deadlock scheme, for example dfsssp:vcs=8.",
    ),
]
Plot = Annotated[Path | None, plot_option("the paths")]


def path(
    spec: Spec,
    routing: Scheme,
    source: Source,
    destination: Destination,
    deadlock: Deadlock = None,
    seed: Seed = 0,
    link: Link = None,
    fail: FailFirst = None,
    plot: Plot = None,
    json: Json = False,
) -> None:
    """Prints every layer's path from A to B, the cables that paths share, and the paths left if a cable fails."""
    from tulle.routing.trace import switch_of, trace

    fabric = build(spec, seed, fail, link)
    # Names are checked first, because a routing takes longer to compute.
    for name in (source, destination):
        switch_of(fabric, name)
    routed = routing_of(fabric, routing, seed)
    plan = None if deadlock is None else routed.assign_vcs(deadlock)
    found = trace(routed, source, destination, plan)
    fields: dict[str, Any] = {
        "fabric": fabric.spec,
        "links": list(fabric.links),
        "faults": fabric.faults,
        "routing": routed.spec,
        **routing_file(routing),
        "deadlock": None if plan is None else plan.spec,
        "seed": seed,
    }
    if json:
        print_json({**fields, **found.as_dict()})
    else:
        _print(fields, found, "layer" if routed.num_layers else "path")
    used = routed if plan is None else plan.routing
    write_plot(plot, lambda: used.plot_paths(source, destination))


def _print(fields: dict[str, Any], found: Trace, word: str) -> None:
    # A layer has one path here, although switches may have further next hops of equal cost.
    paths = f"{len(found.paths)} (one per layer)" if word == "layer" else len(found.paths)
    shown = {"from": found.source, "to": found.destination, "paths": paths}
    print_fields({name: value for name, value in {**fields, **shown}.items() if value not in ([], None)})
    _print_paths(found, word)


def _print_paths(found: Trace, word: str) -> None:
    # A narrow table omits the properties of a hop's link first, because the switches and ports of a hop matter more.
    columns: list[str | Column] = [
        Column(word, rank=0),
        Column("hop", rank=1),
        Column("from", rank=2, kind="name"),
        Column("port", rank=4, kind="name"),
        Column("to", rank=3, kind="name"),
        Column("at port", rank=5, kind="name"),
        *("of equal cost", "sl", "vc", "rate", "latency", "length"),
    ]
    rows = [
        [
            path.number,
            hop,
            step.source,
            step.port,
            step.target,
            step.into,
            step.equal_cost,
            path.sl,
            step.vc,
            None if step.rate is None else f"{exact(step.rate / 1e9)} Gb/s",
            None if step.latency is None else f"{exact(step.latency / 1e3)} ns",
            None if step.length is None else f"{exact(step.length / 1e3)} m",
        ]
        for path in found.paths
        for hop, step in enumerate(path.steps, start=1)
    ]
    kept = [at for at in range(len(columns)) if any(row[at] is not None for row in rows)]
    print()
    print_table([columns[at] for at in kept], [[row[at] for at in kept] for row in rows])
    sums = [
        [
            path.number,
            path.hops,
            None if (latency := path.total("latency")) is None else f"{exact(latency / 1e3)} ns",
            None if (length := path.total("length")) is None else f"{exact(length / 1e3)} m",
        ]
        for path in found.paths
    ]
    sum_columns = [word, "hops", "latency", "length"]
    kept = [at for at in range(len(sum_columns)) if any(row[at] is not None for row in sums)]
    print()
    print_table([sum_columns[at] for at in kept], [[row[at] for at in kept] for row in sums], title="whole paths")
    print()
    others = found.other_next_hops
    dead = [
        [cable, _listed(found.shared.get(cable, [])), _left(left, others[cable])]
        for cable, left in found.without.items()
    ]
    lists = [Column(f"shared by {word}s", kind="prose"), Column(f"{word}s left if it fails", rank=1, kind="prose")]
    print_table([Column("cable", kind="name"), *lists], dead, title="cables")


def _left(untouched: list[int], others: list[int]) -> str:
    """Return the paths that remain if a cable fails, as text.

    They are the paths that do not use the cable, and the paths on which the switch before the failed cable has another
    next hop.
    """
    parts = [_listed(untouched)] if untouched else []
    return "; ".join([*parts, *([f"{_listed(others)} by other next hops"] if others else [])]) or "none"


def _listed(numbers: list[int]) -> str:
    return " ".join(map(str, numbers))
