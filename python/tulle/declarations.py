"""Declarations of plug-ins: name, parameters, paper, limitations, examples."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from tulle._internal.text import did_you_mean
from tulle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from typing_extensions import NotRequired


class Parameter(TypedDict):
    """One parameter of a plug-in, as ``tulle list`` and schemas show it."""

    name: str
    alias: str
    """Another key by which a spec may give the parameter; empty if there is none."""
    kind: dict[str, Any]
    """The ``type`` (``integer``, ``word``, ``duration``, …) and its details, for example ``min`` and ``words``."""
    note: str
    """Further restrictions, in words."""
    legal: str
    """The legal values, in words."""
    default: str
    """The default; empty if the parameter is required."""
    derived: bool
    """Whether there is no fixed default: it depends on other parameters, or is unset. `default` then describes it."""
    help: str


class DeclaredParameter(TypedDict):
    """The declaration of one parameter by a Python plug-in."""

    name: str
    kind: dict[str, Any]
    default: str
    help: str


class Declaration(TypedDict):
    """The declaration of a Python plug-in with specs. The Rust core uses it to read specs and to make the `Entry`."""

    name: str
    summary: str
    parameters: list[DeclaredParameter]
    paper: str
    limitations: str
    examples: list[str]
    aliases: NotRequired[list[str]]
    """Other names by which a spec may name the plug-in."""


class Entry(TypedDict):
    """The description of a plug-in, as ``tulle list`` shows it."""

    name: str
    aliases: list[str]
    """Other names by which a spec may name the plug-in."""
    summary: str
    parameters: list[Parameter]
    nested: bool
    paper: str
    limitations: str
    examples: list[str]


def integer(name: str, least: int, most: int, default: int | str, help: str, *words: str) -> DeclaredParameter:
    """Declare a parameter whose value is a whole number in a range, or one of `words`."""
    kind: dict[str, Any] = {"type": "integer", "min": least, "max": most}
    for word in words:
        kind = {"type": "or", "word": word, "kind": kind}
    return DeclaredParameter(name=name, kind=kind, default=str(default), help=help)


def word(name: str, words: list[str], help: str) -> DeclaredParameter:
    """Declare a choice among `words`; the first is the default."""
    return DeclaredParameter(name=name, kind={"type": "word", "words": words}, default=words[0], help=help)


def spec(name: str, of: str, default: str, help: str) -> DeclaredParameter:
    """Declare a parameter whose value is the spec of another plug-in, of the kind `of`."""
    return DeclaredParameter(name=name, kind={"type": "spec", "of": of}, default=default, help=help)


@dataclass(frozen=True)
class Option:
    """An option that a plug-in adds to its command. The name ``table_size`` becomes the option ``--table-size``."""

    name: str
    """The keyword with which the plug-in receives the value."""
    type: Any
    """``bool`` (a flag), ``int``, ``str``, ``Path``, ``list`` (an option that may be repeated), or the legal words."""
    help: str
    metavar: str | None = None
    """The name of the value in help texts. If None, help shows the legal words or the type."""
    default: Any = None
    """The default value; None means unset."""
    least: int | None = None
    most: int | None = None
    legal: str = ""
    """The legal values in words; empty if type and range describe them."""
    read: Callable[[Any], Any] | None = None
    """A function that converts the given value for the plug-in; None passes it unchanged."""

    @property
    def flag(self) -> str:
        """The option as users type it, for example ``--table-size``."""
        return f"--{self.name.replace('_', '-')}"

    def value(self, given: Any) -> Any:
        """Check a given value, and return the value that the plug-in receives.

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
        """Return the description of this option for lists and schemas."""
        is_unset = self.default is None or self.default == ()
        return Parameter(
            name=self.flag.removeprefix("--"),
            alias="",
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
    """The declaration of a Python plug-in that may add options to a command."""

    name: str
    summary: str
    paper: str
    limitations: str
    examples: tuple[str, ...]
    options: tuple[Option, ...] = ()
    """The options that the plug-in adds to its command."""

    @property
    def entry(self) -> Entry:
        """The entry of this plug-in in the registry."""
        return Entry(
            name=self.name,
            aliases=[],
            summary=self.summary,
            parameters=self.parameters(),
            nested=False,
            paper=self.paper,
            limitations=self.limitations,
            examples=list(self.examples),
        )

    def parameters(self) -> list[Parameter]:
        """Return descriptions of the options for lists of plug-ins and for schemas."""
        return [option.parameter() for option in self.options]

    def values(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values of all options. Options that are not given have their defaults.

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
