"""Declarations of plug-ins: name, parameters, paper, limitations, examples."""

from __future__ import annotations

from typing import Any, TypedDict


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
