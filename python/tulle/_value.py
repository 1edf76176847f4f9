"""Results as values: they compare by what they hold, arrays included, and are copied and pickled whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cached_property
from types import GetSetDescriptorType, MethodDescriptorType
from typing import TYPE_CHECKING, Any

import numpy as np

from tulle.errors import TulleError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Recorded", "Value", "alike", "same_record"]


def alike(one: object, other: object) -> bool:
    """Whether two values hold the same: arrays of one type, shape and content, NaN equal to NaN."""
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
        return list(one) == list(other) and all(alike(one[name], other[name]) for name in one)
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(alike, one, other))
    return bool(one == other)


class Value:
    """A dataclass with ``eq=False`` that compares field by field, as `alike` does; arrays stay read-only in a copy."""

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        assert is_dataclass(self)
        names = [field.name for field in fields(self) if field.compare]
        return all(alike(getattr(self, name), getattr(other, name)) for name in names)

    __hash__ = None  # type: ignore[assignment]

    def __getstate__(self) -> dict[str, Any]:
        # What is computed on demand is computed anew.
        lazy = {name for name in vars(self) if isinstance(getattr(type(self), name, None), cached_property)}
        return {name: value for name, value in vars(self).items() if name not in lazy}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for value in state.values():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False
        vars(self).update(state)


class Recorded:
    """The answers of an object of the core, without it: its properties, and its methods without arguments.

    A method that refuses is refused again.
    """

    def __init__(self, said: dict[str, Any], called: frozenset[str]) -> None:
        self._said = said
        self._called = called

    @classmethod
    def of(cls, core: object) -> Recorded:
        """The record of a core; of a record itself."""
        if isinstance(core, Recorded):
            return core
        said: dict[str, Any] = {}
        called = set()
        for name, kind in vars(type(core)).items():
            if name.startswith("_"):
                continue
            if isinstance(kind, MethodDescriptorType):
                if "," in (getattr(kind, "__text_signature__", None) or ""):
                    # One that wants to be told something.
                    continue
                called.add(name)
                said[name] = _outcome(getattr(core, name))
            elif isinstance(kind, GetSetDescriptorType):
                said[name] = getattr(core, name)
        return cls(said, frozenset(called))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._said:
            raise AttributeError(name)
        value = self._said[name]
        if name not in self._called:
            return value

        def call() -> Any:
            if isinstance(value, TulleError):
                raise value
            return value

        return call

    def __reduce__(self) -> tuple[object, ...]:
        return Recorded, (self._said, self._called)


def _outcome(method: Callable[[], Any]) -> Any:
    try:
        return method()
    except TulleError as error:
        return error


def same_record(one: object, other: object, *, without: str = "") -> bool:
    """Whether two cores, or records of them, say the same, but for `without`."""
    first, second = Recorded.of(one)._said, Recorded.of(other)._said
    return first.keys() == second.keys() and all(
        name == without or _refused_alike(first[name], second[name]) or alike(first[name], second[name])
        for name in first
    )


def _refused_alike(one: object, other: object) -> bool:
    return isinstance(one, TulleError) and isinstance(other, TulleError) and str(one) == str(other)
