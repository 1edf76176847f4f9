"""Make command-line options from the option declarations of the simulators."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from tulle import _tulle
from tulle.cli.options.complete import specs

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

F = TypeVar("F", bound="Callable[..., Any]")

# Kind of a declared option -> type in Python, and name of the value in help texts.
_KINDS: dict[str, tuple[Any, str]] = {
    "integer": (int, "N"),
    "number": (float, "X"),
    "fraction": (str, "SHARE"),
    "flag": (bool, ""),
    "rate": (str, "RATE"),
    "duration": (str, "TIME"),
    "bytes": (str, "BYTES"),
    "word": (str, "WORD"),
    "spec": (str, "SPEC"),
    "specs": (list[str], "SPEC"),
    "texts": (list[str], "NAME"),
    "counts": (list[str], "NAME=N"),
}
# Options with another flag than their name, because the command already has a flag of that name.
_FLAGS = {"saturation": "--saturation-rule"}
# Options whose help has two sentences, because the first one does not tell what the option changes.
_UNCLEAR = {"cycle_ps", "saturation"}
_PLURALS = {"policy": "policies", "fault": "faults-in-time"}


def declared(*simulators: str, skip: Collection[str] = ()) -> Callable[[F], F]:
    """Return a decorator for a command with ``**options``. It adds all options that `simulators` declare.

    Options in `skip` are not added. If two simulators declare one name, the declaration of the later simulator is used.
    """

    def decorate(function: F) -> F:
        options = {option["name"]: option for simulator in simulators for option in _tulle.simulator_options(simulator)}
        signature = inspect.signature(function, eval_str=True)
        # typer passes all options by name. A parameter of the command replaces a declared option of the same name.
        own = [each for each in signature.parameters.values() if each.kind is not inspect.Parameter.VAR_KEYWORD]
        names = {each.name for each in own} | {*skip}
        added = [_parameter(option) for name, option in options.items() if name not in names]
        place = next(
            (at for at, each in enumerate(signature.parameters.values()) if each.kind is inspect.Parameter.VAR_KEYWORD),
            len(own),
        )
        by_name = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in own]
        function.__signature__ = signature.replace(  # type: ignore[attr-defined]
            parameters=[*by_name[:place], *added, *by_name[place:]]
        )
        return function

    return decorate


def _parameter(option: dict[str, Any]) -> inspect.Parameter:
    """Return the parameter of a command for a declared option."""
    kind = option["kind"]["kind"] if option["kind"]["type"] == "or" else option["kind"]
    of, metavar = _KINDS[kind["type"]]
    default = option["value"]
    many = kind["type"] in ("specs", "texts", "counts")
    if default is None or many:
        default, of = None, of | None
    help = _sentence(option["help"], 2 if option["name"] in _UNCLEAR else 1)
    if kind["type"] == "spec":
        help = f"{help.removesuffix('.')}; see tulle list {_plural(kind['of'])}."
    elif many:
        help = f"{help} May be repeated."
    if kind["type"] == "word" and not all(word in help for word in kind["words"]):
        help = f"{help} Legal: {', '.join(kind['words'])}."
    given: dict[str, Any] = {"metavar": metavar} if metavar else {}
    if kind["type"] in ("spec", "specs"):
        given["autocompletion"] = specs(_plural(kind["of"]).replace("faults-in-time", "faults"))
    flag = _FLAGS.get(option["name"], "--" + option["name"].replace("_", "-"))
    annotation: Any = Annotated[of, typer.Option(flag, help=help, **given)]
    return inspect.Parameter(option["name"], inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _plural(kind: str) -> str:
    return _PLURALS.get(kind, f"{kind}s")


def _sentence(help: str, count: int = 1) -> str:
    """Return the first `count` sentences of a help text, without backticks."""
    return ". ".join(help.split(". ")[:count]).rstrip(".").replace("`", "") + "."
