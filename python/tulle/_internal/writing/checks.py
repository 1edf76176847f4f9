"""Check that a command can write its output. Commands do this before they start their work."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from tulle import _tulle
from tulle._internal.text import brief
from tulle._internal.writing.atomic import check_place, sweep_unfinished
from tulle.errors import FileError, FormatError

if TYPE_CHECKING:
    from collections.abc import Sequence

TABLES = (".csv",)
"""Suffixes of files that contain tables."""

# A saved routing is a binary file; it must not have one of these suffixes of text files, pictures and other formats.
_NO_ROUTING = (
    *(".adj", ".anynet", ".csv", ".dot", ".edges", ".graphml", ".gv", ".hpcc", ".ibnet", ".json", ".md", ".netlist"),
    *(".npz", ".pdf", ".png", ".svg", ".toml", ".txt", ".xml"),
)
# Size in bytes of the temporary file that tests whether a folder is writable.
_TRY = 4096


def check_file(path: Path, suffixes: Sequence[str] = (), hint: str = "") -> None:
    """Check that a file can be written and that its name has one of `suffixes`. Without `suffixes`, any name is legal.

    The error about a wrong suffix ends with `hint`. The check writes a few kilobytes to an unnamed file in the same
    folder, because only this detects missing permissions, exhausted quotas and full disks.

    Raises
    ------
    tulle.FileError
        If the file cannot be written.
    """
    suffix = path.suffix.lower()
    if suffixes and suffix not in suffixes:
        problem = f"'{path.suffix}' is not a known extension" if suffix else "a name without an extension"
        raise FileError(f"{path}: {problem}; legal: {', '.join(suffixes)}{hint}")
    check_place(path)
    place = Path(os.path.realpath(path))
    if not place.parent.is_dir():
        raise FileError(f"{path}: there is no folder '{place.parent}'; legal: an existing folder")
    if place.exists() and not os.access(place, os.W_OK):
        raise FileError(f"{path}: the file is read-only; legal: a writable file")
    _try(path, place.parent)
    sweep_unfinished(path)


def check_routing(path: Path) -> None:
    """Check that a routing can be saved at `path`. Suffixes of other formats, for example pictures, are refused.

    Raises
    ------
    tulle.FileError
        If the file cannot be written.
    """
    if path.suffix.lower() in _NO_ROUTING:
        raise FileError(
            f"{path}: '{path.suffix}' is the extension of another kind of file; legal: others, for example .routing"
        )
    check_file(path)


def check_graph(path: Path, format: str | None = None) -> Path | None:
    """Check that a graph and its file of endpoints can be written at `path`. Return the path of the endpoints.

    The format is `format`; without it, the suffix of `path` must be that of a known format. The result is None if the
    format needs no second file.

    Raises
    ------
    tulle.FileError
        If one of the two files cannot be written.
    tulle.FormatError
        If tulle only reads the format of the extension.
    """
    formats = [described for described in _tulle.graph_formats() if described[-1]]
    words = [word for word, *_ in formats]
    if format is not None and format not in words:
        raise FileError(f"format={brief(str(format))} is not known; legal: {', '.join(words)}")
    known = [] if format else [f".{suffix}" for _, _, suffixes, *_ in formats for suffix in suffixes]
    check_file(path, known, "; or any name with --format, for example --format ibnetdiscover")
    check_graph_format(path, format)
    beside = path.with_suffix(".nodes.csv")
    check_place(beside)
    name = path.name.lower()
    longest = max((suffix for suffix in known if name.endswith(suffix)), key=len, default="")
    alone = any(
        format == word or longest[1:] in suffixes for word, _, suffixes, has_beside, *_ in formats if not has_beside
    )
    return None if alone else beside


def check_graph_format(path: str | os.PathLike[str], format: str | None) -> None:
    """Check that tulle writes the format `format`, or without it the format of the extension of `path`.

    Raises
    ------
    tulle.FormatError
        For an unknown extension or format, and for a format that tulle only reads.
    """
    formats = _tulle.graph_formats()
    if format is None:
        file = Path(path).name.lower()
        # The longest extension decides: x.mat.csv is a matrix, not a CSV file of cables.
        ends = {end: (name, written) for _, name, suffixes, *_, written in formats for end in suffixes}
        fitting = [end for end in ends if file.endswith(f".{end}")]
        found = ends[max(fitting, key=len)] if fitting else None
        unknown = f"'.{brief(file.rpartition('.')[2] if '.' in file else '')}' is not a known extension"
    else:
        found = {word: (name, written) for word, name, *_, written in formats}.get(format)
        unknown = f"format '{brief(str(format))}' is not known"
    if found is None or not found[1]:
        problem = unknown if found is None else f"tulle reads but does not write this format ({found[0]})"
        legal = ", ".join(word for word, *_, written in formats if written)
        raise FormatError(f"{os.fspath(path)}:1:1: {problem}; legal: {legal}")


def check_folder(path: Path, *, made_above: bool = False) -> None:
    """Check that a folder exists and is writable, or that it can be made in an existing folder.

    With `made_above`, missing parent folders are legal, because the command makes them.

    Raises
    ------
    tulle.FileError
        If the folder cannot be made or written to.
    """
    there = path
    while not os.path.lexists(there):
        there = there.parent
    if not there.is_dir():
        raise FileError(f"{path}: '{there}' is not a folder; legal: a folder, or a name that does not exist")
    # A missing parent folder is usually a typing error.
    above = Path(os.path.realpath(path)).parent
    if not made_above and not os.path.lexists(path) and not above.is_dir():
        raise FileError(f"{path}: there is no folder '{above}'; legal: an existing folder")
    _try(path, there)


def _try(path: Path, folder: Path) -> None:
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(_TRY))
    except OSError as error:
        raise FileError(f"{path}: {error.strerror or error}") from None
