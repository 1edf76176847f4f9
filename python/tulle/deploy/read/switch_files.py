"""Find the files of switches, which are named after them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tulle.cabling.identity.devices import Directory
from tulle.errors import FileError, InputError

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from os import PathLike

__all__ = ["files_of"]


def files_of(
    names: Sequence[str],
    places: Sequence[str | PathLike[str]],
    of: str = "the bundle",
    removed: Collection[str] = (),
) -> tuple[dict[int, Path], bool]:
    """Find the files of switches. Also return whether a folder was given, which should have a file for every switch.

    Parameters
    ----------
    names
        The names of the switches. File names may use the short or the full name.
    places
        Files, or folders of files.
    of
        What the switches belong to, for error messages.
    removed
        Names of further switches, whose files are skipped.

    Raises
    ------
    tulle.FileError
        For a file or folder that does not exist, and for an empty folder.
    tulle.InputError
        For a file whose name is not the name of a switch, and for a second file of a switch.
    """
    # Dumps of Open vSwitch are text, most others are JSON.
    legal = f"legal: a file per switch, named after it, for example {names[0]} or {names[0]}.json"
    switch_of = {name: switch for switch, name in enumerate(names)}
    known = Directory([*names, *removed])
    found: dict[int, Path] = {}
    whole = False
    for place in map(Path, places):
        if not place.exists():
            raise FileError(f"{place}: no such file or folder; legal: a file per switch, or their folder")
        files = [place]
        if place.is_dir():
            whole = True
            files = sorted(path for path in place.iterdir() if path.is_file() and not path.name.startswith("."))
            if not files:
                raise FileError(f"{place}: an empty folder; {legal}")
        for path in files:
            of_file = next((like for text in (path.stem, path.name) if (like := known.find(text))), [])
            name = of_file[0] if len(of_file) == 1 else ""
            if name in removed:
                continue
            if name not in switch_of:
                raise InputError(f"{path}: no switch of {of} is named {path.stem}; {legal}")
            if switch_of[name] in found:
                raise InputError(
                    f"{path}: second file of {name} after {found[switch_of[name]]}; legal: one file per switch"
                )
            found[switch_of[name]] = path
    return found, whole
