"""List the versions of a bundle, go back to one of them, and delete old ones."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from tulle._internal.html_summary import Shown
from tulle._internal.reading import read_text
from tulle._internal.text import brief
from tulle.deploy.bundle_header import BUNDLE, check_files
from tulle.deploy.versions.commit import carry, use, writing
from tulle.deploy.versions.layout import (
    PREVIOUS,
    UNUSED,
    VERSIONS,
    WHY,
    current,
    folder_of,
    is_flat,
    manifest,
    numbers,
)
from tulle.errors import FileError, FormatError, InputError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "Version",
    "delete_old",
    "follows_failure",
    "loads_in_traffic",
    "replaced_by",
    "roll_back",
    "rolled_back_from",
    "target_of",
    "versions",
]

_LISTED = 8


@dataclass(frozen=True)
class Version(Shown):
    """A version of a bundle."""

    version: str
    """Its number, for example ``0002``."""
    in_use: bool
    was_used: bool
    """Whether it is or was in use. If not, a command was killed before it put the version in use."""
    replaced: str
    """The number of the version that it replaced; empty for the first version."""
    written: str
    """The local time when it was written, in ISO 8601."""
    why: str
    """Why it was made, for example ``repair without cable s0-0-0:s0-0-1``; empty if unknown."""
    target: str
    fabric: str
    routing: str
    scheme: str
    """The deadlock scheme; empty in a network that drops packets."""
    switches: int
    cables: int

    def fields(self) -> dict[str, Any]:
        """Return the fields of the JSON output."""
        return asdict(self)


def versions(place: Path) -> list[Version]:
    """Return the versions of a bundle in ascending order. A flat bundle has one version without a number.

    Raises
    ------
    tulle.FileError
        If the folder is not a bundle.
    tulle.FormatError
        If the ``bundle.json`` of a version is damaged.
    """
    if is_flat(place):
        return [_version(place, "", is_used=True)]
    used, known = current(place), numbers(place)
    if not known:
        raise FileError(f"{place}: has no {BUNDLE}; legal: a complete folder that `tulle deploy` wrote")
    return [_version(folder_of(place, number), number, is_used=number == used) for number in known]


def _version(folder: Path, number: str, *, is_used: bool) -> Version:
    path = folder / BUNDLE
    mark = folder / PREVIOUS
    try:
        said = json.loads(read_text(path))
        seconds = (mark if mark.is_file() else path).stat().st_mtime
        return Version(
            number,
            in_use=is_used,
            was_used=is_used or not (folder / UNUSED).exists(),
            replaced=_line(folder / PREVIOUS),
            written=datetime.fromtimestamp(seconds).astimezone().isoformat(timespec="seconds"),
            why=_line(folder / WHY),
            target=str(said.get("target", "infiniband")),
            fabric=str(said["fabric"]),
            routing=str(said["routing"]),
            scheme=str(said["scheme"]),
            switches=int(said["switches"]),
            cables=int(said["cables"]),
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise FormatError(f"{path}: damaged; legal: as `tulle deploy` writes it") from None


def _line(path: Path) -> str:
    """Read a file of one line; empty if there is no such file."""
    try:
        return read_text(path).strip()
    except FileError:
        return ""


def replaced_by(folder: Path) -> Path | None:
    """Return the folder of the version that the version in `folder` replaced; None if it is unknown or deleted."""
    number = _line(folder / PREVIOUS)
    earlier = folder.parent / number
    return earlier if number and earlier.is_dir() else None


def rolled_back_from(folder: Path) -> str:
    """Return the number of the newest version of a bundle if a rollback has put the version in `folder` in use.

    The network may still have the newer version. Without a rollback, and for a version that is not in use, return an
    empty text. A newer version that was never in use, because a command was killed, does not count.
    """
    place = folder.parent.parent
    if folder.parent.name != VERSIONS or current(place) != folder.name:
        return ""
    newest = next(number for number in reversed(numbers(place)) if number == folder.name or _was_used(place, number))
    return newest if newest != folder.name else ""


def _was_used(place: Path, number: str) -> bool:
    """Return whether a version was ever in use. Versions of earlier releases have no mark, so they count as used."""
    return not (folder_of(place, number) / UNUSED).exists()


def follows_failure(folder: Path) -> bool:
    """Return whether the version in `folder` was made by a repair, or is one of several versions of its bundle."""
    is_alone = folder.parent.name != VERSIONS or len(numbers(folder.parent.parent)) == 1
    return not is_alone or _line(folder / WHY).startswith("repair")


def target_of(place: Path, to: str | None) -> str:
    """Return the number of the version that a rollback puts in use: `to`, or the one that the current version replaced.

    Raises
    ------
    tulle.InputError
        If this version does not exist, or is in use.
    """
    used, known = current(place), numbers(place)
    others = [number for number in known if number != used]
    if not others:
        raise InputError(
            f"{place}: there is no other version; legal: a bundle with several versions, for example after a repair"
        )
    legal = ", ".join(others[-_LISTED:])
    if to is None:
        number = _line(folder_of(place, used) / PREVIOUS) if used is not None else ""
        if number not in others:
            if number:
                problem = f"version {number}, which version {used} replaced, was deleted"
            else:
                problem = f"version {used} is the first one" if used else "no version is in use"
            raise InputError(f"{place}: {problem}; legal: {', '.join(f'--to {other}' for other in others[-_LISTED:])}")
        return number
    found = [number for number in known if to.isdecimal() and int(number) == int(to)]
    if not found or found[0] == used:
        problem = f"version {found[0]} is in use already" if found else f"there is no version {brief(to)}"
        raise InputError(f"--to {brief(to)}: {problem}; legal: {legal}")
    return found[0]


def loads_in_traffic(place: Path, number: str) -> bool:
    """Return whether switches and hosts can change to a version under traffic without the risk of a deadlock.

    They can in networks that drop packets. In lossless networks, mixtures of the two versions are not proved safe.
    """
    return all(
        version.target != "infiniband" and not version.scheme
        for version in versions(place)
        if version.in_use or version.version == number
    )


def roll_back(place: Path, to: str | None = None) -> str:
    """Put an earlier version in use, by the same rename as a new version. Return its number.

    Parameters
    ----------
    place
        The folder of the bundle.
    to
        The number of the version; None: the version that the current one replaced.

    Raises
    ------
    tulle.InputError
        If there is no such version.
    tulle.FileError, tulle.FormatError
        If a file of the version is missing or was changed, or the folder cannot be written.
    """
    target_of(place, to)
    with writing(place) as staged:
        number, used = target_of(place, to), current(place)
        folder = folder_of(place, number)
        files = manifest(folder)
        if not files:
            raise FormatError(f"{folder / BUNDLE}: damaged; legal: as `tulle deploy` writes it")
        check_files(folder, files, files)
        if used is not None and folder_of(place, used).is_dir():
            carry(folder_of(place, used), folder, staged)
        use(place, number, staged)
    return number


def delete_old(place: Path, keep: int) -> list[str]:
    """Delete all but the newest `keep` versions; never the version in use. Return the numbers of deleted versions.

    Raises
    ------
    tulle.FileError
        If the folder cannot be written.
    """
    with writing(place) as staged:
        used = current(place)
        gone = [number for number in numbers(place)[:-keep] if number != used]
        for number in gone:
            # A rename removes the whole version at once. The staging folder is deleted with its content afterwards.
            folder_of(place, number).rename(staged / number)
    return gone
