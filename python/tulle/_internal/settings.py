"""Functions whose keywords are options of a simulator, declared in the core."""

from __future__ import annotations

import inspect
from textwrap import indent, wrap
from typing import TYPE_CHECKING, Any, TypeVar

from tulle._internal.text import did_you_mean
from tulle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

F = TypeVar("F", bound="Callable[..., Any]")


def merge(
    defaults: Mapping[str, Any], typed: type, settings: Mapping[str, Any], named: Sequence[str] = ()
) -> dict[str, Any]:
    """Return `defaults` with `settings`, which are keys of the dictionary type `typed`.

    `named` are the function's other keywords, which a misspelt setting may mean.

    Raises
    ------
    tulle.InputError
        For an unknown setting.
    """
    for name in settings:
        if name not in typed.__annotations__:
            raise InputError(f"unknown setting '{name}'; {did_you_mean(name, [*typed.__annotations__, *named])}")
    return {**defaults, **settings}


def documented(typed: type, defaults: Mapping[str, Any], help: Mapping[str, str]) -> Callable[[F], F]:
    """Show the keys of the dictionary type `typed` in the signature and documentation of a function of ``**settings``.

    Type checkers read the types from `typed`; this is for `help` and interactive shells.
    """

    def decorate(function: F) -> F:
        signature = inspect.signature(function)
        shown = [
            inspect.Parameter(
                name, inspect.Parameter.KEYWORD_ONLY, default=defaults.get(name), annotation=str(annotation)
            )
            for name, annotation in _annotations(typed).items()
        ]
        kept = [each for each in signature.parameters.values() if each.kind is not inspect.Parameter.VAR_KEYWORD]
        function.__signature__ = signature.replace(parameters=[*kept, *shown])  # type: ignore[attr-defined]
        if function.__doc__:
            entries = "\n".join(_entry(each, help.get(each.name, "")) for each in shown if each.name in help)
            head, mark, rest = function.__doc__.partition("    settings\n")
            function.__doc__ = head + indent(entries, "    ") + "\n" + mark + rest if mark else function.__doc__
        return function

    return decorate


def _annotations(typed: type) -> dict[str, str]:
    """The types of the keys as they are written."""
    return {
        name: getattr(annotation, "__forward_arg__", str(annotation))
        for name, annotation in typed.__annotations__.items()
    }


def _entry(parameter: inspect.Parameter, help: str) -> str:
    lines = [parameter.name, *(f"    {line}" for line in wrap(f"{help} Default: {parameter.default!r}.", 108))]
    return "\n".join(lines)
