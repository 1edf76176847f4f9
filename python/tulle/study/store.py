"""Results of finished runs, one file each, under the run's id."""

from __future__ import annotations

import hashlib
import json
import zipfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import tulle
from tulle._replacing import replacing
from tulle.columns import Columns
from tulle.study.measurement import Rows

if TYPE_CHECKING:
    from tulle.study.plan import Run

_NOTE = "note"


class Store:
    """A directory of pieces: ``<run id>.npz``, the columns of a run and a note of its figures.

    A piece is reused only by the build of tulle that made it, so that work on tulle itself never meets old results.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def has(self, run: Run) -> bool:
        """Whether a run finished before, under this build of tulle."""
        return self._read(run, columns=False) is not None

    def find(self, run: Run) -> Rows | None:
        """The rows of a run that finished before; None where it has not, or under another build of tulle."""
        return self._read(run, columns=True)

    def _read(self, run: Run, *, columns: bool) -> Rows | None:
        try:
            with np.load(self._path(run), allow_pickle=False) as piece:
                note = json.loads(str(piece[_NOTE]))
                if note["build"] != build():
                    return None
                names = note["columns"] if columns else []
                return Rows(Columns({name: piece[name] for name in names}), note["figures"], note["counters"])
        except FileNotFoundError:
            return None
        except (zipfile.BadZipFile, ValueError, KeyError, EOFError):
            # Not a piece, whatever put it there: it is measured again and replaced.
            return None

    def keep(self, run: Run, rows: Rows) -> None:
        """Keeps the rows of a run."""
        note = {
            "build": build(),
            "configuration": run.configuration,
            "columns": list(rows.table),
            "figures": rows.figures,
            "counters": rows.counters,
        }
        columns: dict[str, Any] = dict(rows.table)
        with replacing(self._path(run)) as file:
            np.savez(file, allow_pickle=False, **columns, **{_NOTE: np.array(json.dumps(note))})

    def _path(self, run: Run) -> Path:
        return self.directory / f"{run.id}.npz"


@cache
def build() -> str:
    """A hash of tulle as installed: its code, compiled and not."""
    digest = hashlib.sha256()
    root = Path(tulle.__file__).parent
    for path in sorted(root.rglob("*")):
        if path.suffix in {".py", ".so", ".pyd"}:
            digest.update(path.relative_to(root).as_posix().encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
