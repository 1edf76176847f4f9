"""Read ``bundle.json`` of any kind of bundle, and compare the bundle's files with the sizes and hashes in it."""

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
# The formats of bundles.
INFINIBAND = "tulle-infiniband-bundle-1"
ETHERNET = "tulle-ethernet-bundle-1"


def header_values(path: Path, kind: str, header: type[Any]) -> dict[str, Any]:
    """Read the fields of the dataclass `header` from a ``bundle.json`` of the format `kind`.

    Raises
    ------
    tulle.FileError, tulle.FormatError
        If the file does not exist, has another format, or lacks a field.
    """
    recover(path.parent)
    try:
        document = json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{path}: not JSON: {error}; legal: as `tulle deploy` writes it") from None
    if not isinstance(document, dict) or document.get("format") != kind:
        raise FormatError(f"{path}: the file has another format; legal: {kind}")
    values: dict[str, Any] = {}
    for name, field in header.__dataclass_fields__.items():
        value = document.get(name)
        if name == "files":
            value = _files(value)
        if type(value) is not {"str": str, "int": int}.get(str(field.type), dict):
            raise FormatError(f"{path}: '{name}' is missing or invalid; legal: as `tulle deploy` writes it")
        values[name] = value
    return values


def check_files(folder: Path, files: Mapping[str, tuple[int, str]], names: Iterable[str]) -> None:
    """Compare files with the sizes and SHA-256 hashes in ``bundle.json``.

    Raises
    ------
    tulle.FileError, tulle.FormatError
        For a file that is missing, or differs from the one that was written.
    """
    for name in names:
        if name not in files:
            raise FormatError(f"{folder / BUNDLE}: has no entry for {name}; legal: its size and SHA-256")
        size, digest = files[name]
        found = sha256(folder / name)
        if found != (size, digest):
            raise FormatError(
                f"{folder / name}: the file has {found[0]} bytes and SHA-256 {found[1][:16]}…, but {BUNDLE} states "
                f"{size} bytes and {digest[:16]}…; legal: the file as tulle wrote it"
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
