"""Metrics, and reading their specs by the types of their parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tulle import _tulle
from tulle._arguments import canonical
from tulle.errors import SpecError
from tulle.registry import Parameter, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tulle._figures import Distribution, Figure
    from tulle.columns import Columns
    from tulle.fabric import Fabric
    from tulle.registry import Entry


@dataclass(frozen=True)
class Finding:
    """The result of a metric."""

    figures: Mapping[str, float | int | None]
    """Numbers of the fabric as a whole, by `Figure.key`."""
    rows: Columns | None = None
    """A row per item measured."""


@dataclass(frozen=True)
class Metric:
    """A registered metric."""

    entry: Entry
    figures: tuple[Figure, ...]
    """The figures that it finds, in order."""
    measure: Callable[..., Finding]
    """Measures a fabric under a seed; the parameters are keywords."""
    distributions: tuple[Distribution, ...] = ()
    """The distributions over its rows that a study may plot."""

    def parse(self, spec: str) -> tuple[str, Callable[[Fabric, int], Finding]]:
        """The canonical form of `spec`, and what measures.

        Raises
        ------
        tulle.SpecError
            For an unknown parameter or an illegal value.
        """
        name = self.entry["name"]
        known = {parameter["name"]: parameter for parameter in self.entry["parameters"]}
        given: dict[str, str] = {}
        for key, text in _tulle.split_spec(spec)[1]:
            if key not in known:
                hint = did_you_mean(key, list(known)) if known else "it takes none"
                raise SpecError(f"{name}: unknown parameter '{key}={text}'; {hint}")
            if key in given:
                raise SpecError(f"'{spec}': {key}= is given twice")
            given[key] = text
        values = {key: _read(name, parameter, given.get(key)) for key, parameter in known.items()}
        resolved = _tulle.join_spec(name, [(key, str(value)) for key, value in values.items()])
        return resolved, lambda fabric, seed: self.measure(fabric, seed, **values)


def integer(name: str, least: int, most: int, default: int | str, help: str, *words: str) -> Parameter:
    """A whole number in a range, or one of `words`."""
    kind: dict[str, Any] = {"type": "integer", "min": least, "max": most}
    for word in words:
        kind = {"type": "or", "word": word, "kind": kind}
    legal = ", ".join([f"{least} to {most}", *words])
    return _parameter(name, kind, legal, str(default), help)


def word(name: str, words: list[str], help: str) -> Parameter:
    """One of `words`; the first is the default."""
    return _parameter(name, {"type": "word", "words": words}, ", ".join(words), words[0], help)


def spec(name: str, of: str, default: str, help: str) -> Parameter:
    """The spec of something registered."""
    return _parameter(name, {"type": "spec", "of": of}, f"the spec of any {of}", default, help)


def _parameter(name: str, kind: dict[str, Any], legal: str, default: str, help: str) -> Parameter:
    return Parameter(name=name, kind=kind, note="", legal=legal, default=default, derived=False, help=help)


def _read(metric: str, parameter: Parameter, text: str | None) -> int | str:
    """The value of a parameter, by default its own."""
    text, kind = parameter["default"] if text is None else text, parameter["kind"]
    while kind["type"] == "or":
        if text == kind["word"]:
            return text
        kind = kind["kind"]

    def refused(problem: str) -> SpecError:
        return SpecError(f"{metric}: {parameter['name']}={text} {problem}; legal: {parameter['legal']}")

    if kind["type"] == "spec":
        return canonical(f"{kind['of']}s", kind["of"], text)
    if kind["type"] == "word":
        if text not in kind["words"]:
            raise refused("is not a choice")
        return text
    try:
        value = int(text)
    except ValueError:
        raise refused("is not a whole number") from None
    if not kind["min"] <= value <= kind["max"]:
        raise refused("is out of range")
    return value
