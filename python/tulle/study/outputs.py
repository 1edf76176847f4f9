"""The run directory of a study: rows, summary, plots, manifest."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
import platform
import shutil
import tempfile
from collections import defaultdict
from contextlib import contextmanager
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tulle import __version__
from tulle.errors import FileError
from tulle.study import plot
from tulle.study.model import shown
from tulle.study.report import Compared, Result, comparisons, results
from tulle.study.store import build

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tulle.study.measurement import Rows
    from tulle.study.plan import Plan, Run
    from tulle.study.store import Store
    from tulle.study.verdict import Number


def write(
    plan: Plan, store: Store, directory: Path, *, started: datetime, seconds: float, measured: Mapping[str, float]
) -> tuple[tuple[Result, ...], tuple[Compared, ...], tuple[Path, ...]]:
    """Writes the run directory of a plan whose runs are all in `store`; results, comparisons and plots.

    Everything is made beside its place and moved into it, the manifest last: a directory with a manifest is whole. All
    files but the manifest depend on the plan alone.
    """
    numbers: list[Mapping[str, Number]] = []
    counters: list[Mapping[str, int]] = []
    samples: dict[tuple[Any, ...], list[plot.Sample]] = defaultdict(list)
    with _staging(directory) as staging:
        rows_file = staging / plan.measurement.rows_file
        with rows_file.open("w", encoding="utf-8", newline="") as file:
            for at, run in enumerate(plan.runs):
                rows = store.find(run)
                if rows is None:
                    raise FileError(f"{store.directory}: run {run.id} has gone while the study ran; run it again")
                file.write(_csv(run, rows, header=at == 0))
                numbers.append(rows.figures)
                counters.append(rows.counters)
                for distribution in plan.plots:
                    samples[(distribution.key, *run.point.values(), run.case)].append(distribution.sample(rows.table))
        found = results(plan, numbers)
        compared = comparisons(plan, found)
        _write_json(staging / "summary.json", _summary(plan, found, compared, numbers, counters))
        pooled = {key: plot.pool(parts) for key, parts in samples.items()}
        plots = plot.distributions(plan, pooled, staging)
        files = sorted(path for path in staging.iterdir())
        manifest = _manifest(plan, files, started=started, seconds=seconds, measured=measured)
        _write_json(staging / "manifest.json", manifest)
        for path in [*files, staging / "manifest.json"]:
            path.replace(directory / path.name)
    return found, compared, tuple(directory / path.name for path in plots)


@contextmanager
def _staging(directory: Path) -> Iterator[Path]:
    """A directory beside the files of `directory`, on the same file system; gone at the end."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        staging = Path(tempfile.mkdtemp(dir=directory, prefix=".staging-"))
    except OSError as error:
        raise FileError(f"{directory}: {error.strerror or error}") from None
    try:
        yield staging
    except OSError as error:
        if isinstance(error, FileError):
            raise
        raise FileError(f"{directory}: {error.strerror or error}") from None
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _csv(run: Run, rows: Rows, *, header: bool) -> str:
    """The rows of a run, each led by run, case, point and seed."""
    buffer = io.StringIO()
    lead = csv.writer(buffer, lineterminator="")
    lead.writerow([run.id, run.case, *map(shown, run.point.values()), run.seed])
    prefix = buffer.getvalue()
    # As text numpy gives the shortest form that reads back alike, of float32 too.
    columns = [column.astype(str).tolist() for column in rows.table.values()]
    lines = [",".join([prefix, *cells]) for cells in zip(*columns, strict=True)]
    if header:
        lines.insert(0, ",".join(["run", "case", *run.point, "seed", *rows.table]))
    return "".join(f"{line}\n" for line in lines)


def _summary(
    plan: Plan,
    found: tuple[Result, ...],
    compared: tuple[Compared, ...],
    numbers: list[Mapping[str, Number]],
    counters: list[Mapping[str, int]],
) -> dict[str, Any]:
    return {
        "study": plan.study.name,
        "title": plan.study.title,
        "measurement": plan.measurement.name,
        "figures": {figure.key: figure.title for figure in plan.measurement.figures},
        "results": [result.as_dict() for result in found],
        "comparisons": [pair.as_dict() for pair in compared],
        "runs": [
            {
                "run": run.id,
                "case": run.case,
                **run.point,
                "seed": run.seed,
                "figures": dict(own),
                "counters": dict(counts),
            }
            for run, own, counts in zip(plan.runs, numbers, counters, strict=True)
        ],
    }


def _manifest(
    plan: Plan, files: list[Path], *, started: datetime, seconds: float, measured: Mapping[str, float]
) -> dict[str, Any]:
    return {
        "study": plan.study.model_dump(mode="json"),
        "id": plan.id,
        "tulle": __version__,
        "build": build(),
        "started": started.isoformat(timespec="seconds"),
        "finished": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "seconds": round(seconds, 3),
        "host": {
            "name": platform.node(),
            "system": platform.platform(),
            "cores": os.cpu_count(),
            "python": platform.python_version(),
            "numpy": np.__version__,
        },
        "runs": [
            {
                "run": run.id,
                "case": run.case,
                **run.point,
                "seed": run.seed,
                "configuration": run.configuration,
                "reused": run.id not in measured,
                "seconds": None if run.id not in measured else round(measured[run.id], 3),
            }
            for run in plan.runs
        ],
        "files": {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files},
    }


def _write_json(path: Path, value: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n", encoding="utf-8")
