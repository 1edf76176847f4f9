"""Find the studies that tulle includes: the papers' studies, and the study of ``tulle demo``."""

from __future__ import annotations

import os
import shutil
from pathlib import Path, PurePosixPath

from tulle._internal.text import did_you_mean
from tulle._internal.writing.atomic import staging
from tulle._internal.writing.checks import check_folder
from tulle.errors import FileError, StudyError

__all__ = ["CLAIMS", "FOLDER", "copy_to", "find", "namesakes", "shipped"]

FOLDER = Path(__file__).parents[2] / "studies"
"""The folder of the included studies. In a checkout it is a link to the folder ``studies``."""
CLAIMS = ".claims.toml"
"""The suffix of claims files, which lie beside the studies but are not studies."""


def shipped() -> list[str]:
    """Return the names of the included studies, for example ``quickstart`` and ``fatpaths/figure-2``."""
    files = (path for path in FOLDER.rglob("*.toml") if not path.name.endswith(CLAIMS))
    return sorted(path.relative_to(FOLDER).with_suffix("").as_posix() for path in files)


def find(study: str | Path) -> Path:
    """Return the path of a study: of an existing file, or of an included study by its name.

    The name of an included study may start with ``studies/`` and end with ``.toml``, as in a checkout.

    Raises
    ------
    tulle.StudyError
        For a name that is neither an included study nor a ``.toml`` file.
    """
    path = Path(study)
    if (path / "manifest.json").is_file():
        raise StudyError(f"{path}: a run directory; legal: the file of its study; `tulle report` shows run directories")
    name = str(PurePosixPath(path.as_posix()).with_suffix("")) if path.suffix == ".toml" else path.as_posix()
    name = name.removeprefix("studies/")
    if path.is_file() or (path.exists() and name not in shipped()):
        return path
    if name in shipped():
        return FOLDER / f"{name}.toml"
    if path.suffix == ".toml":
        return path
    raise StudyError(f"no study '{name}'; {_hint(name)}")


def namesakes(name: str) -> list[str]:
    """Return the included studies whose names end with a name, for example ``fatpaths/figure-2`` for ``figure-2``."""
    return [each for each in shipped() if PurePosixPath(each).name == name]


def copy_to(folder: Path) -> None:
    """Copy all included studies, with their input files and recorded results, to a new folder.

    Raises
    ------
    tulle.FileError
        If the folder exists or cannot be written.
    """
    if os.path.lexists(folder):
        raise FileError(f"{folder}: it exists; legal: a new folder")
    check_folder(folder)
    with staging(folder.parent) as prepared:
        shutil.copytree(FOLDER, prepared / folder.name)
        (prepared / folder.name).rename(folder)


def _hint(name: str) -> str:
    names = shipped()
    if any(each.startswith(f"{name}/") for each in names):
        return f"legal: a .toml file, or a study that `tulle studies {name}` lists"
    if same := namesakes(name):
        return f"did you mean {' or '.join(same)}?"
    hint = did_you_mean(name, names)
    return hint if hint.startswith("did") else "legal: a .toml file, or a study that `tulle studies` lists"
