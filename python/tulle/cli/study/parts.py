"""``tulle run`` on several machines: executors, shards, and the status of a study."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

from tulle._internal import progress as bars
from tulle._internal.runtime import processors
from tulle._internal.text import are, counted
from tulle.cli import interrupt
from tulle.cli.terminal.output import ProgressLine, note, print_json, print_line, print_table
from tulle.cli.terminal.progress import duration
from tulle.errors import FileError, MissingDependencyError, StudyError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from tulle.study import Plan, Run, Shard
    from tulle.study.executors.model import Executor
    from tulle.study.report.expected import Expected


def check(*, shard: str | None, status: bool, **others: bool) -> None:
    """Check that the given options can be combined.

    Raises
    ------
    typer.BadParameter
        If they cannot be combined.
    """
    # A shard is not a complete result, so it cannot be checked or recorded; --status runs nothing.
    clashing = others if status else {name: others[name] for name in ("check", "record")} if shard is not None else {}
    for name, given in clashing.items():
        if given:
            raise typer.BadParameter(f"--{name} together with --{'status' if status else 'shard'}; legal: one of them")
    if others["rest"] and not others["record"]:
        raise typer.BadParameter("--rest without --record; legal: both")
    if others["rest"] and others["check"]:
        raise typer.BadParameter("--check together with --rest, which does not run all cases; legal: one of them")


def executor(spec: str, threads: int | None) -> Executor:
    """Return the executor for a spec.

    Raises
    ------
    tulle.InputError, tulle.SpecError
        For an illegal spec.
    typer.BadParameter
        If a package that the executor needs is not installed.
    """
    from tulle.study import executors

    try:
        return executors.executor(spec, threads=threads)
    except MissingDependencyError as error:
        raise typer.BadParameter(f"--executor {spec}: {error}") from None


@contextmanager
def progress(where: Executor) -> Iterator[Callable[[float, int], object]]:
    """Yield a function that shows progress. On a cluster, it also shows runs per second, remaining time and workers."""
    alone = where.standing() == ""
    with ProgressLine("runs", estimate=not alone, forecast=False, rate=not alone) as line:
        is_announced = False

        def show(done: float, total: int) -> None:
            nonlocal is_announced
            standing = where.standing()
            line.show(done, total, standing)
            if not is_announced and not line.is_shown and "://" in standing:
                is_announced = True
                note(f"cluster of Dask: {standing}")

        yield show


@contextmanager
def resumable(planned: Plan, out: Path, shard: Shard | None = None, *, fresh: bool) -> Iterator[None]:
    """After Ctrl-C, print how many runs are finished, and how to continue."""
    from tulle import study as studies

    # Counting reads all finished runs. At a second Ctrl-C, the process must exit at once, so it does not count.
    interrupt.last_words = (
        # Runs that an earlier command has stored are not told apart from those of this command.
        "finished runs are stored; without --fresh, the command uses them, and also runs of earlier commands"
        if fresh
        else "finished runs are stored; the same command continues the study"
    )
    try:
        yield
    except KeyboardInterrupt:
        if fresh:
            note(interrupt.last_words)
            raise
        found = studies.status(planned, out, shard)
        finished = len(found.states) - len(found.missing)
        runs = are(len(found.states), "run")
        note(f"{finished:,} of {runs} finished; the same command continues the study")
        raise
    finally:
        interrupt.last_words = ""


def announce(planned: Plan, where: Executor) -> Callable[[Sequence[Run]], None]:
    """Return a function that prints the expected time of runs, if it is known and long enough for a progress bar."""

    def begin(runs: Sequence[Run]) -> None:
        found = _expected(planned, runs)
        if found is None or found.seconds < bars.PATIENCE:
            return
        from tulle.study.executors.local import Local

        # Workers of a cluster can start and end at any time, so only threads have a known number.
        threads = min(where.threads, processors(), len(runs)) if isinstance(where, Local) else 1
        beside = f"about {duration(found.on_threads(threads))} on {threads} threads" if threads > 1 else ""
        note(f"expected: {_expected_words(found, beside)}")

    return begin


def _expected(planned: Plan, runs: Sequence[Run]) -> Expected | None:
    """Return the expected time of runs. If the recorded results cannot be read, a note says so."""
    from tulle.study.report.expected import expected

    try:
        return expected(planned.study, runs)
    except (StudyError, FileError) as error:
        # The recorded results are not needed for the runs. Options that need them report the same error.
        note(f"no estimate of the time: {error}")
        return None


def _expected_words(found: Expected, on_threads: str = "") -> str:
    runs = counted(found.known, "run")
    time = "less than 1 s" if found.seconds < 1 else f"about {duration(found.seconds)}"
    beside = f", {on_threads}" if on_threads else ""
    further = f"; {counted(found.unknown, 'other run')} without recorded time" if found.unknown else ""
    return f"{time} of processor time for {runs}{beside} (an estimate from the recorded results){further}"


def run_shard(planned: Plan, out: Path, text: str, where: Executor, *, fresh: bool, json: bool) -> bool:
    """Run a shard, and print how many runs are missing per shard.

    Return whether no run is missing, so that the tables can be written.
    """
    from tulle import study as studies
    from tulle.study.engine.shards import read_shard

    shard = read_shard(text)
    with resumable(planned, out, shard, fresh=fresh), progress(where) as show:
        done = studies.measure(
            planned,
            out,
            shard=shard,
            executor=where,
            fresh=fresh,
            progress=show,
            say=note,
            begin=announce(planned, where),
        )
    missing = {run.id for run in studies.status(planned, out).missing}
    lacking: dict[str, list[int]] = {}
    for number in range(1, shard.of + 1):
        other = studies.Shard(number, shard.of)
        ids = {run.id for run in other.runs(planned)}
        if ids & missing:
            lacking[str(other)] = [len(ids & missing), len(ids)]
    measured, reused = len(done.seconds), len(done.runs) - len(done.seconds)
    if json and missing:
        print_json(
            {
                "study": planned.study.name,
                "shard": str(shard),
                "runs": len(done.runs),
                "measured": measured,
                "missing": len(missing),
                "lacking": {name: of[0] for name, of in lacking.items()},
            }
        )
    elif not json:
        print(f"shard {shard}: {counted(measured, 'run')} measured, {reused} reused")
        if missing:
            print_line(
                "missing: "
                + ", ".join(f"{few} of {counted(all, 'run')} of shard {name}" for name, (few, all) in lacking.items())
            )
    return not missing


def print_status(planned: Plan, out: Path, text: str | None, *, json: bool) -> None:
    """Print which runs of a study or shard are finished, and which are missing."""
    from tulle import study as studies
    from tulle.study.engine.shards import read_shard
    from tulle.study.engine.store import STATES

    found = studies.status(planned, out, None if text is None else read_shard(text))
    by_case = found.by_case()
    expected = _expected(planned, found.missing)
    whole = {state: sum(counts[state] for counts in by_case.values()) for state in STATES}
    if json:
        key = {state: state.replace(" ", "_") for state in STATES}

        def keyed(counts: Any) -> dict[str, int]:
            return {key[state]: count for state, count in counts.items()}

        print_json(
            {
                "study": planned.study.name,
                "runs": len(found.states),
                **keyed(whole),
                "cases": [{"case": case, **keyed(counts)} for case, counts in by_case.items()],
                "to_measure": [run.id for run in found.missing],
                "expected_processor_seconds": None if expected is None else float(f"{expected.seconds:.3g}"),
                "runs_without_recorded_time": len(found.missing) if expected is None else expected.unknown,
            }
        )
        return
    rows: list[list[object]] = [[case, sum(counts.values()), *counts.values()] for case, counts in by_case.items()]
    print_table(["case", "runs", *STATES], rows)
    others = [f"{whole[state]} {state}" for state in STATES[1:] if whole[state]]
    print()
    print_line(", ".join([f"{whole[STATES[0]]} of {are(len(found.states), 'run')} finished", *others]))
    if expected is not None:
        print_line(f"expected: {_expected_words(expected)}")
