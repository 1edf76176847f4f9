"""Columns for Arrow's C stream interface: their types in its letters, their values as its buffers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tulle import _tulle
from tulle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

# numpy's kind and size of numbers in Arrow's letters.
_LETTERS = {
    "i1": "c",
    "u1": "C",
    "i2": "s",
    "u2": "S",
    "i4": "i",
    "u4": "I",
    "i8": "l",
    "u8": "L",
    "f2": "e",
    "f4": "f",
    "f8": "g",
}


def stream(columns: Mapping[str, NDArray[Any]]) -> object:
    """A capsule ``arrow_array_stream`` of one batch.

    Raises
    ------
    tulle.InputError
        For a column of neither numbers, truth values nor text.
    """
    rows = next((column.shape[0] for column in columns.values()), 0)
    return _tulle.arrow_stream(rows, [(name, *_column(name, column)) for name, column in columns.items()])


def _column(name: str, column: NDArray[Any]) -> tuple[str, list[NDArray[np.uint8]]]:
    letter = _LETTERS.get(column.dtype.str[1:])
    if letter is not None:
        return letter, [_bytes(column)]
    if column.dtype.kind == "b":
        return "b", [np.packbits(column, bitorder="little")]
    if column.dtype.kind == "U":
        texts = [text.encode() for text in column.tolist()]
        offsets = np.zeros(len(texts) + 1, np.int64)
        np.cumsum([len(text) for text in texts], out=offsets[1:])
        # Text with 64-bit offsets.
        return "U", [_bytes(offsets), np.frombuffer(b"".join(texts), np.uint8)]
    raise InputError(f"column '{name}' is of type {column.dtype}; legal for Arrow: numbers, truth values, text")


def _bytes(array: NDArray[Any]) -> NDArray[np.uint8]:
    return np.ascontiguousarray(array).view(np.uint8)
