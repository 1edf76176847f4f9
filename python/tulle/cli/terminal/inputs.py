"""Find the input files of the running command, and refuse outputs that would replace them."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from tulle._internal.writing import atomic
from tulle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["TAKEN", "Given", "check_outputs", "inputs"]

TAKEN = "tulle.destinations"
"""The key of click's context under which `destination` records the output files: path -> option and parameter."""

# These parameters do not name input files, but output folders, the bundle that a repair replaces, or parts of a
# network, whose names may also be names of files.
_NO_INPUTS = {"out", "bundle", "to", "dead_cable", "dead_switch", "bind"}
# If the value of one of these parameters is a folder, the command reads all files in it.
_DUMPS = {"routes", "live", "fib", "frr", "ovs", "files"}
# A text that is a number, perhaps with a unit, names no file, even if there is a file of this name.
_NUMBER = re.compile(r"[\d.,]+[a-zA-Z%/]*$")


class Given:
    """The parameters of the running command, by name."""

    parameters: ClassVar[dict[str, Any]] = {}


def inputs(given: Mapping[str, Any]) -> Iterator[Path]:
    """Yield the input files and folders that the parameters of a command name."""
    for name, value in given.items():
        if name in _NO_INPUTS:
            continue
        for said in value if isinstance(value, (list, tuple)) else [value]:
            if isinstance(said, Path):
                yield said
                if name in _DUMPS and said.is_dir():
                    yield from said.iterdir()
            elif isinstance(said, str):
                yield from _files_of(said)


def check_outputs(meta: Mapping[str, Any], parameters: Mapping[str, Any]) -> None:
    """Check that no output file of a command is one of its input files, by any path. Record the input files.

    Parameters
    ----------
    meta
        The common data of click's contexts, in which `destination` has recorded the output files.
    parameters
        The parameters of the command.

    Raises
    ------
    tulle.InputError
        For such a file. No option allows to replace it.
    """
    outputs: dict[str, tuple[str, str]] = meta.get(TAKEN, {})
    written = {name for _, name in outputs.values()}
    given = {name: value for name, value in parameters.items() if name not in written}
    read = {os.path.realpath(path): path for path in inputs(given)}
    atomic.INPUTS.clear()
    atomic.INPUTS.update(read)
    for place, (option, _) in outputs.items():
        if place in read and Path(place).is_file():
            raise InputError(
                f"{read[place]}: this command reads this file, and {option} would replace it; legal: another file"
            )
    folders = [value for value in parameters.values() if isinstance(value, Path) and value.is_dir()]
    for folder in {Path(os.path.realpath(folder)): folder for folder in folders}.items():
        _check_kept(outputs, *folder)


def _check_kept(outputs: Mapping[str, tuple[str, str]], here: Path, folder: Path) -> None:
    """Check that no output replaces a file that belongs to the bundle in a folder."""
    try:
        said = json.loads((here / "bundle.json").read_bytes())
    except (OSError, ValueError):
        return
    from tulle.deploy.versions.layout import CURRENT, VERSIONS

    files = said.get("files") if isinstance(said, dict) else None
    # The files at the top level of a bundle are links to files of its versions.
    own = {*(name.split("/")[0] for name in files or ()), CURRENT, VERSIONS}
    for place, (option, _) in outputs.items():
        path = Path(place)
        if path.is_file() and path.is_relative_to(here) and path.relative_to(here).parts[0] in own:
            raise InputError(
                f"{folder}: this command reads this folder, and {option} would replace its file "
                f"{path.name}; legal: another file"
            )


def _files_of(said: str) -> Iterator[Path]:
    """Yield the files that a text names: a spec, ``@FILE``, ``NAME=FILE``, or the folder of a cabling plan."""
    from tulle import _tulle

    try:
        arguments = _tulle.split_spec(said)[1]
    except ValueError:
        arguments = []
    # A whole text without a dot or slash is a name, for example of a routing scheme.
    texts = [said, said.removeprefix("@"), said.partition("=")[2]]
    texts = [text for text in texts if "." in text or "/" in text or said.startswith("@") or Path(text).is_dir()]
    for text in (*texts, *(value for _, value in arguments if not _NUMBER.match(value))):
        path = Path(text)
        try:
            if not text:
                continue
            if path.is_dir():
                yield path / "plan.json"
            elif path.exists():
                yield path
                # The endpoints of an edge list may be in a second file.
                yield path.with_suffix(".nodes.csv")
        except (OSError, ValueError):
            continue
