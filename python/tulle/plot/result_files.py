"""Read the result files of commands, for plots."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tulle._internal.reading import read_text
from tulle._internal.text import did_you_mean
from tulle.errors import FileError, FormatError, InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

_FLOWS = ("bytes", "start_ps", "finish_ps", "slowdown")
_FLOWS_FILE = "flows.csv"
_LINKS = ("time_ps", "link", "source", "target", "endpoint", "queue_bytes", "utilisation")
# The legend of more lines would be taller than the plot.
_MOST_LINES = 16
_RUNS = ("load", "accepted", "latency_mean_cycles", "saturated")


def read_flows(
    files: Sequence[str], cases: Sequence[str] = (), at: Sequence[str] = ()
) -> dict[str, dict[str, NDArray[np.float64]]]:
    """Return ``bytes``, ``fct`` (µs), ``slowdown`` and ``throughput`` (Gb/s) of the flows of every line, by its name.

    Unfinished flows have NaN. Each of `files` is ``FILE`` or ``NAME=FILE``. Without ``NAME``, the name is the file's
    name without extension. A file is one line; a study's ``flows.csv`` is one line per case and grid point, with the
    flows of all seeds, but without those of the warm-up. The run directory of a study means its ``flows.csv``.

    Parameters
    ----------
    files
        The files.
    cases
        Names of the cases of studies to draw; empty: all cases.
    at
        ``NAME=VALUE``: only grid points with one of these values.

    Raises
    ------
    tulle.FileError, tulle.FormatError
        For a file that cannot be read, or is not a table of flows.
    tulle.InputError
        For two lines with the same name, for too many lines, and for an unknown case, parameter or value.
    """
    named = {name: _flows_of(path) for name, path in _named(files).items()}
    # A name that the user gives is kept, also if a single file has several lines.
    is_shown = len(named) > 1 or "=" in files[0]
    wanted: dict[str, set[str]] = {"case": set(cases)} if cases else {}
    for text in at:
        key, equals, value = text.partition("=")
        if not equals:
            raise InputError(f"--at {text}: no '='; legal: NAME=VALUE")
        wanted.setdefault(key, set()).add(value)
    found = {}
    for name, path in named.items():
        for line, columns in _lines(path, wanted).items():
            time = np.where(columns["finish_ps"] < 0, np.nan, columns["finish_ps"] - columns["start_ps"]) / 1e6
            found[", ".join([name, line] if line and is_shown else [line or name])] = {
                "bytes": columns["bytes"],
                "fct": time,
                "slowdown": columns["slowdown"],
                "throughput": columns["bytes"] * 8e-3 / time,
            }
    if len(found) > _MOST_LINES:
        raise InputError(
            f"{len(found)} lines: one per file, case and grid point; legal: at most {_MOST_LINES}; --case and --at "
            "select some"
        )
    return found


def _flows_of(path: Path) -> Path:
    """Return the file of flows of a run directory; other paths are returned unchanged."""
    if not path.is_dir():
        return path
    if not (path / _FLOWS_FILE).is_file():
        raise FileError(
            f"{path}: has no {_FLOWS_FILE}; legal: a file of flows, or a run directory of the measurement simulate"
        )
    return path / _FLOWS_FILE


def _lines(path: Path, wanted: Mapping[str, set[str]]) -> dict[str, dict[str, NDArray[np.float64]]]:
    """Return the columns of the flows of every line of a file by its name; the name is empty if there is one line."""
    columns, labels = _read(path, _FLOWS, "tulle simulate -o", optional=("counted",))
    for key, values in wanted.items():
        known = dict.fromkeys(labels.get(key, ()))
        if not known:
            legal = "the flows.csv of a study" if not labels else ", ".join(labels)
            raise InputError(f"{path}: no '{key}' to select; legal: {legal}")
        for value in values - {*known}:
            raise InputError(f"{path}: no {key} '{value}'; {did_you_mean(value, [*known])}")
    rows = [*zip(*labels.values(), strict=True)] if labels else [()] * len(columns["bytes"])
    number: dict[tuple[str, ...], int] = {}
    of_row = np.array([number.setdefault(row, len(number)) for row in rows])
    kept = [
        row for row in number if all(value in wanted.get(key, {value}) for key, value in zip(labels, row, strict=True))
    ]
    if not kept:
        raise InputError(f"{path}: no flow has the values of --case and --at; legal: values of one line of the file")
    several = [len({row[at] for row in kept}) > 1 for at in range(len(labels))]
    counted = columns.pop("counted", np.ones(len(of_row))) != 0
    found = {}
    for row in kept:
        parts = zip(labels, row, several, strict=True)
        line = ", ".join(value if key == "case" else f"{key}={value}" for key, value, differs in parts if differs)
        chosen = (of_row == number[row]) & counted
        found[line] = {key: column[chosen] for key, column in columns.items()}
    return found


def read_runs(files: Sequence[str]) -> dict[str, dict[str, NDArray[np.float64]]]:
    """Return the columns that a plot of latency over load needs, of every file, by its name; see `read_flows`."""
    found = {}
    for name, path in _named(files).items():
        columns, _ = _read(path, _RUNS, "tulle flit -o")
        found[name] = {key.removesuffix("_cycles"): column for key, column in columns.items()}
    return found


def read_link_samples(path: Path) -> dict[str, NDArray[np.float64]]:
    """Return the columns that a plot over time needs, by the names of `tulle.Simulation.link_samples`.

    Raises
    ------
    tulle.FileError, tulle.FormatError
        For a file that cannot be read, or is not a table of samples.
    """
    columns, _ = _read(path, _LINKS, "tulle simulate --link-samples")
    return {key.removesuffix("_ps").removesuffix("_bytes"): column for key, column in columns.items()}


def _named(files: Sequence[str]) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for text in files:
        name, is_named, path = text.partition("=")
        name, place = (name, Path(path)) if is_named else (Path(text).stem, Path(text))
        if name in found:
            raise InputError(f"two files named '{name}': {found[name]} and {place}; legal: NAME=FILE with other names")
        found[name] = place
    return found


def _read(
    path: Path, names: Sequence[str], command: str, optional: Sequence[str] = ()
) -> tuple[dict[str, NDArray[np.float64]], dict[str, list[str]]]:
    """Return columns of a CSV file as numbers; and of a study's table the columns ``case`` and of the grid as texts."""
    rows = csv.reader(io.StringIO(read_text(path), newline=""))
    head = next(rows, [])
    missing = [name for name in names if name not in head]
    if missing:
        raise FormatError(f"{path}: no column {', '.join(missing)}; legal: a table that {command} wrote")
    names = [*names, *(name for name in optional if name in head)]
    places = [head.index(name) for name in names]
    # The columns of a study's table begin with run, case, the parameters of the grid, and seed.
    keys = head[1 : head.index("seed")] if head[:2] == ["run", "case"] and "seed" in head else []
    values: list[list[float]] = []
    labels: dict[str, list[str]] = {key: [] for key in keys}
    try:
        for row in rows:
            values.append([float(row[at]) for at in places])
            for key, value in zip(keys, row[1:], strict=False):
                labels[key].append(value)
    except (ValueError, IndexError):
        raise FormatError(
            f"{path}:{rows.line_num}: not a row of numbers; legal: a table that {command} wrote"
        ) from None
    table = np.array(values, dtype=np.float64).reshape(len(values), len(names))
    if not len(values):
        raise FormatError(f"{path}: no rows; legal: one or more")
    return {name: table[:, at] for at, name in enumerate(names)}, labels
