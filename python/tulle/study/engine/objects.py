"""Fabrics, routings and workloads as parameters of a study: specs that build or read the same objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tulle import _tulle
from tulle._internal.arguments import kind_of
from tulle._internal.reading import sha256
from tulle._internal.writing.atomic import put, staging
from tulle.errors import InputError, TulleError
from tulle.fabric import Fabric
from tulle.routing import Routing
from tulle.workload import Workload

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

Object = Fabric | Routing | Workload

# Parameter of a measurement -> the class of its objects.
_LEGAL: dict[str, type[Any]] = {"fabric": Fabric, "routing": Routing, "traffic": Workload}


def check(name: str, value: Object) -> None:
    """Check that the parameter `name` takes an object like `value`.

    Raises
    ------
    tulle.InputError
        If the parameter does not take such an object, or if a workload has steps that wait for other steps. A study
        stores workloads as tables of messages, which have no such steps.
    """
    if not isinstance(value, _LEGAL.get(name, ())):
        legal = f"tulle.{_LEGAL[name].__name__} or its spec" if name in _LEGAL else "texts, numbers, true or false"
        raise InputError(f"{name} is {kind_of(value)}; legal: {legal}")
    if isinstance(value, Workload) and (len(value.compute) or len(value.dependencies)):
        raise InputError(
            f"{name}: workload '{value.spec}' has steps that wait for other steps; legal: its spec instead"
        )


def as_spec(value: Object, seeds: Sequence[int], folder: Path) -> str:
    """Return a spec of the object.

    Routings and workloads become files. A fabric also becomes a file, unless its spec builds the same fabric with every
    seed.
    A file has the hash of its content in its name, so equal objects have one file, and no file ever changes.

    Raises
    ------
    tulle.FileError
        If the file cannot be written.
    """
    if isinstance(value, Fabric):
        if _is_built_by_spec(value, seeds):
            return value.spec
        return _file("edges", _stored(folder, "fabric", ".json", value.write))
    if isinstance(value, Routing):
        return f"@{_stored(folder, 'routing', '.tulle', value.save)}"
    return _file("messages", _stored(folder, "workload", ".csv", value.columns.write_csv))


def _file(key: str, path: Path) -> str:
    return _tulle.join_spec("file", [(key, str(path))])


def _is_built_by_spec(fabric: Fabric, seeds: Sequence[int]) -> bool:
    """Return whether the spec of the fabric builds this fabric with every seed, as families without randomness do.

    A file of the fabric would be equivalent for routing and simulation, but a file has no family, which some traffic
    patterns and layouts need.
    """
    if fabric.faults or fabric.links:
        return False
    try:
        return all(Fabric(fabric.spec, seed) == fabric for seed in seeds)
    except TulleError:
        # A fabric made from arrays has a spec that describes it, but from which it cannot be built.
        return False


def _stored(folder: Path, stem: str, suffix: str, write: Callable[[Path], object]) -> Path:
    with staging(folder) as temporary:
        file = temporary / f"{stem}{suffix}"
        write(file)
        named = file.with_name(f"{stem}-{sha256(file)[1][:16]}{suffix}")
        file.rename(named)
        if not (folder / named.name).exists():
            put([named], folder)
    return folder / named.name
