"""``tulle simulate SPEC``: route a fabric and simulate traffic on it packet by packet."""

from __future__ import annotations

import sys
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tulle.cli.network.fabric import FailFirst, Link, Spec, build, routing_file, routing_of, workload_of
from tulle.cli.options import complete, destination
from tulle.cli.options.plotting import plot_option, write_plot
from tulle.cli.options.simulator import declared
from tulle.cli.terminal.output import Json, ProgressLine, Seed, note, print_fields, print_json, user_seconds
from tulle.packet.notes import layer_notes, transport_notes
from tulle.packet.options import DEFAULTS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    import tulle

Routing = Annotated[str, complete.option("--routing", "-r", metavar="R", what="Routing", kind="routings")]
Traffic = Annotated[str, complete.option("--traffic", "-t", metavar="T", what="Traffic", kind="traffics")]
Deadlock = Annotated[
    str | None,
    complete.option(
        "--deadlock",
        metavar="SCHEME",
        what="Deadlock scheme, which assigns virtual lanes; needs the queue pfc, the default of --transport dcqcn",
        kind="deadlocks",
    ),
]
Links = Annotated[
    Path | None, typer.Option("--links", metavar="FILE.csv", callback=destination.table, help="Write the links as CSV.")
]
Samples = Annotated[
    Path | None,
    typer.Option(
        "--samples",
        metavar="FILE.csv",
        callback=destination.table,
        help="Write flows, packets and port backlogs of the whole network over time as CSV.",
    ),
]
LinkSamples = Annotated[
    Path | None,
    typer.Option(
        "--link-samples",
        metavar="FILE.csv",
        callback=destination.table,
        help="Write queue and utilisation of sampled links over time as CSV.",
    ),
]
Fct = Annotated[
    Path | None,
    typer.Option(
        "--fct",
        metavar="FILE.txt",
        callback=destination.text,
        help="Write completion times in the format of HPCC's ns-3 simulator (fct.txt).",
    ),
]
Plot = Annotated[Path | None, plot_option("the distribution of flow completion times")]
PlotBySize = Annotated[Path | None, plot_option("flow completion times over message size", "--plot-by-size")]
PlotLoad = Annotated[Path | None, plot_option("the utilisation of every channel as a heat map", "--plot-load")]
PlotTimeseries = Annotated[
    Path | None, plot_option("queue and utilisation of sampled links over time", "--plot-timeseries")
]
Output = Annotated[
    Path | None,
    typer.Option("-o", "--output", metavar="FILE.csv", callback=destination.table, help="Write the flows as CSV."),
]


@declared("packet")
def simulate(
    spec: Spec,
    routing: Routing = "minimal",
    traffic: Traffic = "permutation",
    deadlock: Deadlock = None,
    seed: Seed = 0,
    link: Link = None,
    fail: FailFirst = None,
    output: Output = None,
    links: Links = None,
    samples: Samples = None,
    link_samples: LinkSamples = None,
    fct: Fct = None,
    plot: Plot = None,
    plot_by_size: PlotBySize = None,
    plot_load: PlotLoad = None,
    plot_timeseries: PlotTimeseries = None,
    json: Json = False,
    **options: Any,
) -> None:
    """Simulates traffic over a routed fabric, packet by packet."""
    import tulle

    _check_samples(options, samples, link_samples or plot_timeseries)
    fabric = build(spec, seed, fail, link)
    with ProgressLine("routing"):
        routed = routing_of(fabric, routing, seed)
    _note_unused(fabric, options)
    chosen = options["selector"]
    for each in (*layer_notes(routed, chosen), *transport_notes(options["transport"], chosen)):
        note(each)
    plan = None
    if deadlock is not None:
        with ProgressLine("virtual lanes"):
            plan = routed.assign_vcs(deadlock)
        routed = plan.routing
    workload = workload_of(fabric, traffic, seed)
    before = user_seconds()
    with ProgressLine("packets delivered", estimate=True) as line:
        result = tulle.simulate(
            fabric,
            routed,
            workload,
            deadlock=plan,
            seed=seed,
            keep_partial=True,
            progress=lambda progress: line.show(min(progress.delivered, progress.packets), progress.packets),
            **options,
        )
    seconds = user_seconds() - before
    parts = _parts(fabric, workload, seed)
    if output is not None:
        flows = tulle.Columns({**result.flows, "slowdown": result.slowdown, **parts}, result.flows.units)
        named(flows, fabric, "destination").write_csv(output)
    if links is not None:
        named(result.links, fabric, "target").write_csv(links)
    if samples is not None:
        result.samples.write_csv(samples)
    if link_samples is not None:
        named(result.link_samples, fabric, "target").write_csv(link_samples)
    if fct is not None:
        result.write_fct(fct)
    fields: dict[str, Any] = {
        "fabric": fabric.spec,
        "links": list(fabric.links),
        "faults": fabric.faults,
        "routing": routed.spec,
        **routing_file(routing),
        "traffic": workload.spec,
        # In the JSON of every command, `faults` lists the fabric's failures. The summary lists timed faults as
        # `faults_in_time`.
        **{name: value for name, value in result.configuration.items() if name != "faults"},
        **result.summary(),
        **{
            name: _times(result.fct_us[part == at])
            for part in parts.values()
            for at, name in enumerate(("foreground", "background"))
        },
        **({"profile": result.profile} if options["profile"] else {}),
        "user_seconds": round(seconds, 6),
        "peak_rss_mb": _peak_rss_mb(),
    }
    if json:
        print_json(fields)
    else:
        print_fields({name: value for name, value in fields.items() if value != []})
    write_plot(plot, result.plot_cdf, is_partial=result.partial)
    write_plot(plot_by_size, result.plot_fct_by_size, is_partial=result.partial)
    write_plot(plot_load, result.plot_load, is_partial=result.partial)
    write_plot(plot_timeseries, result.plot_timeseries, is_partial=result.partial)
    if result.partial:
        raise KeyboardInterrupt


