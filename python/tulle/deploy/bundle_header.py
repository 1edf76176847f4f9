"""``bundle.json`` of bundles of all kinds: its fields are read, and files held against what it says of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tulle._internal.reading import read_text, sha256
from tulle._internal.writing.folders import recover
from tulle.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

BUNDLE = "bundle.json"


def header_values(path: Path, kind: str, header: type[Any]) -> dict[str, Any]:
    """The fields of the dataclass `header`, of a file of the format `kind`.

    Raises
    ------
    tulle.FileError, tulle.FormatError
        Where there is no such file, or another.
    """
    recover(path.parent)
    try:
        said = json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{path}: no JSON: {error}") from None
    if not isinstance(said, dict) or said.get("format") != kind:
        raise FormatError(f"{path}: format is another; legal: {kind}")
    values: dict[str, Any] = {}
    for name, field in header.__dataclass_fields__.items():
        value = said.get(name)
        if name == "files":
            value = _files(value)
        if type(value) is not {"str": str, "int": int}.get(str(field.type), dict):
            raise FormatError(f"{path}: no '{name}' that is one; legal: as tulle deploy writes it")
        values[name] = value
    return values


def check_files(folder: Path, files: Mapping[str, tuple[int, str]], names: Iterable[str]) -> None:
    """Compares files with what ``bundle.json`` says of them, by name their size and SHA-256.

    Raises
    ------
    tulle.FileError, tulle.FormatError
        For a file that is not there, or another one.
    """
    for name in names:
        if name not in files:
            raise FormatError(f"{folder / BUNDLE}: says nothing of {name}; legal: its size and SHA-256")
        size, digest = files[name]
        found = sha256(folder / name)
        if found != (size, digest):
            raise FormatError(
                f"{folder / name}: {found[0]} bytes with SHA-256 {found[1][:16]}…, where {BUNDLE} says {size} bytes "
                f"with {digest[:16]}…; legal: as it was written"
            )


def _files(rows: object) -> dict[str, tuple[int, str]] | None:
    if not isinstance(rows, dict):
        return None
    files = {}
    for name, row in rows.items():
        if not isinstance(row, dict) or type(row.get("bytes")) is not int or not isinstance(row.get("sha256"), str):
            return None
        files[name] = row["bytes"], row["sha256"]
    return files
