"""``tulle fabric SPEC``: build a fabric and print its properties."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tulle._internal.reading import at_file
from tulle._internal.text import counted
from tulle.cli.options import complete, destination
from tulle.cli.options.plotting import plot_option, write_plot
from tulle.cli.terminal.output import Json, Seed, note, print_fields, print_json

if TYPE_CHECKING:
    import tulle

Spec = Annotated[str, complete.argument(metavar="SPEC", what="A fabric, for example slimfly:q=19", kind="fabrics")]


Fail = Annotated[
    str | None,
    typer.Option(
        "--fail",
        metavar="FAULTS",
        help="Failures: links=5%, links=3,switches=2, or names of switches and cables, for example "
        "spine1+spine2+leaf1/3; names:X for any name X.",
    ),
]
FailFirst = Annotated[
    str | None,
    typer.Option(
        "--fail",
        metavar="FAULTS",
        help="Failures that happen before routing: links=5%, links=3,switches=2, or names, for example "
        "spine1+leaf1/3; 'tulle route --fail' reroutes after failures.",
    ),
]
Link = Annotated[
    list[str] | None,
    typer.Option(
        "--link",
        metavar="LINKS:KEY=VALUE,…",
        help="Properties of the links of a class, of endpoint links, of all links or of one cable, for example "
        "global:rate=200Gbps,latency=500ns; may be repeated.",
    ),
]
Write = Annotated[
    Path | None,
    typer.Option(
        "--write", metavar="FILE", callback=destination.graph, help="Write the graph: .json, .csv, .graphml, .dot, …"
    ),
]
Format = Annotated[
    str | None,
    # `--format` is read first, because it decides which file names are legal.
    typer.Option(
        "--format", metavar="NAME", is_eager=True, help="Format of the graph if the extension does not determine it."
    ),
]
Plot = Annotated[Path | None, plot_option("the fabric in a layout of its family")]
Distances = Annotated[
    bool,
    typer.Option("--distances", help="Compute diameter and average path length even for more than 20,000 switches."),
]

# Distances between all pairs of this many switches take seconds. The time grows with the square of this number.
_MOST_WITH_DISTANCES = 20_000


def build(spec: str, seed: int, fail: str | None, link: list[str] | None) -> tulle.Fabric:
    """Return the fabric that the options of a command describe, and print its warnings."""
    from tulle.fabric import build_with_failures

    built = build_with_failures(spec, seed, fail, link)
    say_warnings(built)
    return built


def check_format(write: Path | None, format: str | None) -> None:
    """Check that `--format` is given only together with `--write`."""
    if format is not None and write is None:
        raise typer.BadParameter("--format is only for a file that is written; legal: with --write FILE")


def say_warnings(fabric: tulle.Fabric) -> None:
    """Print the warnings about the files from which a fabric was read, one per line."""
    from tulle.fabric.repeated_names import repeated_name, repeated_part

    for warning in fabric.warnings:
        note(warning)
    if fabric.family == "file":
        for problem in filter(None, (repeated_part(fabric), repeated_name(fabric))):
            note(f"{fabric.parameters['edges']}: {problem}")


def note_assumed_rate(fabric: tulle.Fabric, *, has_rate: bool = False) -> None:
    """Print a note on the rate that throughput uses for links of unknown rate, if other links have a known rate.

    `has_rate` says whether the command has the option ``--rate``.
    """
    from tulle.analysis.concurrent_flow.capacities import assumed_rate
    from tulle.fabric.link_rules import rules_for_unknown

    if told := assumed_rate(fabric):
        rules = rules_for_unknown(fabric, "rate", "…")
        note(f"{told}; {'--rate sets another rate' if has_rate else f'to set another rate, add {rules}'}")


FILES = ("file:", "with-background:")
"""The beginnings of traffics whose files can cause warnings."""


def workload_of(fabric: tulle.Fabric, traffic: str, seed: int) -> tulle.Workload:
    """Return the workload of a command, and print the warnings from reading its file, one per line."""
    from tulle.workload import traffic as workload

    made = workload(fabric, traffic, seed)
    for warning in made.warnings:
        note(warning)
    return made


def routing_of(fabric: tulle.Fabric, routing: str, seed: int) -> tulle.Routing:
    """Return the routing of a command, and print the assumptions of its scheme, one per line."""
    from tulle.routing.routing import route

    made = route(fabric, routing, seed)
    for line in made.notes:
        note(line)
    return made


def routing_file(routing: str | None) -> dict[str, str]:
    """Return the field that names the file of a saved routing, ``@FILE``; other routings have no such field.

    The canonical spec and the seed do not identify a saved routing, because it may have been made with another seed.
    """
    file = None if routing is None else at_file(routing)
    return {} if file is None else {"routing_file": str(file)}


def fabric(
    spec: Spec,
    seed: Seed = 0,
    link: Link = None,
    fail: Fail = None,
    write: Write = None,
    format: Format = None,
    plot: Plot = None,
    distances: Distances = False,
    json: Json = False,
) -> None:
    """Builds a fabric and prints its size, radix and distances; writes it to a file."""
    check_format(write, format)
    built = build(spec, seed, fail, link)
    is_measured = distances or built.num_switches <= _MOST_WITH_DISTANCES
    if not is_measured:
        switches = counted(built.num_switches, "switch", "switches")
        note(f"distances between {switches} are not computed; --distances computes them")
    elif built.diameter is None:
        note("no diameter and no average path length, because some pairs of switches are not connected")
    elif built.diameter == 0 and built.num_switches > 1:
        note("the diameter is 0, because distances are measured between switches with endpoints, and only one has any")
    fields: dict[str, Any] = {
        "fabric": built.spec,
        "family": built.family,
        "parameters": built.parameters,
        "seed": built.seed,
        "links": list(built.links),
        "faults": built.faults,
        "switches": built.num_switches,
        "endpoints": built.num_endpoints,
        "cables": built.num_cables,
        "network_radix": built.network_radix,
        "concentration": built.concentration,
        "radix": built.radix,
        "diameter": built.diameter if is_measured else None,
        "average_path_length": built.average_path_length if is_measured else None,
        "distances_computed": is_measured,
    }
    if write is not None:
        fields["written"] = [str(path) for path in built.write(write, format)]
        for line in built.left_out(write, format):
            note(line)
    if json:
        print_json(fields)
    else:
        left_out = {"distances_computed"} | (set() if is_measured else {"diameter", "average_path_length"})
        print_fields({name: value for name, value in fields.items() if value != [] and name not in left_out})
    write_plot(plot, built.plot)
