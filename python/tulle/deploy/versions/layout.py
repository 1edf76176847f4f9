"""The layout of a bundle's folder: which version is in use, which versions exist, and which entries tulle made.

A folder without `CURRENT` whose ``bundle.json`` is a regular file is a *flat* bundle. Earlier versions of tulle wrote
such folders. A copy of a bundle is such a folder too, if the copying program followed the symbolic links.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from tulle._internal.reading import read_text, sha256
from tulle._internal.text import tulle_command
from tulle._internal.writing.folders import recover
from tulle.deploy.bundle_header import BUNDLE
from tulle.errors import FileError, FormatError, InputError

__all__ = [
    "CURRENT",
    "PREVIOUS",
    "UNUSED",
    "VERSIONS",
    "WHY",
    "changed_files",
    "current",
    "entries",
    "folder_of",
    "in_use_instead",
    "is_flat",
    "is_ours",
    "manifest",
    "numbers",
    "opened",
    "root",
]

CURRENT = "current"
"""The symbolic link to the version in use."""
VERSIONS = "versions"
"""The folder of all versions."""
PREVIOUS = ".previous"
"""A file of a version's folder: the number of the version that it replaced."""
UNUSED = ".unused"
"""A file of a version's folder until the version is in use for the first time. If a command is killed before that, the
file stays.
"""
WHY = ".why"
"""A file of a version's folder: why the version was made, in one line; versions of earlier releases have none."""


def opened(place: Path) -> Path:
    """Return the folder with the files of the version in use. It stays the same if another version is put in use.

    Raises
    ------
    tulle.FileError, tulle.FormatError
        If no version is in use, or the version in use does not exist.
    """
    recover(place)
    number = current(place)
    if number is None:
        known = [] if is_flat(place) else numbers(place)
        if known:
            back = tulle_command("deploy", "rollback", place, "--to", known[-1])
            raise FileError(f"{place}: no version is in use; legal: first run `{back}`")
        return place
    folder = folder_of(place, number)
    if not folder.is_dir():
        others = numbers(place)
        legal = (
            f"first run `{tulle_command('deploy', 'rollback', place, '--to', others[-1])}`"
            if others
            else "a complete copy of the bundle"
        )
        raise FileError(f"{place / CURRENT}: version {number} is missing; legal: {legal}")
    return folder


def current(place: Path) -> str | None:
    """Return the number of the version in use; None if the folder has no link `CURRENT`.

    Raises
    ------
    tulle.FormatError
        If the link does not lead to a version.
    """
    try:
        text = (place / CURRENT).readlink()
    except OSError:
        return None
    folder, number = os.path.split(os.path.normpath(place / text))
    if folder != os.path.normpath(place / VERSIONS) or not number.isdecimal():
        raise FormatError(
            f"{place / CURRENT}: a link to '{text}'; legal: a link to a version, for example {VERSIONS}/0001"
        )
    return number


def folder_of(place: Path, number: str) -> Path:
    """Return the folder of a version."""
    return place / VERSIONS / number


def numbers(place: Path) -> list[str]:
    """Return the numbers of all versions in ascending order."""
    try:
        found = [entry.name for entry in os.scandir(place / VERSIONS) if entry.name.isdecimal() and entry.is_dir()]
    except OSError:
        return []
    return sorted(found, key=int)


def is_flat(place: Path) -> bool:
    """Return whether the folder is a bundle without numbered versions."""
    return not (place / CURRENT).is_symlink() and (place / BUNDLE).is_file() and not (place / BUNDLE).is_symlink()


def manifest(folder: Path) -> dict[str, tuple[int, str]]:
    """Return the files that ``bundle.json`` of any target lists, with sizes and SHA-256; empty if it is unreadable."""
    try:
        rows = json.loads(read_text(folder / BUNDLE))["files"]
        return {str(name): (int(row["bytes"]), str(row["sha256"])) for name, row in rows.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


def changed_files(folder: Path) -> list[str]:
    """Return the files of a bundle whose content differs from the one that tulle wrote, without missing files."""
    return [
        name for name, file in manifest(folder).items() if (folder / name).is_file() and sha256(folder / name) != file
    ]


def entries(folder: Path) -> set[str]:
    """Return the files and folders at the top level of a bundle."""
    return {name.split("/")[0] for name in manifest(folder)} | {BUNDLE}


def is_ours(place: Path, name: str) -> bool:
    """Return whether the entry `name` of a bundle's folder is a link or the folder of versions, as tulle makes them."""
    if name == VERSIONS:
        path = place / VERSIONS
        return path.is_dir() and not path.is_symlink() and all(each.name.isdecimal() for each in path.iterdir())
    try:
        text = str((place / name).readlink())
    except OSError:
        return False
    return text == (f"{CURRENT}/{name}" if name != CURRENT else f"{VERSIONS}/{Path(text).name}")


def in_use_instead(place: Path) -> Path | None:
    """Return the bundle of which `place` is a version that is not in use; None for all other folders."""
    bundle = place.parent.parent
    if place.parent.name != VERSIONS or not place.name.isdecimal() or current(bundle) in (None, place.name):
        return None
    return bundle


def root(place: Path) -> Path:
    """Check that `place` may hold versions, and return it.

    Raises
    ------
    tulle.InputError
        If `place` is a version itself.
    tulle.FileError
        If something else has the name of a version's link or folder.
    """
    real = Path(os.path.realpath(place))
    bundle = real.parent.parent
    if real.parent.name == VERSIONS and real.name.isdecimal() and (bundle / CURRENT).is_symlink():
        raise InputError(f"{place}: a version of {bundle}, which never changes; legal: {bundle}, or another folder")
    for name, is_right in ((CURRENT, Path.is_symlink), (VERSIONS, Path.is_dir)):
        path = place / name
        if os.path.lexists(path) and not is_right(path):
            raise FileError(
                f"{path}: not made by tulle; legal: a bundle copied with its symbolic links (cp -a, rsync -a)"
            )
    return place
