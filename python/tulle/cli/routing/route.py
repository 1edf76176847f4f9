"""``tulle route SPEC ROUTING``: route a fabric, reroute it after failures, and print path lengths."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tulle._internal.text import counted, tulle_command
from tulle.cli.network.fabric import Fail, Link, Spec, routing_file, routing_of, say_warnings
from tulle.cli.options import complete, destination
from tulle.cli.options.plotting import plot_option, write_plot
from tulle.cli.terminal.output import Json, Seed, note, print_fields, print_json, print_table

if TYPE_CHECKING:
    from tulle.fabric import Fabric
    from tulle.routing.reroute import Rerouted
    from tulle.routing.routing import Routing
    from tulle.routing.vc_plan import VcPlan

Scheme = Annotated[
    str, complete.argument(metavar="ROUTING", what="A routing, for example random:layers=9,rho=0.6", kind="routings")
]


Measure = Annotated[
    bool,
    typer.Option(
        "--quality", help="Also measure disjoint paths and channel loads, over all pairs; slow on large fabrics."
    ),
]
Deadlock = Annotated[
    str | None,
    typer.Option(
        "--deadlock", metavar="SCHEME", help="Assign virtual channels by a deadlock scheme, for example dfsssp:vcs=8."
    ),
]
Hops = Annotated[
    bool | None,
    typer.Option(
        "--hops/--no-hops",
        help="Count the hops of all paths; default: only if this takes at most about a second.",
        show_default=False,
    ),
]
Anew = Annotated[
    bool, typer.Option("--anew", help="With --fail: compute a new routing of the damaged fabric instead of rerouting.")
]
Output = Annotated[
    Path | None,
    typer.Option("-o", "--output", metavar="FILE", callback=destination.routing, help="Write the routing to a file."),
]

Tables = Annotated[
    Path | None,
    typer.Option(
        "--tables",
        metavar="DIR",
        callback=destination.folder,
        help="Folder for the forwarding tables, as text and CSV.",
    ),
]

Plot = Annotated[Path | None, plot_option("the number of paths over every channel as a heat map")]

_COUNTED = 10_000_000
"""Number of switch pairs, summed over layers, up to which hops are counted by default. This takes about a second."""


def route(
    spec: Spec,
    routing: Scheme,
    seed: Seed = 0,
    link: Link = None,
    fail: Fail = None,
    anew: Anew = False,
    deadlock: Deadlock = None,
    hops: Hops = None,
    quality: Measure = False,
    output: Output = None,
    tables: Tables = None,
    plot: Plot = None,
    json: Json = False,
) -> None:
    """Routes a fabric and prints the path lengths of every layer.

    With --fail, the intact fabric is routed first. Then the failed parts are removed, and rerouting changes few
    entries. With --deadlock, the new routing is also proved free of deadlock.
    """
    import tulle

    if anew and fail is None:
        raise typer.BadParameter("--anew needs --fail")
    fabric = tulle.Fabric(spec, seed, link)
    say_warnings(fabric)
    damaged = fabric if fail is None else fabric.with_failures(fail, seed)
    started = perf_counter()
    routed = routing_of(fabric, routing, seed)
    seconds = perf_counter() - started
    plan = None if deadlock is None else routed.assign_vcs(deadlock)
    if plan is not None:
        routed = plan.routing
    changed: dict[str, Any] = {}
    if anew:
        before, old_plan = routed, plan
        started = perf_counter()
        routed = tulle.route(damaged, routing, seed)
        seconds = perf_counter() - started
        plan = None if deadlock is None else routed.assign_vcs(deadlock)
        if plan is not None:
            routed = plan.routing
        fabric = damaged
        changed = {"acyclic_with_old": bool(before.acyclic_together(routed, old_plan, plan))}
    elif damaged is not fabric:
        started = perf_counter()
        rerouted = routed.reroute(damaged, plan)
        changed = _rerouted_fields(routed, plan, rerouted, perf_counter() - started)
        fabric, routed, plan = damaged, rerouted.routing, rerouted.plan
    lengths = _lengths(routed) if hops or (hops is None and _pairs(routed) <= _COUNTED) else None
    fields: dict[str, Any] = {
        "fabric": fabric.spec,
        "links": list(fabric.links),
        "faults": fabric.faults,
        "routing": routed.spec,
        **routing_file(routing),
        "seed": seed,
        "switches": fabric.num_switches,
        "layers": routed.num_layers,
        "paths": routed.num_paths,
        "build_seconds": round(seconds, 6),
    }
    if plan is not None:
        fields.update(deadlock=plan.spec, num_vcs=plan.num_vcs, needed_vcs=plan.needed_vcs, num_sls=plan.num_sls)
    fields.update(changed)
    if quality:
        fields["quality"] = _measure(routed)
        if _has_groups(routed):
            failed = () if fail is None else ("--fail", fail)
            command = tulle_command("analyze", spec, "disjoint-paths:hops=shortest", *failed)
            note(
                f"{routed.spec} has groups of equal-cost next hops: paths per channel are split over all of them, but "
                "the paths of a pair, their hops and disjoint paths follow only the first next hop of every group; "
                f"`{command}` counts the disjoint shortest paths of the fabric"
            )
    if output is not None:
        routed.save(output)
    if tables is not None:
        from tulle.routing.tables import write_tables

        fields["written"] = [str(file) for file in write_tables(routed, tables)]
    if json:
        print_json({**fields, "hops": lengths})
    else:
        _print(fabric, routed, fields, lengths)
    write_plot(plot, routed.plot_load)


def _print(fabric: Fabric, routed: Routing, fields: dict[str, Any], lengths: list[dict[str, Any]] | None) -> None:
    measured = fields.pop("quality", {})
    if fields.get("left_out"):
        fields["left_out"] = _named(fabric, fields["left_out"])
    print_fields({name: value for name, value in {**fields, **measured}.items() if value not in ([], None)})
    if lengths is None:
        pairs = _pairs(routed)
        what = "pairs of switches" if routed.num_layers else "paths"
        print_fields({"hops": f"not counted, {pairs} {what}; --hops counts them"})
    if not lengths:
        return
    print()
    longest = max(layer["max"] for layer in lengths)
    rows = [
        [layer["mean"], layer["max"], *([*layer.get("pairs", layer.get("paths", []))] + [0] * longest)[1 : longest + 1]]
        for layer in lengths
    ]
    names = [f"{length} hop{'s' if length > 1 else ''}" for length in range(1, longest + 1)]
    if routed.num_layers:
        layers = [[layer["layer"], *row] for layer, row in zip(lengths, rows, strict=True)]
        print_table(["layer", "mean hops", "max", *names], layers, title="pairs of switches by the hops of their path")
    else:
        print_table(["mean hops", "max", *names], rows, title="paths by their hops")


def _pairs(routed: Routing) -> int:
    """Return the number of pairs of switches, summed over layers; for path sets, the number of paths."""
    return routed.num_paths or max(routed.num_layers, 1) * routed.fabric.num_switches**2


def _lengths(routed: Routing) -> list[dict[str, Any]]:
    """Return the number of switch pairs by layer and hops; for path sets, the number of paths by hops."""
    import numpy as np

    layers: list[dict[str, Any]] = []
    if not routed.num_layers:
        lengths = np.diff(routed.path_columns().offsets)
        counts = np.bincount(lengths)
        mean = float(lengths.mean()) if len(lengths) else None
        return [{"layer": None, "mean": mean, "max": max(len(counts) - 1, 0), "paths": counts.tolist()}]
    for layer in range(routed.num_layers):
        pairs = routed.hop_counts(layer)
        total = int(pairs.sum())
        mean = int(pairs @ np.arange(len(pairs), dtype=np.uint64)) / total if total else None
        layers.append({"layer": layer, "mean": mean, "max": max(len(pairs) - 1, 0), "pairs": pairs.tolist()})
    return layers


def _named(fabric: Fabric, pairs: list[tuple[int, int]]) -> str:
    """Return the number of pairs without a path, and the labels of the first pairs, as text."""
    shown = ", ".join(f"{fabric.labels[source]} to {fabric.labels[destination]}" for source, destination in pairs[:5])
    return f"{counted(len(pairs), 'pair')} without a path: {shown}{', …' if len(pairs) > 5 else ''}"


def _rerouted_fields(before: Routing, plan: VcPlan | None, rerouted: Rerouted, seconds: float) -> dict[str, Any]:
    """Return the changes by rerouting, and whether the old and the new paths together are free of deadlock."""
    return {
        "entries": rerouted.entries,
        "touched": rerouted.touched,
        "broken": rerouted.broken,
        "added": rerouted.added,
        "left_out": rerouted.left_out,
        "acyclic_with_old": bool(before.acyclic_together(rerouted.routing, plan, rerouted.plan)),
        "reroute_seconds": round(seconds, 6),
    }


def _measure(routed: Routing) -> dict[str, Any]:
    """Return those metrics of `Routing.quality` in which routings usually differ."""
    import numpy as np

    quality = routed.quality()
    # Only the loads are known for all next hops. The core follows the first next hop of a group for all other values.
    over = routed.paths_over() if _has_groups(routed) else quality.paths_over
    numbers = np.arange(max(len(quality.paths), len(quality.most_shared)), dtype=np.uint64)
    load = over.astype(np.float64)
    return {
        "paths_per_pair": float(quality.paths @ numbers[: len(quality.paths)]) / max(quality.pairs, 1),
        "mean_hops": quality.mean_hops,
        "longest_path": max(len(quality.longest) - 1, 0),
        "pairs_with_3_disjoint": quality.share(quality.disjoint, 3),
        "most_paths_of_a_pair_over_a_cable": max(len(quality.most_shared) - 1, 0),
        "paths_per_channel_mean": float(load.mean()) if len(load) else 0.0,
        "paths_per_channel_sd": float(load.std()) if len(load) else 0.0,
    }


def _has_groups(routed: Routing) -> bool:
    """Return whether some entry has several next hops. A single next hop is one entry of its switch."""
    single = routed.num_layers * (routed.fabric.num_switches - 1)
    return routed.num_layers > 0 and int(routed.entries.max()) > single
