"""Declarations of plug-ins: name, parameters, paper, limitations, examples."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from tulle._internal.text import did_you_mean
from tulle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class Parameter(TypedDict):
    """One parameter of a plug-in, as listed."""

    name: str
    kind: dict[str, Any]
    """Its ``type`` (``integer``, ``word``, ``duration``, …) and the type's details: ``min``, ``max``, ``words``, …."""
    note: str
    """Further restrictions, in words."""
    legal: str
    """Type and note in words."""
    default: str
    """Empty where it must be given."""
    derived: bool
    """Whether the default follows from other parameters and is therefore described in words."""
    help: str


class DeclaredParameter(TypedDict):
    """One parameter, as a Python plug-in declares it."""

    name: str
    kind: dict[str, Any]
    default: str
    help: str


class Declaration(TypedDict):
    """The declaration of a Python plug-in. The core reads specs by it and makes the `Entry` from it."""

    name: str
    summary: str
    parameters: list[DeclaredParameter]
    paper: str
    limitations: str
    examples: list[str]


class Entry(TypedDict):
    """The description of a plug-in, as ``tulle list`` shows it."""

    name: str
    summary: str
    parameters: list[Parameter]
    nested: bool
    paper: str
    limitations: str
    examples: list[str]


def integer(name: str, least: int, most: int, default: int | str, help: str, *words: str) -> DeclaredParameter:
    """Declare a whole number in a range, or one of `words`."""
    kind: dict[str, Any] = {"type": "integer", "min": least, "max": most}
    for word in words:
        kind = {"type": "or", "word": word, "kind": kind}
    return DeclaredParameter(name=name, kind=kind, default=str(default), help=help)


def word(name: str, words: list[str], help: str) -> DeclaredParameter:
    """Declare a choice among `words`; the first is the default."""
    return DeclaredParameter(name=name, kind={"type": "word", "words": words}, default=words[0], help=help)


def spec(name: str, of: str, default: str, help: str) -> DeclaredParameter:
    """Declare the spec of another plug-in, of the kind `of`."""
    return DeclaredParameter(name=name, kind={"type": "spec", "of": of}, default=default, help=help)


@dataclass(frozen=True)
class Option:
    """An option that a plug-in adds to its command; ``table_size`` is ``--table-size`` there."""

    name: str
    """The keyword under which the plug-in gets the value."""
    type: Any
    """``bool`` for a flag, ``int``, ``str``, ``Path``, ``list`` for texts that may be repeated, or the legal words."""
    help: str
    metavar: str | None = None
    """What help calls the value; None: the words, or the type."""
    default: Any = None
    """None: unset."""
    least: int | None = None
    most: int | None = None
    legal: str = ""
    """The legal values in words, if type and range do not tell them."""
    read: Callable[[Any], Any] | None = None
    """Turns the given value into the one that the plug-in gets."""

    @property
    def flag(self) -> str:
        """The option as users type it."""
        return f"--{self.name.replace('_', '-')}"

    def value(self, given: Any) -> Any:
        """The value that the plug-in gets.

        Raises
        ------
        tulle.InputError
            For a value out of range or an unknown word.
        """
        if given is None:
            return None
        if isinstance(self.type, tuple) and given not in self.type:
            raise InputError(f"{self.flag}={given} is unknown; legal: {', '.join(self.type)}")
        least, most = (given if end is None else end for end in (self.least, self.most))
        if self.type is int and not least <= given <= most:
            raise InputError(f"{self.flag}={given} is out of range; legal: {self._legal()}")
        return given if self.read is None else self.read(given)

    def parameter(self) -> Parameter:
        """The option as lists and schemas show it."""
        is_unset = self.default is None or self.default == ()
        return Parameter(
            name=self.flag.removeprefix("--"),
            kind=self._kind(),
            note="",
            legal=self._legal(),
            default="none" if is_unset else str(self.default).lower() if self.type is bool else str(self.default),
            derived=is_unset,
            help=self.help,
        )

    def _kind(self) -> dict[str, Any]:
        if isinstance(self.type, tuple):
            return {"type": "word", "words": list(self.type)}
        if self.type is int:
            ends = {"min": self.least, "max": self.most}
            return {"type": "integer", **{name: end for name, end in ends.items() if end is not None}}
        return {"type": {bool: "boolean", list: "list"}.get(self.type, "path" if self.type is Path else "text")}

    def _legal(self) -> str:
        if self.legal:
            return self.legal
        if isinstance(self.type, tuple):
            return ", ".join(self.type)
        if self.least is not None:
            return f"{self.least} or more" if self.most is None else f"{self.least} to {self.most}"
        words = {bool: "true, false", int: "a whole number", list: "a text; may be repeated", Path: "a file"}
        return words.get(self.type, "text")


@dataclass(frozen=True, kw_only=True)
class Plugin:
    """What a plug-in in Python that adds options to a command declares of itself."""

    name: str
    summary: str
    paper: str
    limitations: str
    examples: tuple[str, ...]
    options: tuple[Option, ...] = ()
    """The options that it adds."""

    @property
    def entry(self) -> Entry:
        """The entry of the registry."""
        return Entry(
            name=self.name,
            summary=self.summary,
            parameters=self.parameters(),
            nested=False,
            paper=self.paper,
            limitations=self.limitations,
            examples=list(self.examples),
        )

    def parameters(self) -> list[Parameter]:
        """The options as lists and schemas show them."""
        return [option.parameter() for option in self.options]

    def values(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The values of all options: those that are given, and the defaults of the others.

        Raises
        ------
        tulle.InputError
            For an option that the plug-in does not have, or a value that is not legal.
        """
        names = [option.name for option in self.options]
        for name in given:
            if name not in names:
                legal = did_you_mean(name, names) if names else "legal: none"
                raise InputError(f"{self.name}: unknown option '{name}'; {legal}")
        return {option.name: option.value(given.get(option.name, option.default)) for option in self.options}
