"""Read ``guid2lid``: the LIDs that OpenSM stores for ports."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from tulle.cabling.source import Source, check_end, shown

if TYPE_CHECKING:
    from os import PathLike

__all__ = ["read_guid2lid"]

_LINE = re.compile(r"0x([0-9a-fA-F]{1,16})\s+0x([0-9a-fA-F]{1,4})\s+0x([0-9a-fA-F]{1,4})\s*$")
_MOST = 0xBFFF


def read_guid2lid(path: str | PathLike[str]) -> dict[int, tuple[int, int]]:
    """Read a map from port GUID to first and last LID.

    Raises
    ------
    tulle.FileError
        For a file that cannot be read.
    tulle.FormatError
        For an invalid line, a repeated GUID or LID, or a number of LIDs that is not an aligned power of two.
    """
    source = Source(Path(path))
    found: dict[int, tuple[int, int]] = {}
    taken: dict[int, int] = {}
    for at, line in source.lines():
        if not line.strip():
            continue
        match = _LINE.match(line.strip())
        if match is None:
            raise source.error(
                at, f"{shown(line)} is not a line of guid2lid; legal: a port GUID, its first and its last LID"
            )
        guid, first, last = (int(part, 16) for part in match.groups())
        lids = last - first + 1
        if not 1 <= first <= last <= _MOST or lids & (lids - 1) or first % lids:
            raise source.error(
                at,
                f"LIDs {first} to {last} are not a legal range; legal: 2^LMC LIDs within 1 to {_MOST}, the first a "
                "multiple of 2^LMC",
            )
        if guid in found:
            raise source.error(at, f"port 0x{guid:016x} is listed twice; legal: every port once")
        for lid in range(first, last + 1):
            if lid in taken:
                raise source.error(at, f"LID {lid} of port 0x{taken[lid]:016x} is listed twice; legal: every LID once")
            taken[lid] = guid
        found[guid] = first, last
    check_end(source)
    return found
