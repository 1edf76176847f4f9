"""``tulle tune FABRIC``: choose a routing for a fabric and give the reasons."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from tulle._internal.quantities import seconds
from tulle._internal.text import counted
from tulle.cli.network.fabric import FailFirst, Link, Spec, build, note_assumed_rate
from tulle.cli.options import destination
from tulle.cli.terminal.output import (
    Column,
    Json,
    ProgressLine,
    Seed,
    print_fields,
    print_json,
    print_line,
    print_table,
)

if TYPE_CHECKING:
    from tulle.tuning import Purpose, Row, Score, ThroughputScore

Layers = Annotated[
    int, typer.Option("--layers", metavar="N", help="Number of layers for which switches have table space.")
]
For = Annotated[
    str,
    typer.Option(
        "--for",
        metavar="WHAT",
        help="Aim of the search: paths (diverse paths), or the throughput of a traffic: permutation, skewed or worst "
        "(longest matching); or all, for these three traffics.",
    ),
]
Entries = Annotated[
    int | None,
    typer.Option("--entries", metavar="N", help="Maximum forwarding entries of a switch; default: no limit."),
]
Groups = Annotated[
    bool, typer.Option("--groups/--no-groups", help="Whether switches have groups of equal-cost next hops.")
]
Vcs = Annotated[
    int | None,
    typer.Option("--vcs", metavar="V", help="Number of virtual channels of switches; default: no limit."),
]
MaxHops = Annotated[int | None, typer.Option("--max-hops", metavar="H", help="Hop limit of paths; default: no limit.")]
Deadlock = Annotated[
    list[str] | None,
    typer.Option(
        "--deadlock",
        metavar="SCHEME",
        help="A deadlock scheme that the switches support; may be repeated; default: all except phases.",
    ),
]
Patience = Annotated[
    str | None,
    typer.Option(
        "--patience",
        metavar="TIME",
        help="Time that the search may take on one core, by its own estimate, for example 60s; default: 600s for "
        "paths, 25s otherwise.",
    ),
]
Output = Annotated[
    Path | None,
    typer.Option("-o", "--output", metavar="FILE", callback=destination.routing, help="Write the routing to a file."),
]


def tune(
    spec: Spec,
    for_: For = "paths",
    layers: Layers = 4,
    entries: Entries = None,
    groups: Groups = True,
    vcs: Vcs = None,
    max_hops: MaxHops = None,
    deadlock: Deadlock = None,
    patience: Patience = None,
    seed: Seed = 0,
    link: Link = None,
    fail: FailFirst = None,
    output: Output = None,
    json: Json = False,
) -> None:
    """Chooses a routing for a fabric; prints all candidates with their scores, and the reasons."""
    from tulle.tuning import tune
    from tulle.tuning.choose import DEADLOCK

    fabric = build(spec, seed, fail, link)
    if for_ != "paths":
        note_assumed_rate(fabric)
    measured: list[Row] = []
    try:
        with ProgressLine("trying") as line:
            tuning = tune(
                fabric,
                for_=cast("Purpose", for_),
                layers=layers,
                entries=entries,
                groups=groups,
                vcs=vcs,
                max_hops=max_hops,
                deadlock=tuple(deadlock or DEADLOCK),
                patience=None if patience is None else seconds("--patience", patience),
                seed=seed,
                progress=line.show,
                observe=measured.append,
            )
    except KeyboardInterrupt:
        # Print a table of the measured candidates. No JSON is printed, because it could be mistaken for the result.
        if measured and not json:
            measured.sort(key=lambda row: -row.score.total if row.score else 1.0)
            _print_rows(
                measured,
                f"{counted(len(measured), 'candidate')} measured or skipped before the stop, without virtual channels",
            )
        raise
    if output is not None:
        tuning.routing.save(output)
    fields: dict[str, Any] = {
        "fabric": fabric.spec,
        "links": list(fabric.links),
        "faults": fabric.faults,
        "seed": seed,
        "for": for_,
        "layers": layers,
        "entries": entries,
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
    print_line(tuning.reason)


def _figures(row: Row) -> dict[str, Any] | None:
    return None if row.score is None else {**asdict(row.score), "total": row.score.total}


def _print_rows(rows: list[Row], title: str) -> None:
    scores = [row.score for row in rows if row.score is not None]
    names = _columns(scores[0]) if scores else {}
    # A candidate without a score shows only the reason why it cannot be chosen.
    why = Column("why not", rank=1, kind="prose")
    last = [Column("VCs", rank=3), Column("entries", rank=99), Column("by", rank=99, kind="name")]
    columns: list[str | Column] = [Column("routing", rank=0, kind="spec"), Column("layers", rank=2)]
    columns += [Column(name, rank=1 if name == "score" else rank) for rank, name in enumerate(names, 4)]
    columns += [*last, why]
    cells: list[list[Any]] = []
    for row in rows:
        figures = [None] * len(names) if row.score is None else list(_columns(row.score).values())
        cells.append([row.routing, row.layers, *figures, row.vcs, row.entries, row.scheme or "", row.ruled_out or ""])
    if title == "candidates":
        columns, cells = columns[:-1], [row[:-1] for row in cells]
    print_table(columns, cells, title=title)


def _columns(score: Score | ThroughputScore) -> dict[str, Any]:
    """Return the metrics of a score by table heading."""
    from tulle.tuning import ThroughputScore

    if isinstance(score, ThroughputScore):
        throughputs = {
            f"{name}, {how}": of[name]
            for name in score.best
            for how, of in (("best split", score.best), ("even split", score.fixed))
        }
        return {"score": score.total, **throughputs, "mean hops": score.mean_hops, "longest": score.longest}
    return {
        "score": score.total,
        "diversity": score.diversity,
        "direct": score.directness,
        "even": score.evenness,
        "≥ 3 disjoint": score.disjoint,
        "mean hops": score.mean_hops,
        "longest": score.longest,
    }
