"""Write the files of a scheduler to a folder, all or none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle._internal.writing.atomic import staging
from tulle._internal.writing.folders import NEW, commit, recover
from tulle.errors import FileError, InputError
from tulle.schedulers.formats.text import WRITTEN

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def write(folder: Path, files: Mapping[str, str], *, force: bool) -> list[Path]:
    """Write the files and return their paths. Other files in the folder remain unchanged.

    Raises
    ------
    tulle.InputError
        For an existing file that ``tulle export`` did not write, without `force`.
    tulle.FileError
        If the operating system refuses to write.
    """
    if folder.is_dir():
        recover(folder)
    for name in files:
        if not force and (folder / name).exists() and not _is_ours(folder / name):
            raise InputError(
                f"{folder / name} was not written by tulle export; legal: another folder, or --force to replace it"
            )
    with staging(folder) as prepared:
        new = prepared / NEW
        new.mkdir()
        for name, text in files.items():
            (new / name).write_text(text, encoding="utf-8")
        commit(prepared, folder, [*files])
    return [folder / name for name in files]


def _is_ours(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(WRITTEN)) == WRITTEN.encode()
    except OSError as error:
        raise FileError(f"{path}: {error.strerror or error}") from None
