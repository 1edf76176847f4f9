"""Paths in a study: written relative to the folder of the study file, used relative to the working directory."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from tulle import _tulle
from tulle.errors import SpecError
from tulle.study.measurements.parameters import InputFile, Spec

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tulle.study.measurements.parameters import Parameters

    P = TypeVar("P", bound=Parameters)

# If no plug-in of the first kind has the name in a spec, the spec belongs to the second kind. For example, the key
# `traffic` of the flit simulator also takes a traffic pattern of messages.
_OTHER_KIND = {"flit-traffics": "traffics"}


class Paths:
    """The paths of one study.

    A run is hashed with the paths as the study file has them, so the hash does not depend on the working directory.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._written: dict[str, str] = {}

    def locate(self, parameters: P) -> P:
        """Return the parameters with paths relative to the working directory; absolute paths stay absolute."""
        return _mapped(parameters, self._locate)

    def written(self, parameters: P) -> P:
        """Return the parameters with the paths of the study file; the inverse of `locate`."""
        return _mapped(parameters, self.name)

    def name(self, path: str) -> str:
        """Return a located path as the study file writes it."""
        if path in self._written:
            return self._written[path]
        # A canonical spec can name a file that the study does not name. It is in the folder of a file that the study
        # names.
        for located, written in self._written.items():
            if Path(located).parent == Path(path).parent:
                return str(Path(written).parent / Path(path).name)
        return path

    def missing(self) -> str | None:
        """Return the first located path that does not exist, as the study file writes it; None if all exist."""
        return next((written for located, written in self._written.items() if not Path(located).exists()), None)

    def _locate(self, path: str) -> str:
        located = str(self.folder / path)
        self._written[located] = path
        return located


def _mapped(parameters: P, change: Callable[[str], str]) -> P:
    """Return the parameters with `change` applied to every path in them."""
    changed: dict[str, object] = {}
    for name, field in type(parameters).model_fields.items():
        value = getattr(parameters, name)
        if isinstance(value, list):
            # Entries of lists are link rules or faults. Link rules have no paths; a fault can be @FILE.
            changed[name] = [_at(entry, change) if isinstance(entry, str) else entry for entry in value]
        for mark in field.metadata if isinstance(value, str) else ():
            if isinstance(mark, Spec):
                changed[name] = mapped_spec(mark.kind, value, change)
            elif isinstance(mark, InputFile) and value.endswith(mark.suffix):
                changed[name] = change(value)
    return parameters.model_copy(update=changed)


def _at(text: str, change: Callable[[str], str]) -> str:
    return f"@{change(text[1:])}" if text.startswith("@") else text


def mapped_spec(kind: str, spec: str, change: Callable[[str], str]) -> str:
    """Return a spec with `change` applied to its paths.

    A malformed spec is returned unchanged; a later step refuses it.
    """
    if spec.startswith("@"):
        return _at(spec, change)
    name, colon, rest = spec.partition(":")
    kinds = _kinds(kind, name)
    if not rest or not kinds:
        return spec
    if (nested := kinds.get("spec")) is not None:
        return f"{name}:{mapped_spec(_plural(nested), rest, change)}"
    try:
        _, arguments = _tulle.split_spec(spec)
    except SpecError:
        # The traffic `file` also has the form file:PATH.
        paths = [key for key, of in kinds.items() if of["type"] == "path"]
        return f"{name}{colon}{change(rest)}" if paths[:1] == ["messages"] and "=" not in rest else spec
    # Only `tulle throughput` has the form file:matrix=PATH, so it is no parameter of the traffic `file`.
    if kind == "traffics" and name == "file":
        kinds = {**kinds, "matrix": {"type": "path"}}
    return _tulle.join_spec(name, [(key, _argument(kinds.get(key), value, change)) for key, value in arguments])


def _argument(kind: Mapping[str, str] | None, value: str, change: Callable[[str], str]) -> str:
    if kind is None:
        return value
    return change(value) if kind["type"] == "path" else mapped_spec(_plural(kind), value, change)


def _kinds(kind: str, name: str) -> dict[str, Mapping[str, str]]:
    """Return the parameters of a plug-in that are paths or specs, by name; none for an unknown plug-in."""
    if kind not in _WITH_PATHS:
        return {}
    found = _of_all(kind).get(name)
    if found is None:
        return _kinds(_OTHER_KIND[kind], name) if kind in _OTHER_KIND else {}
    return found


@cache
def _of_all(kind: str) -> dict[str, dict[str, Mapping[str, str]]]:
    """Return the path and spec parameters of all plug-ins of a kind. A study of 1,000 runs needs them 10,000 times."""
    return {
        entry["name"]: {each["name"]: each["kind"] for each in entry["parameters"] if each["kind"]["type"] in _RELEVANT}
        for entry in _tulle.registered(kind)
    }


_RELEVANT = ("path", "spec")
_WITH_PATHS = ("fabrics", "traffics", "flit-traffics")


def _plural(kind: Mapping[str, str]) -> str:
    return f"{kind['of']}s"
