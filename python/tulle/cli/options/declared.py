"""Turn options that plug-ins declare into parameters of a function. Typer makes command-line options of them."""

from __future__ import annotations

from inspect import Parameter, Signature
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tulle.declarations import Option


def parameter(option: Option) -> Parameter:
    """Return the function parameter for a declared option."""
    if isinstance(option.type, tuple):
        kind: Any = Literal[option.type]
    else:
        kind = list[str] if option.type is list else option.type
    if option.default is None:
        kind = kind | None
    given = typer.Option(option.flag, metavar=option.metavar, help=option.help, min=option.least, max=option.most)
    return keyword(option.name, Annotated[kind, given], option.default)


def keyword(name: str, annotation: Any, default: Any = Parameter.empty) -> Parameter:
    """Return a parameter of a command. Without a default, the parameter is required."""
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def with_signature(
    function: Callable[..., None], parameters: Iterable[Parameter], *, doc: str | None = None
) -> Callable[..., None]:
    """Set the signature of a function that takes any keywords. Typer reads the command line by this signature.

    Parameters
    ----------
    function
        The function that runs the command. It is changed and returned.
    parameters
        The parameters of the command, in the order of the help.
    doc
        The help of the command. None means the docstring of the function.
    """
    parameters = list(parameters)
    function.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    function.__annotations__ = {each.name: each.annotation for each in parameters}
    function.__doc__ = function.__doc__ if doc is None else doc
    return function