def _parts(fabric: tulle.Fabric, workload: tulle.Workload, seed: int) -> dict[str, NDArray[np.int64]]:
    """Return the column ``part`` of ``with-background``: 0 for its foreground, 1 for its background."""
    import numpy as np

    from tulle.workload import foreground_size

    first = foreground_size(fabric, workload.spec, seed)
    return {} if first is None else {"part": (np.arange(len(workload)) >= first).astype(np.int64)}


def _times(fct_us: NDArray[np.float64]) -> dict[str, Any]:
    """Return the number of flows, and the completion times of the finished ones."""
    import numpy as np

    done = fct_us[~np.isnan(fct_us)]
    figures = [float(done.mean()), *np.percentile(done, [50, 99, 100]).tolist()] if len(done) else [None] * 4
    fct = {f"fct_{name}_us": value for name, value in zip(("mean", "p50", "p99", "max"), figures, strict=True)}
    return {"flows": len(fct_us), "completed": len(done), **fct}


def named(table: tulle.Columns, fabric: tulle.Fabric, other_end: str) -> tulle.Columns:
    """Return flows or links with columns of names for ``source`` and `other_end`, if the fabric has names."""
    import numpy as np

    import tulle

    is_link = "endpoint" in table
    # The labels of switches that were not read from files are ids or coordinates.
    given = [fabric.endpoint_names, *([fabric.labels] if is_link and fabric.family == "file" else [])]
    if all(name == str(at) for names in given for at, name in enumerate(names)):
        return table
    # The id -1 means no switch: this end of the link is an endpoint.
    endpoints, switches = (np.array([*names, ""]) for names in (fabric.endpoint_names, fabric.labels))

    def names(ids: NDArray[np.int32]) -> NDArray[np.str_]:
        return np.where(ids < 0, endpoints[table["endpoint"]], switches[ids]) if is_link else endpoints[ids]

    found = {f"{end}_name": names(table[end]) for end in ("source", other_end)}
    return tulle.Columns({**table, **found}, table.units)


def _check_samples(options: dict[str, Any], samples: Path | None, of_links: Path | None) -> None:
    """Check that every sampling option comes with an output file, and every output file with a sampling option."""
    import tulle

    if (of_links is None) != (not options["sample_links"]):
        raise tulle.InputError(
            "--sample-links must be given together with --link-samples or --plot-timeseries; legal: the links and a "
            "file, or neither"
        )
    if (options["sample"] is None) != (samples is None and of_links is None):
        raise tulle.InputError(
            "--sample must be given together with --samples, --link-samples or --plot-timeseries; legal: the time and "
            "a file, or neither"
        )


def _note_unused(fabric: tulle.Fabric, options: dict[str, Any]) -> None:
    """Print a note if an option has no effect, or if its default applies to some links only."""
    from tulle.fabric.link_rules import partly_unknown

    for name, known in (
        ("rate", (fabric.link_rate, fabric.endpoint_rate)),
        ("link_latency", (fabric.link_latency, fabric.endpoint_latency)),
    ):
        option, given, default = f"--{name.replace('_', '-')}", options[name], DEFAULTS[name]
        what = option.rpartition("-")[2]
        if given != default and all((of >= 0).all() for of in known):
            note(f"{option} {given} is not used: every link has its own {what}")
        elif given == default and (links := partly_unknown(fabric, what)):
            note(f"{links}; the simulation uses {default}; {option} sets another {what}")


def _peak_rss_mb() -> float:
    """Return the peak memory of this process, in MB (10⁶ bytes)."""
    # `ru_maxrss` is in kibibytes on Linux, and in bytes on macOS.
    unit = 1 if sys.platform == "darwin" else 1024
    return round(getrusage(RUSAGE_SELF).ru_maxrss * unit / 1e6, 1)
