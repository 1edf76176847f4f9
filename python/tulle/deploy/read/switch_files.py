"""Find the files of switches, which are named after them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tulle._internal.reading import read_text
from tulle.cabling.identity.devices import Directory
from tulle.errors import FileError, InputError

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from os import PathLike

__all__ = ["SwitchFiles", "files_of", "is_blank"]


class SwitchFiles(NamedTuple):
    """The files of switches."""

    files: dict[int, list[Path]]
    """The files of each switch."""
    is_whole: bool
    """Whether a folder was given, which should have a file for every switch."""
    unknown: list[Path]
    """Files whose name is not the name of a switch."""
    of: str
    """What the switches belong to."""
    legal: str
    """The end of errors about files with other names."""

    def single(self) -> dict[int, Path]:
        """Return the file of each switch.

        Raises
        ------
        tulle.InputError
            For a second file of a switch.
        """
        for first, *more in self.files.values():
            if more:
                raise self.second(first, more[0])
        return {switch: files[0] for switch, files in self.files.items()}

    def second(self, first: Path, second: Path) -> InputError:
        """Return the error for a second file of a switch."""
        return InputError(f"{second}: second file of {first.stem} after {first}; legal: one file per switch")

    def nameless(self, path: Path) -> InputError:
        """Return the error for a file whose name is not the name of a switch."""
        return InputError(f"{path}: no switch of {self.of} is named {path.stem}; {self.legal}")


def is_blank(path: Path) -> bool:
    """Return whether a file has no content, for example because a command failed."""
    return path.stat().st_size < _BLANK and not read_text(path).strip()


_BLANK = 64
"""The size in bytes from which a file is not checked for content."""


def files_of(
    names: Sequence[str],
    places: Sequence[str | PathLike[str]],
    of: str = "the bundle",
    removed: Collection[str] = (),
) -> SwitchFiles:
    """Find the files of switches.

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
    """
    # Dumps of Open vSwitch are text, most others are JSON.
    legal = f"legal: a file per switch, named after it, for example {names[0]} or {names[0]}.json"
    switch_of = {name: switch for switch, name in enumerate(names)}
    known = Directory([*names, *removed])
    found = SwitchFiles({}, any(Path(place).is_dir() for place in places), [], of, legal)
    for place in map(Path, places):
        if not place.exists():
            raise FileError(f"{place}: no such file or folder; legal: a file per switch, or their folder")
        files = [place]
        if place.is_dir():
            files = sorted(path for path in place.iterdir() if path.is_file() and not path.name.startswith("."))
            if not files:
                raise FileError(f"{place}: an empty folder; {legal}")
        for path in files:
            of_file = next((like for text in (path.stem, path.name) if (like := known.find(text))), [])
            name = of_file[0] if len(of_file) == 1 else ""
            if name in switch_of:
                found.files.setdefault(switch_of[name], []).append(path)
            elif name not in removed:
                found.unknown.append(path)
    return found
