"""Folders that a command replaces: its own of the same fabric, and nothing else unless the user says so."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tulle.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    from tulle.fabric import Fabric

Force = Annotated[
    bool, typer.Option("--force", help="Replace what the folder holds, even of another fabric or another kind.")
]

CABLING = "cabling plan"
INFINIBAND = "bundle for infiniband"

# Files that tell what a folder is, the first one that is there; and the formats that they may have.
_FILES = ("bundle.json", "plan.json")
# The spec of all fabrics without a family or a file, as those of cabling plans: their sizes tell them apart.
_EDGES = "edges"
_FORMATS = {
    "tulle-infiniband-bundle-1": INFINIBAND,
    "tulle-ethernet-bundle-1": "bundle for {target}",
    "tulle-cabling-plan-1": CABLING,
}


def ethernet(target: str) -> str:
    """What a bundle of a target of Ethernet is called."""
    return _FORMATS["tulle-ethernet-bundle-1"].format(target=target)


def check_replaced(folder: Path, what: str, fabric: Fabric | str, *, force: bool) -> None:
    """That a folder holds nothing of tulle but an earlier `what` of the same fabric.

    Raises
    ------
    tulle.InputError
        For another one.
    """
    found = None if force else _held(folder)
    if found is None:
        return
    kind, spec, sizes, state = found
    wanted = fabric if isinstance(fabric, str) else fabric.spec
    is_same = (kind, spec) == (what, wanted)
    if is_same and not isinstance(fabric, str):
        is_same = (spec != _EDGES or sizes == _sizes(fabric)) and state in (None, _state(fabric.seed, fabric.faults))
    if is_same:
        return
    article = "an " if kind.startswith("i") else "a "
    which = spec if state is None else f"{spec} ({state})"
    raise InputError(f"{folder}: holds {article}{kind} of {which}; legal: another folder, or --force to replace it")


def _state(seed: Any, faults: Any) -> str:
    """What tells two fabrics of a spec apart, as errors name it."""
    return "; ".join([f"seed {seed}", *(map(str, faults) if isinstance(faults, list) else ())])


def _sizes(fabric: Fabric) -> list[Any]:
    return [fabric.num_switches, fabric.num_endpoints, fabric.num_cables]


def _held(folder: Path) -> tuple[str, str, list[Any], str | None] | None:
    """Kind, spec, sizes, and of cabling plans seed and faults."""
    from tulle._commit import recover

    if folder.is_dir():
        recover(folder)
    for name in _FILES:
        try:
            said: Any = json.loads((folder / name).read_bytes())
        except (OSError, ValueError, RecursionError):
            continue
        if isinstance(said, dict) and (kind := _FORMATS.get(str(said.get("format")))):
            sizes = [said.get(key) for key in ("switches", "endpoints", "cables")]
            state = _state(said.get("seed"), said.get("faults")) if kind == CABLING else None
            return kind.format(target=said.get("target")), str(said.get("fabric")), sizes, state
    return None
