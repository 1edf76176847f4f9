"""Add a version to a bundle, and put a version in use by one rename.

The order of steps makes an interruption at any moment safe. A version is complete and on the disk before it gets its
number. Then the links that users open are made, and only then rename(2) replaces `CURRENT`. A program that is killed
leaves the old version or the new one in use, and perhaps a staging folder or an unused version, which the next command
ignores.
"""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from tulle._internal.reading import sha256
from tulle._internal.writing.atomic import staging, sync, sync_all
from tulle._internal.writing.folders import NEW, recover
from tulle._internal.writing.lock import locked
from tulle.deploy.bundle_header import BUNDLE
from tulle.deploy.versions.layout import (
    CURRENT,
    PREVIOUS,
    UNUSED,
    VERSIONS,
    WHY,
    current,
    entries,
    folder_of,
    is_flat,
    is_ours,
    manifest,
    numbers,
    root,
)
from tulle.errors import FileError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

__all__ = ["add_version", "because", "carry", "use", "writing"]

_DIGITS = 4
# A context variable, so that the writers of the targets need no parameter for the reason.
_WHY: ContextVar[str] = ContextVar("why", default="")


@contextmanager
def because(why: str) -> Iterator[None]:
    """Record why the versions that are added in the ``with`` block are made, in one line."""
    token = _WHY.set(" ".join(why.split()))
    try:
        yield
    finally:
        _WHY.reset(token)


@contextmanager
def writing(place: Path) -> Iterator[Path]:
    """Make a bundle's folder if it is missing, lock it, and make a staging folder in it for the ``with`` block.

    Raises
    ------
    tulle.FileError
        If the folder cannot be written, or another command is writing it.
    tulle.InputError
        If the folder is a version of a bundle.
    """
    root(place)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"{place}: {error.strerror or error}") from None
    with locked(place):
        recover(place)
        with staging(place) as staged:
            (staged / NEW).mkdir()
            yield staged


def add_version(staged: Path, place: Path) -> Path:
    """Make a new version of the bundle in the folder `NEW` of the staging folder, put it in use, and return its folder.

    Files that did not change are hard links to those of the previous version, so that they keep their modification
    times and need no space. Files that users added to the folders of the previous version, for example a compiled
    plug-in, are copied. If nothing has changed, no version is added.
    """
    new = staged / NEW
    if is_flat(place):
        _convert(staged, place)
    number = current(place)
    if number is not None and folder_of(place, number).is_dir():
        before = folder_of(place, number)
        _mark_used(before)
        is_same = _share(before, new, staged)
        # The links of the bundle's folder may be incomplete, for example if an earlier command was killed.
        _link(place, entries(before), staged)
        if is_same:
            _tidy(place, before, staged)
            return before
        carry(before, new, staged)
    (new / PREVIOUS).write_text(f"{number or ''}\n", encoding="ascii")
    (new / UNUSED).touch()
    if why := _WHY.get():
        (new / WHY).write_text(f"{why}\n", encoding="utf-8")
    known = numbers(place)
    number = f"{int(known[-1]) + 1 if known else 1:0{_DIGITS}}"
    _publish(new, place, number)
    use(place, number, staged)
    return folder_of(place, number)


def use(place: Path, number: str, staged: Path) -> None:
    """Put an existing version in use."""
    folder, before = folder_of(place, number), current(place)
    if before is not None and folder_of(place, before).is_dir():
        # A command may have put that version in use, and was killed before it removed the mark.
        _mark_used(folder_of(place, before))
    absent = (name for name in entries(folder) if not os.path.lexists(place / name))
    _link(place, absent, staged)
    sync(place)
    _switch(place, number, staged)
    _mark_used(folder)
    _tidy(place, folder, staged)


def _mark_used(folder: Path) -> None:
    """Remove the file that marks a version as never used."""
    if (folder / UNUSED).exists():
        (folder / UNUSED).unlink()
        sync(folder)


def _switch(place: Path, number: str, staged: Path) -> None:
    """Make `CURRENT` lead to a version. This single rename puts the version in use."""
    link = staged / CURRENT
    link.symlink_to(f"{VERSIONS}/{number}")
    link.rename(place / CURRENT)
    sync(place)


def _publish(made: Path, place: Path, number: str) -> None:
    """Give a complete folder its number, after its files are on the disk."""
    sync_all(path for path in made.rglob("*") if not path.is_symlink())
    sync(made)
    versions = place / VERSIONS
    versions.mkdir(exist_ok=True)
    made.rename(versions / number)
    sync(versions)


def _tidy(place: Path, folder: Path, staged: Path) -> None:
    """Make the links to all files of the version in use, and remove links to files that it does not have."""
    wanted = entries(folder)
    _link(place, wanted, staged)
    for name in sorted({entry.name for entry in os.scandir(place)} - wanted - {CURRENT, VERSIONS}):
        if is_ours(place, name):
            (place / name).unlink()
    sync(place)


def _link(place: Path, names: Iterable[str], staged: Path) -> None:
    """Make the links that users open. An existing folder is moved to the staging folder; a file is replaced."""
    for name in sorted(names):
        path = place / name
        if is_ours(place, name):
            continue
        if path.is_dir() and not path.is_symlink():
            path.rename(staged / f"folder-{name}")
        link = staged / f"link-{name}"
        link.symlink_to(f"{CURRENT}/{name}")
        link.rename(path)


def _share(before: Path, new: Path, staged: Path) -> bool:
    """Replace unchanged files by hard links, and return whether all files are unchanged."""
    old, sums = manifest(before), manifest(new)
    sums[BUNDLE] = old[BUNDLE] = sha256(new / BUNDLE)
    is_same = old.keys() == sums.keys()
    for name, wanted in sums.items():
        path = before / name
        if old.get(name) != wanted or not path.is_file() or path.is_symlink() or sha256(path) != wanted:
            is_same = False
            continue
        try:
            os.link(path, staged / "same")
        except OSError:
            # The file system has no hard links, or the file has too many. Keep the new file, whose content is the same.
            continue
        (staged / "same").rename(new / name)
    return is_same


def carry(before: Path, new: Path, staged: Path) -> None:
    """Copy files that users added to a version, if the other version has no file of the same name."""
    known = manifest(before)
    for path in sorted(before.rglob("*")) if known else ():
        name = path.relative_to(before).as_posix()
        there = new / name
        is_file = path.is_symlink() or path.is_file()
        if not is_file or name in known or name in (BUNDLE, PREVIOUS, UNUSED, WHY) or os.path.lexists(there):
            continue
        if any((new / part).is_file() for part in path.relative_to(before).parents):
            continue
        there.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, staged / "added", follow_symlinks=False)
        if not path.is_symlink():
            sync(staged / "added")
        (staged / "added").rename(there)


def _convert(staged: Path, place: Path) -> None:
    """Convert a flat bundle to a bundle with one version, which has the same files."""
    made = staged / "flat"
    made.mkdir()
    for name in sorted(entries(place)):
        path = place / name
        if path.is_dir():
            shutil.copytree(path, made / name, symlinks=True)
        elif path.is_file():
            shutil.copy2(path, made / name)
    (made / PREVIOUS).write_text("\n", encoding="ascii")
    known = numbers(place)
    number = f"{int(known[-1]) + 1 if known else 1:0{_DIGITS}}"
    _publish(made, place, number)
    _switch(place, number, staged)
    _link(place, entries(place / CURRENT), staged)
