"""Reading arguments: seeds and arrays, each refused in one line."""

from math import isfinite
from operator import index
from pathlib import Path
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tulle import _tulle
from tulle._files import at_file, is_saved_routing
from tulle.errors import InputError, SpecError

# The binding looks numpy's interface up at its first array, which runs code of numpy's; what a Ctrl-C raises there is a
# panic. So that happens here: the command line holds a Ctrl-C back until an import is over.
_tulle.arrow_stream(0, [("", "C", [np.empty(0, np.uint8)])])


def read_seed(seed: SupportsIndex) -> int:
    """A seed: a whole number from 0 to 2⁶⁴ − 1."""
    try:
        value = index(seed)
    except TypeError:
        raise InputError(f"seed={seed!r} is not a whole number; legal: 0 to 2^64-1") from None
    if not 0 <= value < 1 << 64:
        raise InputError(f"seed={value} is out of range; legal: 0 to 2^64-1")
    return value


def canonical(kind: str, name: str, spec: str) -> str:
    """The canonical form of the spec that parameter `name` has, of what is registered under `kind`.

    A routing may be a file, as ``@FILE``; it stays as it is.
    """
    file = at_file(spec) if kind == "routings" else None
    if file is not None:
        # Refused here where it cannot be read.
        is_saved_routing(file)
        return spec
    try:
        return _tulle.canonical(kind, spec)
    except SpecError as error:
        raise SpecError(f"{name}: {error}") from None


def input_files(fabric: str, routing: str | None = None, traffic: str | None = None) -> list[Path]:
    """The files that a fabric, a routing and a traffic are read from."""
    files = [Path(path) for path in _tulle.input_files(fabric)]
    file = None if routing is None else at_file(routing)
    files += [] if file is None else [file]
    return files + ([] if traffic is None else [Path(path) for path in _tulle.traffic_files(traffic)])


def read_integers(
    name: str, values: ArrayLike, *, columns: int | None = None, scalar: bool = False
) -> NDArray[np.int64]:
    """An array of whole numbers as int64: one dimension (none for one number, where `scalar`), or two of `columns`."""
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


def read_numbers(name: str, values: ArrayLike, length: int | None = None) -> NDArray[np.float64]:
    """An array of numbers as float64, one dimension; where `length` is given, one number stands for that many."""
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


def read_gap(gap: float | str) -> float:
    """How far apart bounds may be, relative: a number above 0, or text as ``1%``."""
    legal = "legal: above 0, as 0.01 or 1%"
    text = str(gap).strip()
    try:
        value = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        raise SpecError(f"gap={gap} is not a number; {legal}") from None
    if not (isfinite(value) and value > 0):
        raise SpecError(f"gap={gap} is out of range; {legal}")
    return value


def write_amount(name: str, value: float | str | ArrayLike) -> str:
    """How many fail, as the text of faults has it."""
    if isinstance(value, str):
        # In quotes nothing in it can end the value.
        return '"{}"'.format(value.replace('"', '""'))
    if isinstance(value, (bool, np.bool_)):
        raise InputError(f"{name}={value} is no amount; legal: a count, a fraction, a text, or ids")
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        # A whole number counts parts, as 1 and 1.0; shares carry their %.
        return repr(float(value))
    if name == "links" and np.ndim(value) == 2:
        raise InputError(f"links has shape {np.shape(value)}, as pairs of switches have; legal: ids of cables, (n,)")
    ids = read_integers(name, value)
    return f"ids:{'+'.join(map(str, ids.tolist()))}" if len(ids) else "0"


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """The same array, read-only."""
    array.setflags(write=False)
    return array
