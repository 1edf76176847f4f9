"""Reading times: texts with units, timedeltas, or whole numbers of picoseconds."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tulle import _tulle
from tulle._arrays import read_integers
from tulle.errors import InputError

Durations = ArrayLike | timedelta | Sequence[str | timedelta]
"""Times, one or many: texts with units (``"10us"``), timedeltas, or whole numbers of picoseconds."""

_PICOSECONDS = {"ps": 1, "ns": 10**3, "us": 10**6, "ms": 10**9, "s": 10**12}


def read_durations(name: str, values: Durations) -> NDArray[np.int64]:
    """Times as picoseconds, int64: a single one without dimension, or (n,)."""
    if isinstance(values, (str, timedelta)):
        return read_durations(name, [values]).reshape(())
    array = np.asarray(values)
    if array.dtype.kind == "m":
        return _from_numpy(name, array)
    if array.dtype.kind in "UO":
        times = [_picoseconds(name, value) for value in array.reshape(-1).tolist()]
        if any(not 0 <= time < 1 << 63 for time in times):
            raise InputError(f"{name} holds a time that is out of range; legal: 0 to 2^63-1 ps")
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
        raise InputError(f"{name} holds a time that is none or too long; legal: below 2^63 ps")
    return counts * factor
