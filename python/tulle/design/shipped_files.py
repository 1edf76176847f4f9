"""Find the floors and price lists that tulle includes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tulle._internal.reading import read_toml
from tulle._internal.text import did_you_mean
from tulle.errors import InputError

if TYPE_CHECKING:
    from os import PathLike

__all__ = ["read_toml", "shipped"]

_HERE = Path(__file__).parent
_KINDS = ("floors", "prices")


def shipped(kind: str) -> list[str]:
    """Return the names of the files that tulle includes, of the kind ``floors`` or ``prices``.

    Raises
    ------
    tulle.InputError
        For a kind other than ``floors`` and ``prices``.

    Examples
    --------
    >>> import tulle
    >>> tulle.design.shipped("floors")
    ['clos', 'flattened-clos', 'standard']
    """
    if kind not in _KINDS:
        raise InputError(f"'{kind}' is not a kind of data; legal: {', '.join(_KINDS)}")
    return sorted(path.stem for path in (_HERE / kind).glob("*.toml"))


def find(kind: str, name: str | PathLike[str]) -> Path:
    """Return the path of an included file by its name, or the given path if it ends in ``.toml``.

    Raises
    ------
    tulle.InputError
        For a name that is neither an included file nor a ``.toml`` file.
    """
    if isinstance(name, str) and not name.endswith(".toml"):
        if name not in shipped(kind):
            word = "floor" if kind == "floors" else "price list"
            raise InputError(f"unknown {word} '{name}'; {did_you_mean(name, shipped(kind))}; or a .toml file")
        return _HERE / kind / f"{name}.toml"
    return Path(name)
