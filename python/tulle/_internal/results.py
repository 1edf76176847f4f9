"""Helpers for result objects: compare by content, copy, pickle, and export through Arrow's C stream interface."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cached_property
from types import GetSetDescriptorType, MethodDescriptorType
from typing import TYPE_CHECKING, Any

import numpy as np

from tulle import _tulle
from tulle._internal.html_summary import Shown
from tulle.errors import InputError, TulleError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray


def equal_content(one: object, other: object) -> bool:
    """Return whether two values have equal content. Equal arrays have the same type and shape; NaN equals NaN."""
    if one is other:
        return True
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        same = one.dtype == other.dtype and one.shape == other.shape
        return same and np.array_equal(one, other, equal_nan=one.dtype.kind in "fc")
    if isinstance(one, float) and isinstance(other, float):
        return one == other or (one != one and other != other)
    if type(one) is not type(other):
        return False
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return list(one) == list(other) and all(equal_content(one[name], other[name]) for name in one)
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(equal_content, one, other))
    return bool(one == other)


class Value(Shown):
    """Base of result classes, which are dataclasses with ``eq=False``.

    Two results are equal if `equal_content` accepts every pair of fields. If a result is copied or unpickled, the
    arrays of the new object are read-only.
    """

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        assert is_dataclass(self)
        names = [field.name for field in fields(self) if field.compare]
        return all(equal_content(getattr(self, name), getattr(other, name)) for name in names)

    __hash__ = None  # type: ignore[assignment]

    def __getstate__(self) -> dict[str, Any]:
        # A copy does not contain cached properties; it computes them again when needed.
        lazy = {name for name in vars(self) if isinstance(getattr(type(self), name, None), cached_property)}
        return {name: value for name, value in vars(self).items() if name not in lazy}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for value in state.values():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False
        vars(self).update(state)


class Recorded:
    """A recording of an object of the Rust core: its properties, and the results of its methods without arguments.

    A pickle contains the recording instead of the object, because the object cannot be pickled. If a method raised an
    error while it was recorded, the recorded method raises the same error.
    """

    def __init__(self, recorded: dict[str, Any], called: frozenset[str]) -> None:
        self._recorded = recorded
        self._called = called

    @classmethod
    def of(cls, core: object) -> Recorded:
        """Record an object of the Rust core. A recording is returned unchanged."""
        if isinstance(core, Recorded):
            return core
        recorded: dict[str, Any] = {}
        called = set()
        for name, kind in vars(type(core)).items():
            if name.startswith("_"):
                continue
            if isinstance(kind, MethodDescriptorType):
                if "," in (getattr(kind, "__text_signature__", None) or ""):
                    # The results of a method with arguments cannot be recorded.
                    continue
                called.add(name)
                recorded[name] = _outcome(getattr(core, name))
            elif isinstance(kind, GetSetDescriptorType):
                recorded[name] = getattr(core, name)
        return cls(recorded, frozenset(called))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._recorded:
            raise AttributeError(name)
        value = self._recorded[name]
        if name not in self._called:
            return value

        def call() -> Any:
            if isinstance(value, TulleError):
                raise value
            return value

        return call

    def __reduce__(self) -> tuple[object, ...]:
        return Recorded, (self._recorded, self._called)


def _outcome(method: Callable[[], Any]) -> Any:
    try:
        return method()
    except TulleError as error:
        return error


def same_record(one: object, other: object, *, without: str = "") -> bool:
    """Return whether two objects of the Rust core, or recordings of them, agree in all properties except `without`."""
    first, second = Recorded.of(one)._recorded, Recorded.of(other)._recorded
    return first.keys() == second.keys() and all(
        name == without or _same_refusal(first[name], second[name]) or equal_content(first[name], second[name])
        for name in first
    )


def _same_refusal(one: object, other: object) -> bool:
    return isinstance(one, TulleError) and isinstance(other, TulleError) and str(one) == str(other)


# numpy type -> Arrow's format letter.
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
    """Return the columns as one record batch, in a capsule named ``arrow_array_stream``.

    Raises
    ------
    tulle.InputError
        If a column contains something other than numbers, truth values or text.
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
        # U is Arrow's format letter for text with 64-bit offsets.
        return "U", [_bytes(offsets), np.frombuffer(b"".join(texts), np.uint8)]
    raise InputError(f"column '{name}' is of type {column.dtype}; legal for Arrow: numbers, truth values, text")


def _bytes(array: NDArray[Any]) -> NDArray[np.uint8]:
    return np.ascontiguousarray(array).view(np.uint8)
