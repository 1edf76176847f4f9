"""What plug-ins declare of themselves: names, parameters, papers, limitations, examples."""

from __future__ import annotations

from typing import Any, TypedDict


class Parameter(TypedDict):
    """One parameter of a registered thing."""

    name: str
    kind: dict[str, Any]
    """Its ``type`` (``integer``, ``word``, ``duration``, …), and what that has: ``min`` and ``max``, ``words``, …."""
    note: str
    """The legality beyond its type, in words."""
    legal: str
    """Type and note in words."""
    default: str
    """Empty where it must be given."""
    derived: bool
    """Whether the default is told in words, as it follows from other parameters."""
    help: str


class DeclaredParameter(TypedDict):
    """One parameter of a plug-in in Python."""

    name: str
    kind: dict[str, Any]
    default: str
    help: str


class Declaration(TypedDict):
    """What a plug-in in Python says of itself; the core reads its specs by it and makes its `Entry`."""

    name: str
    summary: str
    parameters: list[DeclaredParameter]
    paper: str
    limitations: str
    examples: list[str]


class Entry(TypedDict):
    """The description of a registered thing."""

    name: str
    summary: str
    parameters: list[Parameter]
    nested: bool
    paper: str
    limitations: str
    examples: list[str]


def integer(name: str, least: int, most: int, default: int | str, help: str, *words: str) -> DeclaredParameter:
    """A whole number in a range, or one of `words`."""
    kind: dict[str, Any] = {"type": "integer", "min": least, "max": most}
    for word in words:
        kind = {"type": "or", "word": word, "kind": kind}
    return DeclaredParameter(name=name, kind=kind, default=str(default), help=help)


def word(name: str, words: list[str], help: str) -> DeclaredParameter:
    """One of `words`; the first is the default."""
    return DeclaredParameter(name=name, kind={"type": "word", "words": words}, default=words[0], help=help)


def spec(name: str, of: str, default: str, help: str) -> DeclaredParameter:
    """The spec of something registered."""
    return DeclaredParameter(name=name, kind={"type": "spec", "of": of}, default=default, help=help)
