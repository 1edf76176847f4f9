"""``tulle flit SPEC``: route a fabric and simulate it flit by flit."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tulle.cli.network.fabric import FILES, FailFirst, Link, Spec, build, routing_file, routing_of, workload_of
from tulle.cli.options import complete, destination
from tulle.cli.options.plotting import plot_option
from tulle.cli.options.simulator import declared
from tulle.cli.terminal.output import (
    Column,
    Json,
    ProgressLine,
    Seed,
    note,
    print_fields,
    print_json,
    print_table,
    user_seconds,
)
from tulle.flit.configuration import configure, resolve
from tulle.flit.notes import layer_notes
from tulle.flit.options import DEFAULTS

if TYPE_CHECKING:
    import tulle
    from tulle.columns import Columns
    from tulle.flit.options import FlitConfiguration

Routing = Annotated[str, complete.option("--routing", "-r", metavar="R", what="Routing", kind="routings")]
Traffic = Annotated[
    str,
    typer.Option(
        "--traffic",
        "-t",
        metavar="T",
        help="A pattern that 'tulle list flit-traffics' shows. Or a traffic that 'tulle list traffics' shows; only its "
        "destinations are used.",
    ),
]
Loads = Annotated[
    list[str] | None,
    typer.Option(
        "--load",
        metavar="L",
        help="Offered load in flits per cycle and endpoint, for example 0.3, or 0.1:0.9:0.1 for a sweep; may be "
        "repeated; default: 0.3.",
    ),
]
Vcs = Annotated[
    int | None,
    typer.Option("--vcs", metavar="V", help="Virtual channels per port; default: the number in the router's spec."),
]
Seeds = Annotated[
    int, typer.Option("--seeds", metavar="N", help="Runs per load, with consecutive seeds from --seed on.")
]
Saturate = Annotated[
    bool, typer.Option("--saturation", help="Find the saturation load by two criteria: accepted load, and latency.")
]
Output = Annotated[
    Path | None,
    typer.Option("-o", "--output", metavar="FILE.csv", callback=destination.table, help="Write the runs as CSV."),
]
Plot = Annotated[Path | None, plot_option("latency and accepted load over offered load")]


_ANYNET_CYCLE = 1000
"""Picoseconds per cycle for anynet files. Their latencies are in cycles, but tulle reads them as nanoseconds."""


def _in_cycles(fabric: tulle.Fabric) -> bool:
    """Return whether the latencies of the fabric are in cycles, because they come from an anynet file."""
    edges = str(fabric.parameters.get("edges", ""))
    anynet = fabric.parameters.get("format") == "anynet" or edges.endswith(".anynet")
    return fabric.family == "file" and anynet and bool((fabric.link_latency >= 0).any())


@declared("flit", skip=("load",))
def flit(
    spec: Spec,
    routing: Routing = "minimal",
    traffic: Traffic = "uniform",
    load: Loads = None,
    vcs: Vcs = None,
    seed: Seed = 0,
    seeds: Seeds = 1,
    search_saturation: Saturate = False,
    link: Link = None,
    fail: FailFirst = None,
    output: Output = None,
    plot: Plot = None,
    json: Json = False,
    **options: Any,
) -> None:
    """Simulates a routed fabric cycle by cycle, with virtual channels and credits."""
    import tulle
    from tulle.flit.sweep import draw, simulations, tabulate

    loads = [value for text in load or [str(DEFAULTS["load"])] for value in _loads(text)]
    if seeds < 1:
        raise tulle.InputError(f"seeds={seeds} is out of range; legal: 1 or more")
    if search_saturation and (load or output or plot or seeds > 1):
        given = {"--load": load, "--seeds": seeds > 1, "-o": output, "--plot": plot}
        names = " and ".join(name for name, value in given.items() if value)
        raise tulle.InputError(
            f"--saturation together with {names}; legal: omit --saturation, or omit {names}, because the search "
            "chooses the loads"
        )
    settings = {**options, "vcs": vcs, "class_latency": by_class(options["class_latency"])}
    longest = options["warmup"] + options["window"]
    resolved = resolve(configure(loads[0], seed, settings))
    fabric = build(spec, seed, fail, link)
    if options["cycle_ps"] is None and _in_cycles(fabric):
        settings["cycle_ps"] = _ANYNET_CYCLE
        resolved = resolve(configure(loads[0], seed, settings))
        note(f"a cycle is {_ANYNET_CYCLE} ps, because latencies of anynet files are in cycles; --cycle-ps changes this")
    with ProgressLine("routing"):
        routed = routing_of(fabric, routing, seed)
    for each in layer_notes(routed, resolved["selector"]):
        note(each)
    if traffic.startswith(FILES):
        # The simulator reads the file itself, without its warnings.
        workload_of(fabric, traffic, seed)
    fields: dict[str, Any] = {
        "fabric": fabric.spec,
        "links": list(fabric.links),
        "faults": fabric.faults,
        "routing": routed.spec,
        **routing_file(routing),
        "traffic": traffic,
        **without_load(resolved),
    }
    before = user_seconds()
    if search_saturation:
        with ProgressLine("cycles") as line:
            limits = tulle.saturation(
                fabric,
                routed,
                traffic,
                seed=seed,
                progress=lambda progress: line.show(progress.cycle, longest),
                **settings,
            )
        note_latencies(fabric, settings)
        reported = limits._asdict()
        for warning in reported.pop("warnings"):
            note(warning)
        print_result({**fields, "seed": seed, **reported, **spent(before)}, json)
        exit_after(limits.deadlock)
        return
    points = [(value, at) for value in loads for at in range(seed, seed + seeds)]
    if len(points) == 1:
        with ProgressLine("cycles") as line:
            result = tulle.simulate_flits(
                fabric,
                routed,
                traffic,
                load=loads[0],
                seed=seed,
                progress=lambda progress: line.show(min(progress.cycle, longest), longest),
                **settings,
            )
        found = [result]
    else:
        with ProgressLine("runs") as line:
            found = simulations(fabric, routed, traffic, points, progress=line.show, **settings)
    used = spent(before)
    note_latencies(fabric, settings)
    fields["policy"] = found[0].configuration["policy"]
    for warning in dict.fromkeys(warning for result in found for warning in result.warnings):
        note(warning)
    _note_unsaturated([(load, result) for (load, _), result in zip(points, found, strict=True)])
    runs = tabulate(points, found)
    if output is not None:
        runs.write_csv(output)
    if json:
        results = [
            {"load": load, "seed": seed, **result.summary()} for (load, seed), result in zip(points, found, strict=True)
        ]
        print_json({**fields, "runs": results, **used})
    elif len(points) == 1:
        print_result({**fields, "load": loads[0], "seed": seed, **found[0].summary(), **used}, json)
    else:
        _print_runs(runs, several_seeds=seeds > 1)
    if plot is not None:
        # The plot is drawn last, so that a failure to draw does not lose results.
        draw({"": runs}, plot)
    exit_after(bool(runs["deadlock"].any()))


def _note_unsaturated(runs: list[tuple[float, tulle.FlitSimulation]]) -> None:
    """Print a note on the first run that seems to be saturated, although the saturation rule does not show it."""
    for load, result in runs:
        if result.saturated or result.deadlock:
            continue
        if result.latency_mean is not None and result.latency_mean > _SATURATED:
            note(
                f"load {load:g}: the mean latency exceeds 500 cycles, but the network does not count as "
                "saturated, because only packets that arrive in the window count; use a longer --window, or "
                "--saturation-rule booksim"
            )
            return
        if result.accepted < _ACCEPTED * load:
            note(
                f"load {load:g}: the network accepts {result.accepted:.3g} of {load:.3g}, but does not count as "
                "saturated, because no mean latency exceeds 500 cycles yet; a longer --warmup and --window show it"
            )
            return


# The limit of BookSim2 and of tulle's saturation rules: a network with a higher mean latency, in cycles, is saturated.
_SATURATED = 500
# Below this ratio of accepted to offered load, the note says that a network may be saturated. After the warm-up, a
# network that is not saturated accepts the whole offered load.
_ACCEPTED = 0.9

# The most important columns of the table, in this order. A narrow terminal omits other columns first.
_RANKS = ("load", "accepted", "latency_mean", "latency_p99", "saturated", "deadlock", "hops_mean", "cycles")


def _print_runs(runs: Columns, *, several_seeds: bool) -> None:
    ranks = {name: rank for rank, name in enumerate(_RANKS)} | {"seed": 0.5 if several_seeds else 99}
    columns = [Column(name, ranks.get(name, len(_RANKS) + at)) for at, name in enumerate(runs)]
    cells = []
    for name, column in runs.items():
        # Percentiles are whole cycles.
        whole = name.startswith("latency_p")
        cells.append([None if value != value else int(value) if whole else value for value in column.tolist()])
    print_table(columns, [list(row) for row in zip(*cells, strict=True)], output="-o")


def note_latencies(fabric: tulle.Fabric, options: dict[str, Any]) -> None:
    """Print a note if ``--link-latency`` has no effect, or if its default applies to some cables only.

    Call it after the runs, so that an error stays one line.
    """
    from tulle.fabric.link_rules import partly_unknown

    given, default = options["link_latency"], DEFAULTS["link_latency"]
    if options["cycle_ps"] is None:
        return
    if given != default and (fabric.link_latency >= 0).all():
        note(f"--link-latency {given} is not used: every cable has its own latency")
    elif (
        given == default
        and not options["class_latency"]
        and (links := partly_unknown(fabric, "latency", endpoints=False))
    ):
        note(f"{links}; the simulation uses {default} cycles; --link-latency sets another latency")


def exit_after(deadlock: bool) -> None:
    """Exit with code 1 if a deadlock ended a run. Call it after all output."""
    if deadlock:
        raise typer.Exit(1)


def spent(before: float) -> dict[str, float]:
    """Return the field with the processor time since `before`."""
    return {"user_seconds": round(user_seconds() - before, 6)}


def print_result(fields: dict[str, Any], json: bool) -> None:
    """Print the fields as JSON, or as text without empty fields."""
    if json:
        print_json(fields)
    else:
        print_fields({name: value for name, value in fields.items() if value not in ([], None)})


def without_load(configuration: FlitConfiguration) -> dict[str, Any]:
    """Return a configuration without load and seed, because every result has its own load and seed."""
    fields: dict[str, Any] = {**configuration}
    del fields["load"], fields["seed"]
    return {**fields, "class_latency": dict(configuration["class_latency"])}


def by_class(options: list[str] | None) -> dict[str, int] | None:
    """Return latencies in cycles by channel class, read from ``--class-latency``; None without the option."""
    import tulle

    latencies = {}
    for text in options or []:
        name, _, cycles = text.partition("=")
        if not name or not cycles.isdecimal():
            raise tulle.InputError(f"class_latency={text} is not a latency; legal: CLASS=CYCLES, for example global=50")
        if name in latencies:
            raise tulle.InputError(f"class_latency={text} is the second value for {name}; legal: one value per class")
        latencies[name] = int(cycles)
    return latencies or None


def _loads(text: str) -> list[float]:
    """Return the loads that a text gives: one load, or ``first:last:step``."""
    import tulle
    from tulle._internal.arguments import read_fraction

    legal = "legal: 0 to 1, for example 0.3, or first:last:step, for example 0.1:0.9:0.1"
    try:
        numbers = [read_fraction("load", part) for part in text.split(":")]
    except tulle.InputError:
        raise tulle.InputError(f"load={text} is not a number; {legal}") from None
    if len(numbers) == 1 and 0 <= numbers[0] <= 1:
        return numbers
    if len(numbers) == 2:
        raise tulle.InputError(f"load={text} has no step; {legal}")
    if len(numbers) != 3 or not (0 <= numbers[0] <= numbers[1] <= 1 and numbers[2] > 0):
        raise tulle.InputError(f"load={text} is out of range; {legal}")
    first, last, step = numbers
    return [round(first + at * step, 9) for at in range(int((last - first) / step + 1e-9) + 1)]
