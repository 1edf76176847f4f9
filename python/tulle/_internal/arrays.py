"""Read arrays and durations that a caller passes, and make arrays of results read-only.

Each error message is one line.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tulle import _tulle
from tulle.errors import InputError

# The Rust extension initialises numpy's C interface at its first array. A Ctrl-C at that moment causes a panic. This
# call initialises it during the import, because the command line delays a Ctrl-C until an import has ended.
_tulle.arrow_stream(0, [("", "C", [np.empty(0, np.uint8)])])


def read_integers(
    name: str, values: ArrayLike, *, columns: int | None = None, scalar: bool = False
) -> NDArray[np.int64]:
    """Read whole numbers as an int64 array.

    The array has one dimension; with `columns`, it has two. With `scalar`, a single number is also legal; it gives an
    array without dimensions.
    """
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise InputError(f"{name} is not an array: {error}") from None
    if scalar and array.ndim == 0:
        return read_integers(name, array.reshape(1))[0:1].reshape(())
    if array.size == 0:
        array = array.astype(np.int64).reshape((0,) if columns is None else (0, columns))
    wanted = "(n,)" if columns is None else f"(n, {columns})"
    if array.ndim != (1 if columns is None else 2) or (columns is not None and array.shape[1] != columns):
        raise InputError(f"{name} has shape {array.shape}; legal: {wanted}")
    if not np.issubdtype(array.dtype, np.integer):
        raise InputError(f"{name} has dtype {array.dtype}; legal: whole numbers")
    if array.dtype == np.uint64 and array.size and int(array.max()) > np.iinfo(np.int64).max:
        raise InputError(f"{name}: {int(array.max())} is too large; legal: below 2^63")
    return np.ascontiguousarray(array, dtype=np.int64)


def read_sizes(name: str, values: ArrayLike | Sequence[str]) -> NDArray[np.int64]:
    """Read sizes as an int64 array in bytes: whole numbers or texts with units. One size gives a single number."""
    if isinstance(values, str):
        return read_sizes(name, [values]).reshape(())
    array = np.asarray(values)
    if array.dtype.kind in "UO":
        return np.array(
            [
                _tulle.read_size(name, value) if isinstance(value, str) else int(read_integers(name, [value])[0])
                for value in array.reshape(-1).tolist()
            ],
            dtype=np.int64,
        )
    return read_integers(name, array, scalar=True)


def read_numbers(name: str, values: ArrayLike, length: int | None = None) -> NDArray[np.float64]:
    """Read numbers as a float64 array of one dimension. With `length`, a single number is repeated `length` times."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (ValueError, TypeError):
        raise InputError(f"{name} is not an array of numbers") from None
    if array.ndim == 0 and length is not None:
        array = np.full(length, array)
    if array.ndim != 1 or (length is not None and len(array) != length):
        wanted = "(n,)" if length is None else f"one number or ({length},)"
        raise InputError(f"{name} has shape {array.shape}; legal: {wanted}")
    return np.ascontiguousarray(array)


def write_amount(name: str, value: float | str | ArrayLike) -> str:
    """Return an amount of failures in the syntax of a failure spec. `value` is a count, a text or ids."""
    if isinstance(value, str):
        # Quotes keep commas inside the text from ending the value.
        return '"{}"'.format(value.replace('"', '""'))
    if isinstance(value, (bool, np.bool_)):
        raise InputError(f"{name}={value} is not a number of failures; legal: a count, a text such as '5%', or ids")
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        # The number 1.0 means one failure, like the integer 1. To let everything fail, write the text 100%.
        return repr(float(value))
    if name == "links" and np.ndim(value) == 2:
        raise InputError(f"links looks like pairs of switches (shape {np.shape(value)}); legal: ids of cables, (n,)")
    ids = read_integers(name, value)
    return f"ids:{'+'.join(map(str, ids.tolist()))}" if len(ids) else "0"


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Make an array read-only, and return it."""
    array.setflags(write=False)
    return array


Durations = ArrayLike | timedelta | Sequence[str | timedelta]
"""One or many durations: texts with units (``"10us"``), timedeltas, or whole numbers of picoseconds."""

_PICOSECONDS = {"ps": 1, "ns": 10**3, "us": 10**6, "ms": 10**9, "s": 10**12}


def read_durations(name: str, values: Durations) -> NDArray[np.int64]:
    """Read durations as an int64 array in picoseconds, (n,). One duration gives an array without dimensions."""
    if isinstance(values, (str, timedelta)):
        return read_durations(name, [values]).reshape(())
    array = np.asarray(values)
    if array.dtype.kind == "m":
        return _from_numpy(name, array)
    if array.dtype.kind in "UO":
        times = [_picoseconds(name, value) for value in array.reshape(-1).tolist()]
        if wrong := [time for time in times if not 0 <= time < 1 << 63]:
            raise InputError(f"{name} contains a time of {wrong[0]} ps; legal: 0 to 2^63-1 ps")
        return np.array(times, dtype=np.int64)
    return read_integers(name, array, scalar=True)


def _picoseconds(name: str, value: Any) -> int:
    if isinstance(value, timedelta):
        return value // timedelta(microseconds=1) * _PICOSECONDS["us"]
    if isinstance(value, str):
        return _tulle.read_duration(name, value)
    return int(read_integers(name, [value])[0])


def _from_numpy(name: str, array: NDArray[Any]) -> NDArray[np.int64]:
    unit, step = np.datetime_data(array.dtype)
    if unit not in _PICOSECONDS:
        raise InputError(f"{name} has dtype {array.dtype}; legal: timedelta64 in {', '.join(_PICOSECONDS)}")
    counts, factor = array.astype(np.int64), _PICOSECONDS[unit] * step
    if np.isnat(array).any() or int(np.abs(counts).max(initial=0)) * factor >= 1 << 63:
        raise InputError(f"{name} contains NaT (not a time) or a duration that is too long; legal: below 2^63 ps")
    return counts * factor
