"""What a metric is, and the arguments of its spec."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tulle import _tulle
from tulle.errors import SpecError
from tulle.registry import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tulle.columns import Columns
    from tulle.fabric import Fabric
    from tulle.registry import Entry


@dataclass(frozen=True)
class Finding:
    """What a metric found."""

    figures: Mapping[str, float | int | str | None]
    """Numbers of the fabric as a whole."""
    rows: Columns | None = None
    """A row per item measured."""


@dataclass
class Arguments:
    """The arguments of a metric's spec; a metric reads every parameter it has."""

    name: str
    given: Mapping[str, str]
    resolved: dict[str, str] = field(default_factory=dict)
    """Every parameter read so far, as canonical text."""

    def integer(self, parameter: str, least: int, most: int, default: int | str) -> int | str:
        """A whole number in a range; or the word that is the default."""
        text = self.given.get(parameter)
        words = [default] if isinstance(default, str) else []
        if text is None or text in words:
            return self._keep(parameter, default)
        legal = ", ".join([f"{least} to {most}", *words])
        try:
            value = int(text)
        except ValueError:
            raise SpecError(f"{self.name}: {parameter}={text} is not a whole number; legal: {legal}") from None
        if not least <= value <= most:
            raise SpecError(f"{self.name}: {parameter}={text} is out of range; legal: {legal}")
        return self._keep(parameter, value)

    def word(self, parameter: str, choices: Sequence[str]) -> str:
        """One of `choices`; the first is the default."""
        text = self.given.get(parameter, choices[0])
        if text not in choices:
            raise SpecError(f"{self.name}: {parameter}={text} is not a choice; legal: {', '.join(choices)}")
        return self._keep(parameter, text)

    def text(self, parameter: str, default: str) -> str:
        """Any text."""
        return self._keep(parameter, self.given.get(parameter, default))

    def _keep(self, parameter: str, value: T) -> T:
        self.resolved[parameter] = str(value)
        return value


@dataclass(frozen=True)
class Metric:
    """A registered metric."""

    entry: Entry
    read: Callable[[Arguments], Callable[[Fabric, int], Finding]]
    """Reads the arguments; what it answers measures a fabric under a seed."""

    def parse(self, spec: str) -> tuple[str, Callable[[Fabric, int], Finding]]:
        """The canonical form of `spec`, and what measures.

        Raises
        ------
        tulle.SpecError
            For an unknown parameter or an illegal value.
        """
        name = self.entry["name"]
        names = [parameter["name"] for parameter in self.entry["parameters"]]
        given: dict[str, str] = {}
        for key, value in _tulle.split_spec(spec)[1]:
            if key not in names:
                hint = did_you_mean(key, names) if names else "it takes none"
                raise SpecError(f"{name}: unknown parameter '{key}={value}'; {hint}")
            if key in given:
                raise SpecError(f"'{spec}': {key}= is given twice")
            given[key] = value
        arguments = Arguments(name, given)
        measure = self.read(arguments)
        return _tulle.join_spec(name, list(arguments.resolved.items())), measure


if TYPE_CHECKING:
    from typing import TypeVar

    T = TypeVar("T")
