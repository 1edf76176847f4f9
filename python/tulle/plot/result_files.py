"""Read the result files of commands, for plots."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tulle._internal.reading import read_text
from tulle.errors import FormatError, InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_FLOWS = ("bytes", "start_ps", "finish_ps", "slowdown")
_LINKS = ("time_ps", "link", "source", "target", "endpoint", "queue_bytes", "utilisation")
_RUNS = ("load", "accepted", "latency_mean_cycles", "saturated")


def read_flows(files: Sequence[str]) -> dict[str, dict[str, NDArray[np.float64]]]:
    """Return ``bytes``, ``fct`` (µs), ``slowdown`` and ``throughput`` (Gb/s) of the flows of every file, by its name.

    Unfinished flows have NaN. Each of `files` is ``FILE`` or ``NAME=FILE``. Without ``NAME``, the name is the file's
    name without extension.

    Raises
    ------
    tulle.FileError, tulle.FormatError
        For a file that cannot be read, or is not a table of flows.
    tulle.InputError
        For two files with the same name.
    """
    found = {}
    for name, path in _named(files).items():
        columns = _read(path, _FLOWS, "tulle simulate -o")
        time = np.where(columns["finish_ps"] < 0, np.nan, columns["finish_ps"] - columns["start_ps"]) / 1e6
        found[name] = {
            "bytes": columns["bytes"],
            "fct": time,
            "slowdown": columns["slowdown"],
            "throughput": columns["bytes"] * 8e-3 / time,
        }
    return found


def read_runs(files: Sequence[str]) -> dict[str, dict[str, NDArray[np.float64]]]:
    """Return the columns that a plot of latency over load needs, of every file, by its name; see `read_flows`."""
    found = {}
    for name, path in _named(files).items():
        columns = _read(path, _RUNS, "tulle flit -o")
        found[name] = {key.removesuffix("_cycles"): column for key, column in columns.items()}
    return found


def read_link_samples(path: Path) -> dict[str, NDArray[np.float64]]:
    """Return the columns that a plot over time needs, by the names of `tulle.Simulation.link_samples`.

    Raises
    ------
    tulle.FileError, tulle.FormatError
        For a file that cannot be read, or is not a table of samples.
    """
    columns = _read(path, _LINKS, "tulle simulate --link-samples")
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


def _read(path: Path, names: Sequence[str], command: str) -> dict[str, NDArray[np.float64]]:
    """Return columns of a CSV file as numbers."""
    rows = csv.reader(io.StringIO(read_text(path), newline=""))
    head = next(rows, [])
    missing = [name for name in names if name not in head]
    if missing:
        raise FormatError(f"{path}: no column {', '.join(missing)}; legal: a table that {command} wrote")
    places = [head.index(name) for name in names]
    values: list[list[float]] = []
    try:
        values.extend([float(row[at]) for at in places] for row in rows)
    except (ValueError, IndexError):
        raise FormatError(
            f"{path}:{rows.line_num}: not a row of numbers; legal: a table that {command} wrote"
        ) from None
    table = np.array(values, dtype=np.float64).reshape(len(values), len(names))
    if not len(values):
        raise FormatError(f"{path}: no rows; legal: one or more")
    return {name: table[:, at] for at, name in enumerate(names)}
