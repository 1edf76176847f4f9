"""``tulle run STUDY``: run a study."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from tulle._internal.text import counted, verb
from tulle.cli.options import complete, destination
from tulle.cli.terminal.output import Column, Json, note, print_json, print_line, print_table

if TYPE_CHECKING:
    from tulle.study import Finished, Plan
    from tulle.study.engine.model import StudyFile
    from tulle.study.report.baseline import Baseline

StudyPath = Annotated[
    Path,
    typer.Argument(
        metavar="STUDY",
        help="A study file, or a name that 'tulle studies' lists, for example quickstart or fatpaths/figure-2.",
    ),
]
Threads = Annotated[
    int | None, typer.Option("--threads", metavar="N", help="Number of runs at the same time; default: one per core.")
]
Out = Annotated[
    Path, typer.Option("-o", "--out", metavar="DIR", callback=destination.folder, help="Folder for run directories.")
]
Fresh = Annotated[bool, typer.Option("--fresh", help="Measure everything again instead of reusing finished runs.")]
WithRows = Annotated[
    bool,
    typer.Option("--rows/--no-rows", help="Write the table of rows (flows, samples, …), which is the largest file."),
]


class Size(str, Enum):
    """The size of a study, which decides which of its cases run."""

    small = "small"
    paper = "paper"


Sized = Annotated[Size, typer.Option("--size", help="Cases to run: small, or paper, which adds the large cases.")]
Check = Annotated[
    bool,
    typer.Option(
        "--check",
        help="Exit with code 1 if a metric differs from the recorded results, or if the recorded grade of a claim does "
        "not follow from them. Without recorded results, compare metrics with their references.",
    ),
]
Record = Annotated[
    bool,
    typer.Option(
        "--record",
        help="Record the results in a file beside the study. The executor local then measures one run at a time, so "
        "that run times are correct.",
    ),
]
Rest = Annotated[
    bool,
    typer.Option(
        "--rest",
        help="With --record: run only cases whose recorded results are missing or outdated, and compute all verdicts "
        "again.",
    ),
]

OneCase = Annotated[
    str | None,
    typer.Option(
        "--case", metavar="NAME", help='Run only this case, for example "SF, as published", even if it has size paper.'
    ),
]
Seed = Annotated[
    int | None, typer.Option("--seed", metavar="N", help="With --case: run this seed instead of the study's seeds.")
]
At = Annotated[
    list[str] | None,
    typer.Option(
        "--at",
        metavar="NAME=VALUE",
        help="With --case: run only grid points with this value, which may be written as in the study's tables; "
        "repeatable, also for several values of one parameter.",
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Set a parameter of the measurement in all cases, or with --case in this case, for example "
        "software=680ns; repeatable. It replaces the study's values. The table has no verdicts.",
    ),
]
Where = Annotated[
    str,
    complete.option("--executor", metavar="SPEC", what="Executor, for example dask:workers=8", kind="executors"),
]
Share = Annotated[
    str | None,
    typer.Option(
        "--shard",
        metavar="I/N",
        help="Run only this part of the runs, for example 1/4; machines that share --out complete the study together.",
    ),
]
Status = Annotated[
    bool, typer.Option("--status", help="Run nothing; print which runs are finished and which are missing.")
]


def run(
    study: StudyPath,
    threads: Threads = None,
    executor: Where = "local",
    shard: Share = None,
    status: Status = False,
    out: Out = Path("runs"),
    size: Sized = Size.small,
    case: OneCase = None,
    at: At = None,
    seed: Seed = None,
    settings: Settings = None,
    fresh: Fresh = False,
    rows: WithRows = True,
    check: Check = False,
    record: Record = False,
    rest: Rest = False,
    json: Json = False,
) -> None:
    """Runs a study: reuses finished runs, prints a table, writes a run directory.

    After Ctrl-C, the same command continues the study. --case runs one case, and with --check compares only this case
    with its recorded results. --set runs the study with another value of a parameter.
    """
    from tulle import study as studies
    from tulle._internal.writing.checks import check_file
    from tulle.cli.study import one_case
    from tulle.cli.study import parts as run_parts
    from tulle.plot.sheet import available
    from tulle.study.claims.grading import check_claims
    from tulle.study.report.baseline import load_baseline, place
    from tulle.study.report.incremental import missing_cases
    from tulle.study.report.recording import write_baseline
    from tulle.study.report.verdict import count_words

    run_parts.check(shard=shard, status=status, fresh=fresh, check=check, record=record, rest=rest)
    one_case.check(case=case, at=at or [], seed=seed, record=record, shard=shard is not None)
    for name, given in {"check": check, "record": record}.items():
        if settings and given:
            raise typer.BadParameter(f"--{name} together with --set; legal: one of them")
    if record and not study.is_file():
        raise typer.BadParameter(
            f"--record would write beside {study}, which is part of tulle; legal: a study file, for example in a copy "
            "that `tulle studies --copy` made"
        )
    if record and executor == "local":
        if threads not in (None, 1):
            raise typer.BadParameter(
                f"--threads {threads}: --record measures the time of every run, so only one run may be active; legal: 1"
            )
        threads = 1
    file = studies.load(study)
    whole = one_case.with_settings(file, settings, case) if settings else file
    # The file of recorded results is checked first, so that its errors are reported before the runs.
    kept = load_baseline(whole) if check or record else None
    if record:
        check_file(place(whole))

    def plan(study: StudyFile) -> Plan:
        if case is None:
            return studies.plan(study.of_size(size.value))
        return one_case.one_case(study, case, at or [], seed, size.value)

    complete = planned = one_case.planned(file, settings or [], case, plan)
    if case is not None and check:
        one_case.check_seeds(planned, kept, seed)
    if rest:
        planned = missing_cases(complete, None if kept is None else kept.of(size.value))
    if status:
        run_parts.print_status(planned, out, shard, json=json)
        return
    where = run_parts.executor(executor, threads)
    if shard is not None:
        with one_case.named(settings or []):
            is_complete = run_parts.run_shard(planned, out, shard, where, fresh=fresh, json=json)
        if not is_complete:
            return
        # All runs of all shards are finished, so only the tables must be written.
        fresh, where = False, run_parts.executor("local", 1)
    begin = run_parts.announce(planned, where)
    with (
        one_case.named(settings or []),
        run_parts.resumable(planned, out, fresh=fresh),
        run_parts.progress(where) as show,
    ):
        done = studies.run(planned, out, executor=where, fresh=fresh, rows=rows, progress=show, say=note, begin=begin)
    for warning in done.warnings:
        note(warning)
    if (planned.plots or planned.curves) and not available():
        note("no picture: matplotlib is not installed; `pip install 'tulle[plot]'` installs it")
    if done.unplotted is not None:
        note(done.unplotted)
    verdicts = done.verdicts
    agree = sum(1 for verdict in verdicts if verdict.agrees)
    unknown = sum(1 for verdict in verdicts if verdict.missing)
    problems, compared = _compare(done, kept, size.value, whole=case is None) if check else ([], 0)
    claims = None
    if check and case is None and kept is not None and kept.of(size.value) is not None:
        claims = check_claims(done.plan.study.path)
        problems += claims.problems
    for line in [*([] if claims is None else claims.notes), *problems]:
        note(line)
    if json:
        print_json(
            {
                "study": planned.study.name,
                "directory": str(done.directory),
                "runs": len(planned.runs),
                "measured": len(done.measured),
                "agree": agree,
                "differ": len(verdicts) - agree - unknown,
                "unknown": unknown,
                "compared": compared,
                "claims": 0 if claims is None else claims.checked,
                "unexpected": problems,
                "plots": [str(path) for path in done.plots],
                "results": [result.as_dict() for result in done.results],
                "comparisons": [compared.as_dict() for compared in done.comparisons],
            }
        )
    else:
        _print(done)
        left_out = _left_out(whole, planned.study)
        if left_out and case is None:
            print_line(f"left out: {left_out}; --size paper runs them too")
        if verdicts:
            print(f"verdicts: {count_words(verdicts)}")
        if check and not problems:
            print_line(f"check: {_agreement(kept, size.value, compared, whole=case is None)}")
            if claims is not None:
                print_line(f"check: {_graded(claims.checked)}")
        reused = len({run.id for run in planned.runs}) - len(done.measured)
        print(f"run directory: {done.directory} ({counted(len(done.measured), 'run')} measured, {reused} reused)")
    if record:
        note(f"results recorded in {write_baseline(done, size.value, complete)}")
    if done.unplotted is not None or problems:
        raise typer.Exit(1)


def _compare(
    done: Finished, kept: Baseline | None, size: Literal["small", "paper"], *, whole: bool
) -> tuple[list[str], int]:
    """Return a line per metric that differs from the recorded results, and the number of metrics compared.

    Without recorded results, compare metrics and ratios with their references.
    """
    from tulle.study.report.baseline import kept_cases, place_words, recorded_metrics, unexpected, unexpected_cases

    expected = None if kept is None else kept.of(size)
    if kept is not None and not whole:
        return list(unexpected_cases(done, kept)), recorded_metrics(done, kept_cases(kept).values())
    if expected is not None:
        return list(unexpected(done, expected)), recorded_metrics(done, expected.results)
    found = [
        f"{place_words(result.case, result.point)}: {key} {verdict}"
        for result in done.results
        for key, verdict in result.verdicts.items()
        if not verdict.agrees
    ]
    pairs = [pair for pair in done.comparisons if not pair.verdict.agrees]
    found += [
        f"{place_words(f'{pair.case} / {pair.over}', pair.point)}: {pair.figure} {pair.verdict}" for pair in pairs
    ]
    return found, len(done.verdicts)


def _graded(claims: int) -> str:
    """Return how many claims a check without problems has graded, in words."""
    if not claims:
        return "no claims of a paper to check, because no claims file declares a claim about this study"
    has = verb(claims, "has the grade", "have the grades")
    return f"{counted(claims, 'claim')} {has} that {verb(claims, 'follows', 'follow')} from the recorded results"


def _agreement(kept: Baseline | None, size: Literal["small", "paper"], compared: int, *, whole: bool) -> str:
    """Return what a check without problems has compared, in words."""
    agree = verb(compared, "agrees", "agree")
    if kept is not None and not (whole and kept.of(size) is None):
        return f"{counted(compared, 'metric')} {agree} with the recorded results"
    missing = f"no results{'' if kept is None else f' of size {size}'} are recorded; --record records them"
    if not compared:
        return f"nothing to compare, because the study has no references and {missing}"
    return f"{counted(compared, 'comparison')} with a reference or between cases {agree}; {missing}"


def _left_out(whole: StudyFile, part: StudyFile) -> str:
    """Return the cases and values of a study that do not run at this size, as text; empty if all run."""
    cases = len(whole.case) - len(part.case)
    parts = [counted(cases, "large case")] if cases else []
    if whole.paper != part.paper:
        parts += [f"{name} {value}" for name, values in whole.paper.items() for value in values]
    return ", ".join(parts)


def _print(done: Finished) -> None:
    """Print the tables of a study, and notes that explain them."""
    from tulle.study.engine.model import shown
    from tulle.study.report.results import printed, table, title

    planned = done.plan
    print_line(planned.study.title or planned.study.name)
    print_line(_seeds(done))
    for point in planned.points:
        here = [result for result in done.results if result.point == point]
        if not here:
            continue
        print()
        named, plainly = title(point, planned.study.words), title(point)
        heads, cells = table(planned, here)
        columns = [Column(head, kind="number" if head in ("±", "reference") else None) for head in heads]
        print_table(columns, cells, title=plainly if named == plainly else f"{named} ({plainly})")
    titles = {figure.key: figure.title for figure in planned.measurement.figures}
    intervals = planned.study.intervals
    if done.comparisons:
        columns = [
            Column("comparison", rank=0, kind="name"),
            *(Column(name, rank=4) for name in planned.study.grid),
            Column("figure", rank=3, kind="name"),
            Column("ratio", rank=1),
            *([Column("±", rank=5)] if intervals else []),
            Column("verdict", rank=2),
        ]
        rows: list[list[object]] = [
            [
                f"{pair.case} / {pair.over}",
                *map(shown, pair.point.values()),
                titles[pair.figure],
                pair.ratio,
                *([pair.half95] if intervals else []),
                str(pair.verdict),
            ]
            for pair in done.comparisons
        ]
        print()
        print_table(columns, rows)
    print()
    if note_under := planned.measurement.note_under(figure.title for figure in printed(planned, done.results)):
        print_line(note_under)
    # A source or a reason that applies to several cases is printed once, in the order of the table.
    pairs = [(pair, f"{pair.case} / {pair.over}") for pair in done.comparisons]
    sources = [(result.source, result.case) for result in done.results] + [(pair.source, name) for pair, name in pairs]
    reasons = [(result.why, result.case) for result in done.results] + [(pair.why, name) for pair, name in pairs]
    for what, given in (("reference", sources), ("why", reasons)):
        for text in dict.fromkeys(text for text, _ in given if text):
            print_line(f"{what}: {text} ({'; '.join(dict.fromkeys(name for other, name in given if other == text))})")
    for path in done.plots:
        print(f"plot: {path}")


def _seeds(done: Finished) -> str:
    """Return a text that tells over which seeds the results are averaged, and what the signs ± of the tables mean."""
    from tulle.study.report.results import printed

    counts = {len(result.seeds) for result in done.results}
    if not counts:
        return "nothing left to run"
    if counts == {1}:
        seeds = sorted({result.seeds[0] for result in done.results})
        return f"seed {', '.join(map(str, seeds))}"
    parts = [f"means over {' or '.join(map(str, sorted(counts)))} seeds"]
    if done.plan.study.intervals:
        figures = printed(done.plan, done.results)
        if any(result.figures[figure.key].half95 for figure in figures for result in done.results):
            parts.append("±: 95% confidence intervals")
        if any(pair.half95 is not None for pair in done.comparisons):
            parts.append("± of a ratio: 95% confidence interval of the ratios seed by seed")
    if any("±" in verdict.wanted for verdict in done.verdicts):
        parts.append("± in a verdict: precision of the paper's value")
    return "; ".join(parts)
