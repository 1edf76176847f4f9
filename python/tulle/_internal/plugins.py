"""Find Python plug-ins by name and call them. The module of a plug-in is imported when the plug-in is first used."""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from tulle._internal.arguments import kind_of
from tulle.errors import InputError, TulleError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

R = TypeVar("R")


def find(
    modules: Mapping[str, str], name: str, attribute: str, unknown: str, error: type[TulleError] = InputError
) -> Any:
    """Import the module that `modules` gives for the plug-in `name`, and return the module's `attribute`, the plug-in.

    Raises
    ------
    tulle.TulleError
        An exception of the class `error`. Its text is `unknown` if no plug-in has this name. Other texts are for a
        module that does not exist, lacks `attribute`, or declares the plug-in with wrong arguments.
    """
    if name not in modules:
        raise error(unknown)
    path = modules[name]
    try:
        module = import_module(path)
    except ModuleNotFoundError as missing:
        # If a module that the plug-in imports is missing, the original error names that module.
        if missing.name != path:
            raise
        raise error(f"plug-in '{name}': no module {path}; legal: the module that defines the plug-in") from None
    except TypeError as mistake:
        if (why := _wrong_arguments(mistake)) is None:
            raise
        raise error(f"plug-in '{name}' ({path}): {why}") from mistake
    if not hasattr(module, attribute):
        raise error(f"plug-in '{name}': {path} defines no {attribute}; legal: {attribute} = …, its declaration")
    return getattr(module, attribute)


def call(
    name: str, function: Callable[..., R], result: type[R], arguments: Mapping[str, Any], options: Mapping[str, Any]
) -> R:
    """Call a function of the plug-in called `name`. Return its result, which must be an object of the class `result`.

    The function gets the `arguments` by position and the `options` by name. Error messages show the names of both.

    Raises
    ------
    tulle.InputError
        If the function does not accept these arguments, calls a class of tulle with wrong arguments, or returns an
        object of another class.
    """
    own = getattr(function, "__name__", "function")
    where = f"plug-in '{name}': {own}"
    signature = inspect.signature(function)
    try:
        signature.bind(*arguments.values(), **options)
    except TypeError as mistake:
        legal = ", ".join([*arguments, *(["*", *options] if options else [])])
        raise InputError(f"{where}({_names(signature)}): {mistake}; legal: {own}({legal})") from None
    try:
        found = function(*arguments.values(), **options)
    except TypeError as mistake:
        if (why := _wrong_arguments(mistake)) is None:
            raise
        raise InputError(f"{where}(): {why}") from mistake
    if not isinstance(found, result):
        raise InputError(f"{where}() returns {kind_of(found)}; legal: an object of the class {result.__name__}")
    return found


def _names(signature: inspect.Signature) -> str:
    """Return the parameters of a signature as text, without types and defaults, so that messages stay short."""
    plain = [of.replace(annotation=of.empty, default=of.empty) for of in signature.parameters.values()]
    return str(inspect.Signature(plain))[1:-1]


def _wrong_arguments(mistake: TypeError) -> str | None:
    """Describe the wrong arguments if the error comes from a call of a tulle class; otherwise return None."""
    found = re.match(r"(?:.*\.)?(\w+)\.__init__\(\) (.*)", str(mistake))
    trace = mistake.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if found is None or trace is None:
        return None
    known = trace.tb_frame.f_locals.get(found[1]) or trace.tb_frame.f_globals.get(found[1])
    if not inspect.isclass(known):
        return None
    return f"{found[1]}() {found[2]}; legal: {found[1]}({_names(inspect.signature(known))})"
