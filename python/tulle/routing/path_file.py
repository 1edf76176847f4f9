"""Explicit paths of switches, read from a text file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle._internal.reading import lines
from tulle.errors import FormatError

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from tulle.fabric import Fabric


def read_paths(fabric: Fabric, path: Path) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Read explicit paths from a text file; return offsets and channels for `Routing.from_paths`.

    Each line lists the switches of one path, for example ``0 1 2``. If several parallel cables lead to switch 1,
    ``1/k`` takes the k-th cable (from 0, in the order of channels), and ``1`` takes the first.

    Raises
    ------
    tulle.FileError, tulle.FormatError
        For a file that cannot be read, or a line that is not a path of the fabric.
    """
    import numpy as np

    targets, offsets, channels = fabric.channels, [0], []
    first = np.searchsorted(targets[:, 0], np.arange(fabric.num_switches + 1))
    for number, line in lines(path):
        words = line.split()
        if len(words) < 2:
            raise FormatError(f"{path}:{number}: {len(words)} switch; legal: two or more")
        at = _number(path, number, words[0], "switch", fabric.num_switches)
        seen = {at}
        for word in words[1:]:
            name, _, which = word.partition("/")
            to = _number(path, number, name, "switch", fabric.num_switches)
            row = np.arange(first[at], first[at + 1])
            there = row[targets[row, 1] == to]
            if not len(there):
                raise FormatError(
                    f"{path}:{number}: no cable from switch {at} to {to}; legal: consecutive switches are neighbours"
                )
            cable = _number(path, number, which, "parallel cable", len(there)) if which or word.endswith("/") else 0
            if to in seen:
                raise FormatError(f"{path}:{number}: the path visits switch {to} twice; legal: every switch once")
            seen.add(to)
            channels.append(int(there[cable]))
            at = to
        offsets.append(len(channels))
    if not channels:
        raise FormatError(f"{path}: no paths; legal: one path per line, for example 0 1 2")
    return np.array(offsets, dtype=np.int64), np.array(channels, dtype=np.int64)


def _number(path: Path, number: int, word: str, what: str, count: int) -> int:
    value = int(word) if word.isascii() and word.isdigit() else -1
    if not 0 <= value < count:
        raise FormatError(f"{path}:{number}: '{word[:60]}' is not a {what}; legal: 0 to {count - 1}")
    return value
