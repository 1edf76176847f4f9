"""Turn options that plug-ins declare into parameters of a function, from which typer makes the command line."""

from __future__ import annotations

from inspect import Parameter, Signature
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tulle.declarations import Option


def parameter(option: Option) -> Parameter:
    """Return the parameter of a declared option."""
    if isinstance(option.type, tuple):
        kind: Any = Literal[option.type]
    else:
        kind = list[str] if option.type is list else option.type
    if option.default is None:
        kind = kind | None
    given = typer.Option(option.flag, metavar=option.metavar, help=option.help, min=option.least, max=option.most)
    return keyword(option.name, Annotated[kind, given], option.default)


def keyword(name: str, annotation: Any, default: Any = Parameter.empty) -> Parameter:
    """Return a parameter of a command; without a default it is required."""
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def with_signature(
    function: Callable[..., None], parameters: Iterable[Parameter], *, doc: str | None = None
) -> Callable[..., None]:
    """Give a function that takes any keywords the parameters by which typer reads the command line.

    Parameters
    ----------
    function
        It becomes the command.
    parameters
        Its parameters, in the order of the help.
    doc
        The help of the command; None: the function's docstring.
    """
    parameters = list(parameters)
    function.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    function.__annotations__ = {each.name: each.annotation for each in parameters}
    function.__doc__ = function.__doc__ if doc is None else doc
    return function
