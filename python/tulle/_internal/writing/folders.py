"""Replace several entries of a folder atomically: if the program is killed, readers find all old or all new entries.

The new entries are prepared on the disk in a staging folder. One rename turns this folder into the pending update. If
the program is killed after the rename, the next program that reads or writes the folder completes the update.
"""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import shutil
from typing import TYPE_CHECKING

from tulle._internal.writing.atomic import CANNOT, STAGING, check_no_input, sync, sync_all
from tulle.errors import FileError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

__all__ = ["NEW", "commit", "recover"]

PENDING = ".tulle-update"
"""Name of the folder that holds a pending update."""
NEW = "new"
"""Name of the folder inside a staging folder from which `commit` takes the new entries."""

_OLD = "old"
_MOVES = "moves.json"


def commit(prepared: Path, directory: Path, entries: Sequence[str], gone: Iterable[str] = ()) -> None:
    """Move the entries of the folder ``new`` in the staging folder to `directory`, and remove the entries `gone`.

    Parameters
    ----------
    prepared
        A folder that `staging` made in `directory`.
    directory
        The folder whose entries are replaced.
    entries
        Paths of files or folders inside ``new``. The last entry tells readers that all entries are complete; it is
        absent while the other entries change.
    gone
        Entries of `directory` that the update removes.

    Raises
    ------
    tulle.FileError
        If an entry cannot be moved or removed.
    """
    new, gone = prepared / NEW, {*gone}
    for name in (*entries, *gone):
        check_no_input(directory / name)
    try:
        sync_all(path for path in new.rglob("*") if not path.is_symlink())
        moves = prepared / _MOVES
        moves.write_text(json.dumps({"put": [*entries], "gone": sorted(gone)}), encoding="utf-8")
        for path in (moves, new, prepared):
            sync(path)
        pending = directory / PENDING
        try:
            prepared.rename(pending)
            sync(directory)
            _carry_out(pending, directory)
        except KeyboardInterrupt:
            # The files of the folder are incomplete until the next command finishes the update. Users may open them.
            if os.path.lexists(pending):
                _carry_out(pending, directory)
            raise
    except OSError as error:
        raise FileError(f"{directory}: {error.strerror or error}") from None


def recover(directory: Path) -> None:
    """Finish an update of a program that was killed, or wait until a running update has ended.

    Raises
    ------
    tulle.FileError
        If the update cannot be finished, for example because the folder is read-only.
    """
    pending = directory / PENDING
    while os.path.lexists(pending):
        try:
            descriptor = os.open(pending, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except FileNotFoundError:
            return
        except OSError as error:
            raise FileError(f"{pending}: {error.strerror or error}; legal: a folder that tulle made") from None
        try:
            _lock(descriptor)
            # The program that held the lock may have finished the update.
            if os.path.lexists(pending) and os.path.samestat(os.fstat(descriptor), pending.stat()):
                _carry_out(pending, directory)
        except (OSError, ValueError, KeyError, TypeError) as error:
            why = error.strerror if isinstance(error, OSError) else error
            raise FileError(
                f"{directory}: an interrupted update of this folder cannot be finished: {why}; legal: a writable folder"
            ) from None
        finally:
            os.close(descriptor)


def _lock(descriptor: int) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    except OSError as error:
        if error.errno not in CANNOT:
            raise


def _carry_out(pending: Path, directory: Path) -> None:
    """Carry out the pending update. Skip entries that are already moved, so that an interrupted update can continue."""
    new, old = pending / NEW, pending / _OLD
    moves = json.loads((pending / _MOVES).read_text(encoding="utf-8"))
    *others, last = moves["put"]
    if os.path.lexists(new / last):
        _take_away(directory / last, old / last)
        for entry in others:
            if os.path.lexists(new / entry):
                _take_away(directory / entry, old / entry)
                (directory / entry).parent.mkdir(parents=True, exist_ok=True)
                (new / entry).rename(directory / entry)
        for entry in moves["gone"]:
            _take_away(directory / entry, old / entry)
        for folder in sorted({(directory / entry).parent for entry in (*others, *moves["gone"])}):
            if folder.is_dir():
                sync(folder)
        (new / last).rename(directory / last)
        sync(directory)
    done = directory / f"{STAGING}{secrets.token_hex(8)}"
    pending.rename(done)
    shutil.rmtree(done, ignore_errors=True)


def _take_away(path: Path, place: Path) -> None:
    if os.path.lexists(path):
        place.parent.mkdir(parents=True, exist_ok=True)
        path.rename(place)
