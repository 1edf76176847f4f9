"""Helpers for functions whose keywords are options of a simulator. The Rust core declares these options."""

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
    """Return `defaults` overridden by `settings`. Legal settings are the keys of the dictionary type `typed`.

    `named` lists the other keywords of the function that receives the settings. The error message about a misspelt
    setting may suggest one of them.

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
    """Return a decorator that adds the keys of `typed` to signature and docstring of a function with ``**settings``.

    The additions are for `help` and interactive shells. Type checkers read `typed` itself.
    """

    def decorate(function: F) -> F:
        signature = inspect.signature(function)
        # The Rust core gives the default of a mapping as an empty list of pairs, which is shown as None.
        values = {
            name: None if "Mapping" in annotation and not defaults.get(name) else defaults.get(name)
            for name, annotation in _annotations(typed).items()
        }
        shown = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=values[name], annotation=str(annotation))
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
    """Return the type of every key of the dictionary type, as its source text."""
    return {
        name: getattr(annotation, "__forward_arg__", str(annotation))
        for name, annotation in typed.__annotations__.items()
    }


def _entry(parameter: inspect.Parameter, help: str) -> str:
    lines = [parameter.name, *(f"    {line}" for line in wrap(f"{help} Default: {parameter.default!r}.", 108))]
    return "\n".join(lines)
