"""Read lengths, times and powers that may have a unit. Numbers without a unit are metres, seconds or watts.

Values of specs always need a unit; the core reads them.
"""

from __future__ import annotations

import re
from math import isfinite
from numbers import Real
from typing import TYPE_CHECKING

from tulle._internal.text import brief, one_line
from tulle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["metres", "seconds", "watts"]

_NUMBER = re.compile(r"([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*([a-zA-Zµμ]*)", re.ASCII)
_METRES = {"m": 1.0, "cm": 0.01, "mm": 0.001, "km": 1000.0}
_SECONDS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ns": 1e-9, "min": 60.0, "h": 3600.0}
_WATTS = {"W": 1.0, "kW": 1000.0}


def metres(name: str, value: float | str) -> float:
    """Return a length in metres: a number, or a text like ``10m``, ``50cm`` or ``10``.

    Raises
    ------
    tulle.InputError
        For another value. The message names `name`, the value and the legal form.
    """
    return _read(name, value, "length", "metres, for example 10 or 10m", _METRES)


def seconds(name: str, value: float | str) -> float:
    """Return a time in seconds: a number, or a text like ``5s``, ``500ms``, ``2min`` or ``5``; errors as `metres`."""
    return _read(name, value, "time", "seconds, for example 5 or 5s", _SECONDS)


def watts(name: str, value: float | str) -> float:
    """Return a power in watts: a number, or a text like ``500W``, ``1.2kW`` or ``500``; errors as `metres`."""
    return _read(name, value, "power", "watts, for example 500 or 500W", _WATTS)


def _read(name: str, value: float | str, what: str, legal: str, units: Mapping[str, float]) -> float:
    if isinstance(value, Real) and not isinstance(value, bool):
        return float(value)
    error = InputError(f"{name}={brief(one_line(str(value)))} is not a {what}; legal: {legal}")
    found = _NUMBER.fullmatch(value.strip()) if isinstance(value, str) else None
    if found is None:
        raise error
    number, unit = float(found[1]), found[2]
    if (unit and unit not in units) or not isfinite(number):
        raise error
    # With division, 35cm is exactly 0.35. Multiplication by 0.01 would give 0.35000000000000003.
    factor = units.get(unit, 1.0)
    return number * factor if factor >= 1 else number / round(1 / factor)
