"""Read the description of a floor: a text, a mapping, the name of a built-in floor, or a TOML file."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path

from tulle import _tulle
from tulle.design.shipped_files import find, read_toml, shipped
from tulle.errors import FormatError, InputError, SpecError

__all__ = ["Floor", "read_floor"]

Floor = str | PathLike[str] | Mapping[str, str | int] | None
"""A floor: ``"column=2.5m,row=1.5m"``, ``{"column": "2.5m"}``, ``"clos"``, or the path of a ``.toml`` file."""


def read_floor(floor: Floor) -> str:
    """Return a floor in canonical form: ``key=value,…`` with all keys, except ``nics`` and ``host`` if they are 1.

    Raises
    ------
    tulle.SpecError
        For an unknown key or an illegal value.
    tulle.InputError
        For a value that is not a floor.
    tulle.FileError, tulle.FormatError
        For a file that cannot be read or is malformed.
    """
    if floor is None:
        return _tulle.read_floor("")
    if isinstance(floor, Mapping):
        return _tulle.read_floor(_text(floor))
    if isinstance(floor, str) and ("=" in floor or not floor.strip()):
        return _tulle.read_floor(floor)
    if not isinstance(floor, (str, PathLike)):
        raise InputError(
            f"floor={floor!r} is not a floor; legal: 'column=2m,row=1m', {{'column': '2m'}}, a name or a path"
        )
    path = find("floors", floor)
    try:
        return _tulle.read_floor(_text(read_toml(Path(path))))
    except (SpecError, InputError) as error:
        raise FormatError(f"{path}: {str(error).removeprefix('floor: ')}") from None


def with_hosts(text: str, nics_per_host: int | None, host_units: int | None) -> str:
    """Return a canonical floor with new endpoints per host and rack units per host; None keeps the floor's value.

    Raises
    ------
    tulle.SpecError
        For numbers out of range.
    """
    keys = dict(key.split("=") for key in text.split(","))
    for key, value in (("nics", nics_per_host), ("host", host_units)):
        if value is not None:
            keys[key] = str(value)
    return _tulle.read_floor(",".join(f"{key}={value}" for key, value in keys.items()))


def _text(keys: Mapping[str, object]) -> str:
    for key, value in keys.items():
        if not isinstance(value, (str, int)) or isinstance(value, bool) or {",", '"', "="} & {*str(value)}:
            raise InputError(f"{key}={value!r} is not a legal value; legal: a text like '2m', or a whole number")
    return ",".join(f"{key}={value}" for key, value in keys.items())


def known() -> list[str]:
    """Return the built-in floors."""
    return shipped("floors")
