"""``tulle tune FABRIC``: chooses a routing for a fabric and says why."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tulle.cli import destination
from tulle.cli.fabric import Fail, Link, Spec, build
from tulle.cli.output import Json, ProgressLine, Seed, print_fields, print_json, print_table

if TYPE_CHECKING:
    from tulle.routing.tuning import Row

Layers = Annotated[int, typer.Option("--layers", metavar="N", help="Layers of tables that switches have room for.")]
Vcs = Annotated[
    int | None,
    typer.Option("--vcs", metavar="V", help="Virtual channels of switches; no limit where not given."),
]
MaxHops = Annotated[int | None, typer.Option("--max-hops", metavar="H", help="The most hops that a path may have.")]
Deadlock = Annotated[
    list[str] | None,
    typer.Option("--deadlock", metavar="SCHEME", help="A deadlock scheme that switches can do, again for more; any."),
]
Patience = Annotated[
    float,
    typer.Option("--patience", metavar="SECONDS", help="About how long trying may take on one core, by estimate."),
]
Output = Annotated[
    Path | None,
    typer.Option("-o", "--output", metavar="FILE", callback=destination.routing, help="Write the routing to a file."),
]


def tune(
    spec: Spec,
    layers: Layers = 4,
    vcs: Vcs = None,
    max_hops: MaxHops = None,
    deadlock: Deadlock = None,
    patience: Patience = 600,
    seed: Seed = 0,
    link: Link = None,
    fail: Fail = None,
    output: Output = None,
    json: Json = False,
) -> None:
    """Chooses scheme, layers and ρ for a fabric and prints all that were tried, and why."""
    from tulle.routing.tuning import tune
    from tulle.routing.tuning.choose import DEADLOCK

    fabric = build(spec, seed, fail, link)
    measured: list[Row] = []
    try:
        with ProgressLine("trying") as line:
            tuning = tune(
                fabric,
                layers=layers,
                vcs=vcs,
                max_hops=max_hops,
                deadlock=tuple(deadlock or DEADLOCK),
                patience=patience,
                seed=seed,
                progress=line.show,
                observe=measured.append,
            )
    except KeyboardInterrupt:
        # What is known so far; one object that is not whole would pass for the result.
        if measured and not json:
            measured.sort(key=lambda row: -row.score.total if row.score else 1.0)
            _print_rows(measured, f"{len(measured)} candidates measured before the stop, virtual channels not counted")
        raise
    if output is not None:
        tuning.routing.save(output)
    fields: dict[str, Any] = {
        "fabric": fabric.spec,
        "links": list(fabric.links),
        "faults": fabric.faults,
        "seed": seed,
        "layers": layers,
        "vcs": vcs,
        "max_hops": max_hops,
        "routing": tuning.chosen.routing,
        "deadlock": tuning.plan.spec,
        "needed_vcs": tuning.plan.needed_vcs,
    }
    if json:
        rows = [{**asdict(row), "score": _figures(row)} for row in tuning.rows]
        print_json({**fields, "reason": tuning.reason, "rows": rows})
        return
    _print_rows([row for row in tuning.rows if row.ruled_out is None], "candidates")
    out = [row for row in tuning.rows if row.ruled_out is not None]
    if out:
        print()
        _print_rows(out, "ruled out")
    print()
    print_fields({name: value for name, value in fields.items() if value not in ([], None)})
    print()
    print(tuning.reason)


def _figures(row: Row) -> dict[str, Any] | None:
    return None if row.score is None else {**asdict(row.score), "total": row.score.total}


def _print_rows(rows: list[Row], title: str) -> None:
    columns = ["routing", "layers", "score", "diversity", "direct", "even", "≥ 3 disjoint", "mean hops", "longest"]
    columns += ["VCs", "by", "why not"]
    cells = []
    for row in rows:
        score = row.score
        figures: list[Any] = [None] * 7
        if score is not None:
            figures = [score.total, score.diversity, score.directness, score.evenness]
            figures += [score.disjoint, score.mean_hops, score.longest]
        cells.append([row.routing, row.layers, *figures, row.vcs, row.scheme or "", row.ruled_out or ""])
    if title == "candidates":
        columns, cells = columns[:-1], [row[:-1] for row in cells]
    print_table(columns, cells, title=title)
