"""Check what a command replaces in its output folder.

A command may replace its earlier output for the same network. Everything else needs ``--force``.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from tulle._internal.text import counted, listed, verb
from tulle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tulle.cabling.plan import Plan
    from tulle.fabric import Fabric

Force = Annotated[
    bool,
    typer.Option(
        "--force",
        help="Replace files in the folder even if they belong to another fabric, tulle did not write them, or you have "
        "changed them; input files of the command are never replaced.",
    ),
]

CABLING = "cabling plan"
_BUNDLE = "bundle for "

# If a folder has one of these files, the key `format` in the file tells what the folder contains.
_FILES = ("bundle.json", "plan.json")
_CABLING_FORMAT = "tulle-cabling-plan-1"
# Families that read a file. Their specs do not identify a network, because the content of the file may have changed.
_READ = {"file", "edges"}

# Files and folders at the top level of a cabling plan.
_OF_CABLING = {"plan.json", "README.md", "cables.csv", "labels.csv", "diagrams", "exports", "SHA256SUMS"}
# Files that only some cabling plans have.
_OF_PLANS = {"port-maps.csv", "bill.csv"}


class _Existing(NamedTuple):
    """The contents of a folder that tulle wrote: a plan or a bundle of a network."""

    kind: str
    spec: str
    seed: Any
    faults: Any
    files: set[str]
    """The files and folders at the top level of the folder."""


def bundle_for(target: str) -> str:
    """Return the name of the bundle that ``tulle deploy`` writes for a target."""
    return f"{_BUNDLE}{target}"


def names_written(what: str, *, lossless: bool = False, repaired: bool = False) -> set[str]:
    """Return the files and folders at the top level of a plan or bundle.

    Parameters
    ----------
    what
        `CABLING`, or a result of `bundle_for`.
    lossless
        Whether the bundle assigns virtual channels.
    repaired
        Whether the bundle is a repaired bundle.
    """
    if what == CABLING:
        return _OF_CABLING
    from tulle.deploy.targets import target
    from tulle.deploy.versions.layout import CURRENT, VERSIONS

    of = target(what.removeprefix(_BUNDLE))
    files = {*of.files, *(of.lossless_files if lossless else ()), *(of.repaired_files if repaired else ())}
    return files | {CURRENT, VERSIONS}


def check_replaced(
    folder: Path,
    what: str,
    fabric: Fabric,
    *,
    force: bool,
    lossless: bool = False,
    repaired: bool = False,
    more: Iterable[str] = (),
    spec: str | None = None,
    source: Iterable[Path] = (),
) -> None:
    """Check that a command may replace the files of its output folder.

    The folder may contain earlier output of this kind for the same fabric, and files with other names. A folder
    without a bundle must be empty for a new bundle, except for names that start with a dot. With `force`, the command
    may replace everything except its own input files.

    Parameters
    ----------
    folder
        The output folder of the command.
    what
        The kind of output: `CABLING`, or a result of `bundle_for`.
    fabric
        The fabric of the new output.
    force
        Whether the user gave ``--force``.
    lossless, repaired
        Properties of the new bundle, see `names_written`.
    more
        Further files that the command writes.
    spec
        The spec of the fabric in the new bundle. None means the spec of `fabric`.
    source
        The bundles from which the new bundle is made.

    Raises
    ------
    tulle.InputError
        If the folder contains anything else that the command would replace, or a user has changed files of the plan or
        of the bundles.
    """
    from tulle._internal.writing.folders import recover
    from tulle.deploy.versions.layout import is_ours

    if folder.is_dir():
        recover(folder)
    names = names_written(what, lossless=lossless, repaired=repaired) | {*more}
    _check_inputs(folder, names)
    if force:
        return
    for place in dict.fromkeys((*source, folder)):
        _check_unchanged(place)
    found = _held(folder)
    own = set() if found is None else found.files
    foreign = [name for name in sorted(names - own) if _is_taken(folder / name) and not is_ours(folder, name)]
    if foreign:
        raise InputError(
            f"{folder / foreign[0]}: tulle did not write this file and would replace it; legal: a new or empty folder, "
            "or --force to replace it"
        )
    if found is None:
        if what != CABLING:
            _check_own_folder(folder)
        return
    spec = fabric.spec if spec is None else spec
    if (found.kind, found.spec) != (what, spec):
        raise InputError(
            f"{folder}: contains a {found.kind} of {found.spec}; legal: another folder, or --force to replace it"
        )
    # Cabling plans are compared by `check_plan_replaced`, because the new plan is not computed yet.
    if what != CABLING and _needs_look(found, fabric):
        _check_same(folder, found, _of_fabric(_fabric_of(folder)), _of_fabric(fabric), repaired=repaired)


def _check_own_folder(folder: Path) -> None:
    """Check that a folder without a bundle has no other files. Their names would be mixed with those of the bundle."""
    from tulle.deploy.versions.layout import is_ours

    names = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
    others = [
        name for name in names if not name.startswith(".") and not is_ours(folder, name) and _is_taken(folder / name)
    ]
    if others:
        raise InputError(
            f"{folder}: contains other files ({listed(others, 3)}) and no bundle; legal: a new or empty folder, or "
            "--force to write the bundle beside them"
        )


def _check_unchanged(folder: Path) -> None:
    """Check that no file of a plan or bundle was changed after tulle wrote it. The next one would lack the change."""
    from tulle.cabling import checksums
    from tulle.deploy.versions.layout import changed_files

    changed = [*changed_files(folder), *checksums.changed_files(folder)]
    if changed:
        raise InputError(
            f"{folder}: {listed(changed)} {verb(len(changed), 'was', 'were')} changed after tulle wrote "
            f"{verb(len(changed), 'it', 'them')}, and the new version would not have the changes; legal: the files as "
            "tulle wrote them, or --force, after you have copied your changes"
        )


def check_plan_replaced(folder: Path, fabric: Fabric, plan: Plan, *, force: bool) -> None:
    """Check that a cabling plan in the output folder, if there is one, describes the same network as the new plan.

    Raises
    ------
    tulle.InputError
        If the plan in the folder describes another network.
    """
    from tulle.cabling.plan_file import read_plan

    found = None if force else _held(folder)
    if found is None or not _needs_look(found, fabric):
        return
    held = read_plan(folder)
    is_direct = not held.joins and not plan.joins
    _check_same(folder, found, _of_plan(held, cables=is_direct), _of_plan(plan, cables=is_direct))


def _needs_look(found: _Existing, fabric: Fabric) -> bool:
    """Return whether the networks must be compared, because equal specs do not prove that they are equal."""
    is_damaged_alike = found.kind != CABLING or found.faults == fabric.faults
    return fabric.family in _READ or found.seed != fabric.seed or not is_damaged_alike


class _Parts(NamedTuple):
    """The devices and cables of a network, by name."""

    switches: Counter[str]
    cables: Counter[tuple[str, ...]]
    """Cables between switches, as the names of both ends."""
    endpoints: Counter[tuple[str, ...]]
    """Endpoint names, each with the name of its switch."""

    def holds(self, other: _Parts) -> bool:
        """Return whether this network contains all switches, cables and endpoints of another network."""
        return other.switches <= self.switches and other.cables <= self.cables and other.endpoints <= self.endpoints


def _of_fabric(fabric: Fabric) -> _Parts:
    labels = fabric.labels
    return _Parts(
        Counter(labels),
        Counter(tuple(sorted((labels[a], labels[b]))) for a, b in fabric.edges.tolist()),
        Counter(
            (name, labels[switch])
            for name, switch in zip(fabric.endpoint_names, fabric.endpoint_switch.tolist(), strict=True)
        ),
    )


def _of_plan(plan: Plan, *, cables: bool) -> _Parts:
    kinds = {device.name: device.kind for device in plan.devices}
    pairs = [tuple(sorted(name for name, _ in cable.ends)) for cable in plan.cables] if cables else []
    between = [pair for pair in pairs if all(kinds[name] == "switch" for name in pair)]
    ends = [pair for pair in pairs if any(kinds[name] == "endpoint" for name in pair)]
    ends += [(name,) for name, kind in kinds.items() if kind == "endpoint"]
    return _Parts(Counter(name for name, kind in kinds.items() if kind == "switch"), Counter(between), Counter(ends))


def _fabric_of(folder: Path) -> Fabric:
    """Return the fabric that is stored in a bundle."""
    from tulle import _tulle
    from tulle.fabric import Fabric

    return Fabric(_tulle.join_spec("file", [("edges", str(folder / "fabric.json"))]))


def _check_same(folder: Path, found: _Existing, held: _Parts, new: _Parts, *, repaired: bool = False) -> None:
    """Check that two networks are equal. If one is repaired, failed cables and switches may be missing in it."""
    if held == new or (repaired and (held.holds(new) or new.holds(held))):
        return
    sizes = f"{counted(held.switches.total(), 'switch', 'switches')} and {counted(held.cables.total(), 'cable')}"
    which = f"another {found.spec}"
    if found.kind == CABLING:
        damage = map(str, found.faults) if isinstance(found.faults, list) else ()
        which += f" ({'; '.join([f'seed {found.seed}', *damage])})"
    raise InputError(
        f"{folder}: contains a {found.kind} of {which}, which has {sizes} between switches; legal: another "
        "folder, or --force to replace it"
    )


def _is_taken(path: Path) -> bool:
    """Return whether replacing the path would lose data. An empty folder contains no data."""
    if path.is_dir() and not path.is_symlink():
        return any(path.iterdir())
    return os.path.lexists(path)


def _check_inputs(folder: Path, names: set[str]) -> None:
    """Check that the command does not replace a file that it reads."""
    from tulle.cli.terminal.inputs import Given, inputs

    here = Path(os.path.realpath(folder))
    for path in inputs(Given.parameters):
        place = Path(os.path.realpath(path))
        if place.is_relative_to(here) and (inside := place.relative_to(here).parts) and inside[0] in names:
            raise InputError(f"{path}: this command reads this file and would replace it; legal: -o another folder")


def _held(folder: Path) -> _Existing | None:
    for name in _FILES:
        try:
            said: Any = json.loads((folder / name).read_bytes())
        except (OSError, ValueError, RecursionError):
            continue
        if isinstance(said, dict) and (kind := _kind(said)):
            files: Mapping[str, Any] = said["files"] if isinstance(said.get("files"), dict) else {}
            own = {file.split("/")[0] for file in files} | {name}
            if kind == CABLING:
                from tulle.cabling.checksums import SUMS, recorded

                written = {file.split("/")[0] for file in recorded(folder)}
                own |= written | {SUMS} if written else _OF_CABLING | _OF_PLANS
            return _Existing(kind, str(said.get("fabric")), said.get("seed"), said.get("faults"), own)
    return None


def _kind(said: Mapping[str, Any]) -> str:
    """Return the kind of plan or bundle from the content of its main file; empty if tulle did not write the file."""
    if said.get("format") == _CABLING_FORMAT:
        return CABLING
    from tulle.deploy.targets import targets

    named = [target.name for target in targets() if target.format == said.get("format")]
    # A bundle file names its target only if several deploy targets share the file's format.
    return bundle_for(str(said.get("target", named[0]))) if named else ""
