"""Look up Python plug-ins in the table of their modules, which are imported only when they are needed."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tulle.errors import InputError, TulleError

if TYPE_CHECKING:
    from collections.abc import Mapping


def find(
    modules: Mapping[str, str], name: str, attribute: str, unknown: str, error: type[TulleError] = InputError
) -> Any:
    """Return the plug-in called `name`: the `attribute` of its module.

    Raises
    ------
    tulle.TulleError
        `error` with the text `unknown` if no plug-in has this name.
    """
    if name not in modules:
        raise error(unknown)
    return getattr(import_module(modules[name]), attribute)
