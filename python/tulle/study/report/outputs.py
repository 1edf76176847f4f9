"""The run directory of a study: rows, summary, plots, manifest."""

from __future__ import annotations

import json
import os
import platform
from collections import defaultdict
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

from tulle import __version__
from tulle._internal.reading import sha256
from tulle._internal.text import csv_cells, csv_row
from tulle._internal.writing.atomic import put, staging
from tulle.errors import DrawingError
from tulle.study.engine.model import shown
from tulle.study.engine.store import MANIFEST, build
from tulle.study.engine.versions import all_versions
from tulle.study.report import plot
from tulle.study.report.curves import curves
from tulle.study.report.results import Compared, Result, comparisons, results

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tulle.study.engine.plan import Plan, Run
    from tulle.study.engine.store import Store
    from tulle.study.measurements.registry import Rows
    from tulle.study.report.verdict import Number


@dataclass(frozen=True)
class Written:
    """The contents of a run directory."""

    results: tuple[Result, ...]
    comparisons: tuple[Compared, ...]
    plots: tuple[Path, ...]
    unplotted: str | None
    """The reason why drawing the plots failed, in one line; None if drawing succeeded."""
    warnings: tuple[str, ...]
    """The warnings of all runs, each once."""


def write(
    plan: Plan,
    store: Store,
    directory: Path,
    *,
    started: datetime,
    seconds: float,
    measured: Mapping[str, float],
    rows: bool = True,
) -> Written:
    """Write the run directory of a plan whose runs are all in `store`; without `rows` the table of rows is left out.

    Every file is first written to a temporary place and then moved. Tables are moved before plots are drawn, so no
    table is lost if a plot fails. The manifest is moved last, first with the tables and again with the plots, so it
    lists only files that are complete. All files but the manifest depend only on the plan.

    Raises
    ------
    tulle.FileError
        If the operating system refuses to write a file.
    """
    numbers: list[Mapping[str, Number]] = []
    counters: list[Mapping[str, int]] = []
    samples: dict[tuple[Any, ...], list[plot.Sample]] = defaultdict(list)
    warnings: dict[str, None] = {}
    hashes: dict[str, str] = {}

    def finish(files: list[Path], folder: Path) -> None:
        hashes.update({file.name: sha256(file)[1] for file in files})
        manifest = _manifest(plan, directory, hashes, started=started, seconds=seconds, measured=measured)
        _write_json(folder / MANIFEST, manifest)
        put([*files, folder / MANIFEST], directory)

    with staging(directory) as folder:
        rows_file = folder / plan.measurement.rows_file if rows else None
        with nullcontext() if rows_file is None else rows_file.open("w", encoding="utf-8", newline="") as file:
            for at, run in enumerate(plan.runs):
                found_rows = store.get(run)
                if file is not None:
                    file.write(_csv(run, found_rows, header=at == 0))
                numbers.append(found_rows.figures)
                counters.append(found_rows.counters)
                warnings.update(dict.fromkeys(found_rows.warnings))
                for distribution in plan.plots:
                    key = (distribution.key, *run.point.values(), run.case)
                    samples[key].append(distribution.sample(found_rows.table))
        found = results(plan, numbers)
        compared = comparisons(plan, found)
        _write_json(folder / "summary.json", _summary(plan, found, compared, numbers, counters))
        finish([*([] if rows_file is None else [rows_file]), folder / "summary.json"], folder)
        try:
            plots = [*plot.distributions(plan, samples, folder), *curves(plan, found, folder)]
            if plots:
                finish(plots, folder)
            unplotted = None
        except (DrawingError, OSError) as error:
            plots, unplotted = [], f"no plots: {error}"
    return Written(found, compared, tuple(directory / path.name for path in plots), unplotted, tuple(warnings))


def _csv(run: Run, rows: Rows, *, header: bool) -> str:
    """Return the rows of a run, each preceded by run, case, point and seed."""
    # numpy formats a number as the shortest text that reads back as the same number, also for float32.
    columns = [csv_cells(column.astype(str).tolist(), column.dtype) for column in rows.table.values()]
    prefix = csv_row([run.id, run.case, *map(shown, run.point.values()), run.seed])
    lines = [",".join([prefix, *cells]) for cells in zip(*columns, strict=True)]
    if header:
        lines.insert(0, csv_row(["run", "case", *run.point, "seed", *rows.table]))
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
    plan: Plan,
    directory: Path,
    hashes: Mapping[str, str],
    *,
    started: datetime,
    seconds: float,
    measured: Mapping[str, float],
) -> dict[str, Any]:
    # Relative, so that a folder with both can be moved. Real paths, because a relative path does not lead back over a
    # symbolic link.
    folder = os.path.relpath(os.path.realpath(plan.study.path.parent), os.path.realpath(directory))
    return {
        "study": plan.study.model_dump(mode="json"),
        "id": plan.id,
        "study_folder": folder,
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
        },
        "libraries": all_versions(),
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
        "files": dict(hashes),
    }


def _write_json(path: Path, value: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n", encoding="utf-8")
