"""TOML files that people write: studies, price lists, floors."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any

from tulle._reading import read_text
from tulle.errors import FormatError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["read_toml"]

_LEVELS = 32
"""Tables and lists inside each other: no file of tulle's has more than a few, and Python cannot print thousands."""


def read_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file.

    Parameters
    ----------
    path
        The file.

    Raises
    ------
    tulle.FileError
        Where it cannot be read.
    tulle.FormatError
        Where it is no TOML; the message has line and column, as far as they are known.
    """
    try:
        content = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"^(.*) \(at line (\d+), column (\d+)\)$", str(error))
        where, problem = (f"{path}:{place[2]}:{place[3]}", place[1]) if place else (str(path), str(error))
        raise FormatError(f"{where}: {problem[:1].lower()}{problem[1:]}; legal: TOML") from None
    except RecursionError:
        raise FormatError(_too_deep(path)) from None
    level: list[Any] = [content]
    for _ in range(_LEVELS):
        inside = [value for parent in level for value in (parent.values() if isinstance(parent, dict) else parent)]
        level = [value for value in inside if isinstance(value, (dict, list))]
        if not level:
            return content
    raise FormatError(_too_deep(path))


def _too_deep(path: Path) -> str:
    return f"{path}: tables and lists are nested too deeply; legal: at most {_LEVELS} levels"
