"""Explicit paths as lists of switches, as networkx yields them."""

from __future__ import annotations

from collections.abc import Iterable
from operator import index
from typing import TYPE_CHECKING, Any

import numpy as np

from tulle._internal.arguments import kind_of
from tulle._internal.text import counted
from tulle.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tulle.fabric import Fabric


def read_switches(fabric: Fabric, paths: Iterable[Iterable[Any]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the offsets and channels of paths that are given by their switches.

    Raises
    ------
    tulle.InputError
        For a path of fewer than two switches, an unknown switch, or a hop without a cable or with parallel cables.
    """
    switches = _Switches(fabric)
    each = [[switches.id(number, name) for name in path] for number, path in enumerate(_iterated("paths", paths))]
    lengths = np.array([len(path) for path in each], dtype=np.int64)
    if (short := np.flatnonzero(lengths < 2)).size:
        raise InputError(
            f"path {short[0]}: {counted(int(lengths[short[0]]), 'switch', 'switches')}; legal: two or more"
        )
    offsets = np.concatenate(([0], np.cumsum(lengths - 1)))
    source = np.array([switch for path in each for switch in path[:-1]], dtype=np.int64)
    target = np.array([switch for path in each for switch in path[1:]], dtype=np.int64)
    # Channels are sorted by source and target, so parallel channels are consecutive.
    keys = fabric.channels.astype(np.int64) @ [fabric.num_switches, 1]
    wanted = source * fabric.num_switches + target
    first, end = np.searchsorted(keys, wanted), np.searchsorted(keys, wanted, side="right")
    if (wrong := np.flatnonzero(end - first != 1)).size:
        at = int(wrong[0])
        number = int(np.searchsorted(offsets, at, side="right")) - 1
        _refuse(fabric, number, int(source[at]), int(target[at]), range(int(first[at]), int(end[at])))
    return offsets, first.astype(np.int64)


def _refuse(fabric: Fabric, number: int, source: int, target: int, cables: range) -> None:
    """Raise an error for a hop without a cable, or with parallel cables."""
    if cables:
        raise InputError(
            f"path {number}: {len(cables)} parallel cables from switch {source} to {target}; legal: channels= instead "
            f"of paths=, with one of the channels {', '.join(map(str, cables))}"
        )
    try:
        fabric.channel(source, target)
    except InputError as error:
        raise InputError(f"path {number}: {error}") from None


class _Switches:
    """A map from the names or ids that callers use to switch ids; each name is looked up once."""

    def __init__(self, fabric: Fabric) -> None:
        self._fabric = fabric
        self._known: dict[Any, int] = {}

    def id(self, number: int, name: Any) -> int:
        try:
            if name in self._known:
                return self._known[name]
            found = self._read(name)
        except TypeError:
            raise InputError(f"path {number}: {kind_of(name)}; legal: names or ids of switches") from None
        except InputError as error:
            raise InputError(f"path {number}: {error}") from None
        self._known[name] = found
        return found

    def _read(self, name: Any) -> int:
        try:
            switch = index(name)
        except TypeError:
            # networkx nodes can have any type; `Fabric.from_networkx` converts them to text for switch names.
            return self._fabric.switch(str(name))
        if not 0 <= switch < self._fabric.num_switches:
            raise InputError(f"switch {switch} is out of range; legal: 0 to {self._fabric.num_switches - 1}")
        # If the names of switches are numbers, as they can be after `Fabric.from_networkx`, an id can be another
        # switch's name.
        if self._fabric.labels[switch] != str(switch) and str(switch) in self._fabric.labels:
            named = self._fabric.labels.index(str(switch))
            raise InputError(
                f"{switch} is the id of switch '{self._fabric.labels[switch]}' and the name of switch {named}; legal: "
                f"names as texts, here '{self._fabric.labels[switch]}' or '{switch}'"
            )
        return switch


_LEGAL = "a list of paths, for example [path], each a list of switches by names or ids"


def _iterated(name: str, values: Any) -> Iterable[Iterable[Any]]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InputError(f"{name} is {kind_of(values)}; legal: {_LEGAL}")
    for number, path in enumerate(values):
        if isinstance(path, str) or not isinstance(path, Iterable):
            raise InputError(f"path {number} is {kind_of(path)}; legal: {_LEGAL}")
        yield path
