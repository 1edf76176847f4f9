"""Results of finished runs, one file each, under the run's id."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import tulle
from tulle._internal.writing.atomic import replacing, sweep
from tulle.columns import Columns
from tulle.study.measurements.registry import Rows

if TYPE_CHECKING:
    from collections.abc import Callable

    from tulle.study.engine.plan import Run

_NOTE, _SUFFIX, _SECONDS = "note", ".npz", ".seconds"
STATES = ("there", "of another build", "not good", "missing")
"""What may be of a run: its rows of this build; of another one; a file that is damaged or something else; nothing."""
# Bytes of the checksum at the end of a piece.
_END = hashlib.sha256().digest_size


class Store:
    """A directory of pieces: ``<run id>.npz``, the columns of a run and a note of its figures, then their SHA-256.

    A piece is there where the whole of it was read, its checksum is right, and the configuration that it holds is the
    one that is asked for. It is reused only by the build of tulle that made it, so that work on tulle itself never
    meets old results.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def sweep(self) -> None:
        """Takes away what programs that were killed left unfinished."""
        sweep(self.directory, lambda name: name.startswith(".") and (f"{_SUFFIX}." in name or f"{_SECONDS}." in name))

    def missing(self, runs: list[Run], say: Callable[[str], object]) -> list[Run]:
        """Those of `runs` that are not there; every piece that is not good, and why, is one line to `say`."""
        missing, others = [], 0
        for run in runs:
            found = self._read(run)
            if isinstance(found, Rows):
                continue
            missing.append(run)
            if found is _OTHER_BUILD:
                others += 1
            elif found is not None:
                say(f"{self._path(run)}: {found}; the run is measured anew")
        if others:
            what = "run is" if others == 1 else "runs are"
            say(f"{self.directory}: {others} stored {what} of another build of tulle; measured anew")
        return missing

    def state(self, run: Run) -> str:
        """Which of `STATES` a run is in."""
        found = self._read(run)
        if isinstance(found, Rows):
            return "there"
        if found is None:
            return "missing"
        return "of another build" if found is _OTHER_BUILD else "not good"

    def find(self, run: Run) -> Rows | None:
        """The rows of a run that is there; None otherwise."""
        found = self._read(run)
        return found if isinstance(found, Rows) else None

    def _read(self, run: Run) -> Rows | str | None:
        """The rows of a run, what is wrong with its piece, or None where there is none."""
        path = self._path(run)
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            return f"cannot be read: {error.strerror or error}"
        whole, checksum = content[:-_END], content[-_END:]
        if hashlib.sha256(whole).digest() != checksum:
            return "damaged, as its checksum shows"
        try:
            with np.load(io.BytesIO(whole), allow_pickle=False) as piece:
                note = json.loads(str(piece[_NOTE]))
                if note["configuration"] != _text(run.configuration):
                    return f"it holds another run, of '{note['case']}'"
                if note["build"] != build():
                    return _OTHER_BUILD
                table = Columns({name: piece[name] for name in note["columns"]})
                return Rows(table, note["figures"], note["counters"])
        except (zipfile.BadZipFile, ValueError, KeyError, TypeError, EOFError):
            # Its checksum is right, but tulle did not make it.
            return "not a stored run"

    def seconds(self, run: Run) -> float | None:
        """The processor seconds of a run that is there; None where they are not known."""
        try:
            return float(self._path(run).with_suffix(_SECONDS).read_text(encoding="ascii"))
        except (OSError, ValueError):
            return None

    def keep(self, run: Run, rows: Rows, seconds: float | None) -> None:
        """Keeps the rows of a run and, beside them, the processor seconds that it took where they are known.

        Raises
        ------
        tulle.FileError
            If the system refuses.
        """
        note = {
            "build": build(),
            "case": run.case,
            "configuration": _text(run.configuration),
            "columns": list(rows.table),
            "figures": rows.figures,
            "counters": rows.counters,
        }
        columns: dict[str, Any] = dict(rows.table)
        whole = io.BytesIO()
        np.savez(whole, allow_pickle=False, **columns, **{_NOTE: np.array(json.dumps(note))})
        with replacing(self._path(run), follow=False) as file:
            file.write(whole.getbuffer())
            file.write(hashlib.sha256(whole.getbuffer()).digest())
        beside = self._path(run).with_suffix(_SECONDS)
        if seconds is None:
            beside.unlink(missing_ok=True)
            return
        with replacing(beside, follow=False) as file:
            file.write(f"{seconds:.3f}\n".encode("ascii"))

    def _path(self, run: Run) -> Path:
        return self.directory / f"{run.id}{_SUFFIX}"


# Bytes of a file that are read at a time.
_PART = 1 << 20
_OTHER_BUILD = "of another build of tulle"


def _text(configuration: object) -> str:
    """A configuration as a text that is equal where it is."""
    return json.dumps(configuration, sort_keys=True)


@cache
def build() -> str:
    """A hash of tulle as installed: its code, compiled and not."""
    digest = hashlib.sha256()
    root = Path(tulle.__file__).parent
    for path in sorted(root.rglob("*")):
        if path.suffix in {".py", ".so", ".pyd"}:
            digest.update(path.relative_to(root).as_posix().encode())
            with path.open("rb") as file:
                # Never whole: with all symbols the compiled part has hundreds of megabytes.
                for part in iter(lambda: file.read(_PART), b""):
                    digest.update(part)
    return digest.hexdigest()[:16]
