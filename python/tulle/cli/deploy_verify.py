"""``tulle deploy verify``: a subnet as its tools show it against the bundle that it was set up from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tulle.cli import destination
from tulle.cli.output import Json, note, print_json, print_table
from tulle.errors import InputError

if TYPE_CHECKING:
    from tulle.deploy.infiniband.verify import Verdict

BundlePath = Annotated[Path, typer.Argument(metavar="BUNDLE", help="The folder that tulle deploy infiniband wrote.")]
Lfts = Annotated[
    Path | None, typer.Option("--lfts", metavar="FILE", help="Forwarding tables: dump_fts, or opensm-lfts.dump.")
]
Sl2vl = Annotated[
    list[Path] | None,
    typer.Option(
        "--sl2vl", metavar="FILE", help="SL-to-VL tables: opensm-sl2vl.dump, or smpquery sl2vl; may be repeated."
    ),
]
Paths = Annotated[
    list[Path] | None,
    typer.Option("--paths", metavar="FILE", help="Path records: saquery --path-record; may be repeated."),
]
Live = Annotated[Path | None, typer.Option("--live", metavar="FILE", help="Nodes and cables: ibnetdiscover.")]
CounterFiles = Annotated[
    list[Path] | None,
    typer.Option(
        "--counters", metavar="FILE", help="Counters: perfquery, or ibqueryerrors --counters; may be repeated."
    ),
]
Ibdmchk = Annotated[
    Path | None,
    typer.Option(
        "--ibdmchk",
        metavar="DIR",
        callback=destination.folder,
        help="Ask ibdmchk for credit loops, too; its files go there.",
    ),
]


def verify(
    bundle: BundlePath,
    lfts: Lfts = None,
    sl2vl: Sl2vl = None,
    paths: Paths = None,
    live: Live = None,
    counters: CounterFiles = None,
    ibdmchk: Ibdmchk = None,
    json: Json = False,
) -> None:
    """Names each difference of a subnet as an instruction; exit code 0 where all is as planned, 1 where it is not."""
    from tulle.deploy.infiniband.verify import verify as compare

    if lfts is None and not sl2vl and not paths and live is None and not counters:
        raise InputError("nothing to compare; legal: one or more of --lfts, --sl2vl, --paths, --live and --counters")
    verdict = compare(
        bundle,
        lfts=lfts,
        sl2vl=sl2vl or (),
        paths=paths or (),
        live=live,
        counters=counters or (),
        ibdmchk=ibdmchk,
    )
    if json:
        print_json(verdict.fields())
    else:
        _print(verdict)
    if not verdict.agrees:
        raise typer.Exit(1)


def _print(verdict: Verdict) -> None:
    from tulle._words import one_line

    for line in verdict.notes:
        note(line)
    print_table(("what", "as planned", "of"), [[check.what, check.good, check.of] for check in verdict.checks])
    print()
    for number, difference in enumerate(verdict.differences, 1):
        print(one_line(f"{number}. {difference.kind}: {difference.instruction}"))
    if verdict.agrees:
        print("all as planned")
