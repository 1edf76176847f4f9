"""``tulle run STUDY.toml``: runs a study."""

from pathlib import Path
from typing import Annotated

import typer

from tulle.cli.output import Json, ProgressLine, note, print_json, print_table

StudyPath = Annotated[Path, typer.Argument(metavar="STUDY.toml", help="A study file, as studies/quickstart.toml.")]
Threads = Annotated[int | None, typer.Option("--threads", metavar="N", help="Runs at a time; default: one per core.")]
Out = Annotated[Path, typer.Option("-o", "--out", metavar="DIR", help="Where run directories go.")]
Fresh = Annotated[bool, typer.Option("--fresh", help="Measure everything anew, reuse nothing.")]


def run(
    study: StudyPath, threads: Threads = None, out: Out = Path("runs"), fresh: Fresh = False, json: Json = False
) -> None:
    """Runs a study: reuses finished runs, prints a table, writes a run directory.

    Ctrl-C stops it cleanly; the same command goes on where it stopped.
    """
    from tulle import study as studies
    from tulle.study import plot
    from tulle.study.report import table, title

    planned = studies.plan(studies.load(study))
    with ProgressLine("runs") as line:
        done = studies.run(planned, out, threads=threads, fresh=fresh, progress=line.show)
    if planned.measurement.distribution is not None and not plot.available():
        note("no plots: matplotlib is not installed; install tulle[plot]")
    if json:
        print_json(
            {
                "study": planned.study.name,
                "directory": str(done.directory),
                "runs": len(planned.runs),
                "measured": len(done.measured),
                "plots": [str(path) for path in done.plots],
                "results": [result.as_dict() for result in done.results],
            }
        )
        return
    print(planned.study.title or planned.study.name)
    seeds = planned.study.seeds
    print(f"means over {len(seeds)} seeds" if len(seeds) > 1 else f"seed {seeds[0]}")
    for point in planned.points:
        print()
        here = [result for result in done.results if result.point == point]
        print_table(*table(planned, here), title=title(point))
    print(f"\n{planned.measurement.note}")
    for source in sorted({result.source for result in done.results if result.source is not None}):
        print(f"reference: {source}")
    for path in done.plots:
        print(f"plot: {path}")
    reused = len({run.id for run in planned.runs}) - len(done.measured)
    print(f"run directory: {done.directory} ({len(done.measured)} runs measured, {reused} reused)")
