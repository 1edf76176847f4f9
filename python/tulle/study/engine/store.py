"""The store of finished runs: one file per run, named by the run's id."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
import zlib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import tulle
from tulle._internal.writing.atomic import replacing, sweep
from tulle.columns import Columns
from tulle.errors import FileError
from tulle.study.measurements.registry import Rows

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from os import PathLike

    from tulle.study.engine.plan import Run

MANIFEST = "manifest.json"
"""The file of a run directory that lists its runs and files."""
_STORE = "pieces"
_NOTE, _SUFFIX, _SECONDS = "note", ".npz", ".seconds"
STATES = ("finished", "of another build", "damaged", "missing")
"""States of a run in the store: measured by this build, by another build, a damaged or foreign file, or missing."""
# Size in bytes of the checksum at the end of a stored run.
_END = hashlib.sha256().digest_size


class Store:
    """A directory of stored runs, each in ``<run id>.npz``: its columns, a note with its metrics, and their SHA-256.

    A stored run is used if the whole file can be read, its checksum is right and it has the requested configuration.
    Only the build of tulle that measured it may reuse it, so that developers never see results of older code.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    @classmethod
    def under(cls, out: str | PathLike[str]) -> Store:
        """Return the store in the directory `out`, which has the run directories of studies.

        Raises
        ------
        tulle.FileError
            If `out` is itself a run directory, or a store. Otherwise all runs would be measured again, into it.
        """
        folder = Path(out)
        try:
            is_run = '"study_folder"' in (folder / MANIFEST).read_text(encoding="utf-8")
        except (OSError, ValueError):
            is_run = False
        is_store = folder.name == _STORE and any(folder.glob(f"*{_SUFFIX}"))
        if is_run or is_store:
            what = "the run directory of a study" if is_run else "the folder of finished runs"
            raise FileError(f"{out}: {what}; legal: the folder that contains it, here {folder.parent}")
        return cls(folder / _STORE)

    def sweep(self) -> None:
        """Remove incomplete files of programs that were killed."""
        sweep(self.directory, lambda name: name.startswith(".") and (f"{_SUFFIX}." in name or f"{_SECONDS}." in name))

    def missing(self, runs: list[Run], say: Callable[[str], object]) -> list[Run]:
        """Return the runs without a usable result in the store.

        `say` is called with a line for each unusable file, which gives the reason, and with one line for all files of
        other builds.
        """
        missing, others = [], 0
        for run in runs:
            found = self._read(run)
            if isinstance(found, Rows):
                continue
            missing.append(run)
            if found is _OTHER_BUILD:
                others += 1
            elif found is not None:
                say(f"{self._path(run)}: {found}; the run is measured again")
        if others:
            what = "run is" if others == 1 else "runs are"
            say(f"{self.directory}: {others} stored {what} of another build of tulle; runs are measured again")
        return missing

    def state(self, run: Run) -> str:
        """Return the state of a run, one of `STATES`."""
        found = self._read(run)
        if isinstance(found, Rows):
            return "finished"
        if found is None:
            return "missing"
        return "of another build" if found is _OTHER_BUILD else "damaged"

    def find(self, run: Run) -> Rows | None:
        """Return the rows of a stored run, or None."""
        found = self._read(run)
        return found if isinstance(found, Rows) else None

    def get(self, run: Run) -> Rows:
        """Return the rows of a stored run.

        Raises
        ------
        tulle.FileError
            If the run is not in the store, because another program removed it.
        """
        found = self.find(run)
        if found is None:
            raise FileError(f"{self.directory}: run {run.id} was removed while the study ran; run the study again")
        return found

    def _read(self, run: Run) -> Rows | str | None:
        """Return the rows of a run, or None if it has no file. If the file is unusable, return the reason as a text."""
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
                return Rows(table, note["figures"], note["counters"], tuple(note["warnings"]))
        except (zipfile.BadZipFile, zlib.error, ValueError, KeyError, TypeError, EOFError):
            # The checksum is right, but tulle did not write this file.
            return "not a stored run"

    def seconds(self, run: Run) -> float | None:
        """Return the processor seconds of a stored run, or None if they are unknown."""
        try:
            return float(self._path(run).with_suffix(_SECONDS).read_text(encoding="ascii"))
        except (OSError, ValueError):
            return None

    def keep(self, run: Run, rows: Rows, seconds: float | None) -> None:
        """Store the rows of a run and, if known, its processor seconds.

        Raises
        ------
        tulle.FileError
            If the operating system refuses to write the file.
        """
        note = {
            "build": build(),
            "case": run.case,
            "configuration": _text(run.configuration),
            "columns": list(rows.table),
            "figures": rows.figures,
            "counters": rows.counters,
            "warnings": rows.warnings,
        }
        columns: dict[str, Any] = dict(rows.table)
        whole = _archive({**columns, _NOTE: np.array(json.dumps(note))})
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


def _archive(columns: Mapping[str, Any]) -> io.BytesIO:
    """Write arrays as `numpy.savez_compressed` does, but with zlib's fastest level.

    The flows of a large run then take a fifth of the space. The default level would save a quarter more, but take four
    times as long.
    """
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, values in columns.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
                np.lib.format.write_array(file, np.asanyarray(values), allow_pickle=False)
    return whole


# Files are read in parts of this many bytes.
_PART = 1 << 20
_OTHER_BUILD = "of another build of tulle"


def _text(configuration: object) -> str:
    """Write a configuration as a text; equal configurations give equal texts."""
    return json.dumps(configuration, sort_keys=True)


@cache
def build() -> str:
    """Hash the files of tulle: its Python files, compiled modules, and data such as price lists.

    Files that Python and other programs make while tulle is in use do not count. The included studies do not count
    either: runs have their own hashes, and ``tulle run --record`` changes the recorded results.
    """
    digest = hashlib.sha256()
    root = Path(tulle.__file__).parent
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root)
        if any(part == "__pycache__" or part.startswith(".") for part in name.parts) or name.parts[0] == "studies":
            continue
        if path.is_file() and path.suffix != ".pyc":
            digest.update(name.as_posix().encode())
            with path.open("rb") as file:
                # Files are read in parts, because a compiled module with debug symbols has hundreds of megabytes.
                for part in iter(lambda: file.read(_PART), b""):
                    digest.update(part)
    return digest.hexdigest()[:16]
