"""Read forwarding tables: output of ``dump_fts`` or ``dump_lfts``, ``opensm-lfts.dump``, or the file for OpenSM."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tulle._internal.arrays import frozen
from tulle._internal.results import Value
from tulle.deploy.read.lines import ends_whole, hexadecimal, lines_of
from tulle.errors import FormatError

if TYPE_CHECKING:
    from os import PathLike

    from numpy.typing import NDArray

    from tulle.deploy.read.lines import Lines

__all__ = ["NO_PORT", "Lfts", "read_lfts"]

NO_PORT = 255
"""The port number in tables that means that the switch does not forward the LID."""

_LIDS = 0xC000
_HEAD = re.compile(
    r"Unicast lids \[(?:0x)?0-(?:0x)?[0-9a-fA-F]{1,5}\] of switch (?P<where>.*?) ?guid 0x(?P<guid>[0-9a-fA-F]{1,16}) "
    r"\((?P<name>.*)\):?\s*$"
)
_TAIL = re.compile(r"(?P<count>\d{1,5}) (?P<valid>valid )?lids dumped\s*$")
_OTHER = re.compile(r"\s*$|\s*#|\s*Lid\s+Out\s+Destination|\s*Port\s+Info|\s*\*\*\* WARNING")
_LEGAL = "switches and their LIDs with ports, as in the output of dump_fts, in opensm-lfts.dump or in a bundle's lfts"


@dataclass(frozen=True, eq=False)
class Lfts(Value):
    """Linear forwarding tables."""

    guids: NDArray[np.uint64]
    """The node GUID of every switch, ascending, uint64 (switches,)."""
    ports: NDArray[np.uint8]
    """The output port by switch and LID, uint8 (switches, top LID + 1); `NO_PORT` if the switch does not forward the
    LID."""
    names: tuple[str, ...]
    """The names of the switches."""

    @property
    def entries(self) -> int:
        """The number of LIDs with a port, over all switches."""
        return int(np.count_nonzero(self.ports != NO_PORT))


def read_lfts(path: str | PathLike[str]) -> Lfts:
    """Read forwarding tables.

    Raises
    ------
    tulle.FileError
        For a file that cannot be read.
    tulle.FormatError
        For a line of another format, a repeated LID or switch, or a truncated file.
    """
    path = Path(path)
    tables = _Tables(path)
    for lines in lines_of(path):
        tables.take(lines)
    return tables.done()


class _Tables:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.place: dict[int, int] = {}
        self.names: list[str] = []
        self.rows: list[NDArray[np.uint8]] = []
        self.here = -1
        self.count = 0
        self.unreachable = 0
        """The number of LIDs of the current block that the switch does not forward."""
        self.open = False
        self.tails = 0
        self.wants_tail = False
        self.gaps = 0
        self.gap = False
        """Whether the current block ended with an empty line, as blocks do in files for OpenSM."""

    def take(self, lines: Lines) -> None:
        """Parse runs of LID lines with array operations, and other lines one by one."""
        head = lines.heads(11)
        entry = (head[:, 0] == ord("0")) & (head[:, 1] == ord("x"))
        lids, good = hexadecimal(head[:, 2:6])
        digits = head[:, 7:10].astype(np.int32) - 48
        good &= (lines.ends - lines.starts >= 10) & (head[:, 6] == ord(" "))
        good &= ((digits >= 0) & (digits <= 9)).all(axis=1) & np.isin(head[:, 10], (32, 10, 13))
        ports = digits[:, 0] * 100 + digits[:, 1] * 10 + digits[:, 2]
        # dump_fts writes port 255 for LIDs that the switch does not forward.
        good &= (lids < _LIDS) & (ports <= NO_PORT)
        wrong = np.flatnonzero(entry & ~good)
        if len(wrong):
            raise lines.unexpected(int(wrong[0]), "0xLID PORT, four hexadecimal and three decimal digits")
        others = np.flatnonzero(~entry)
        before = 0
        for at in (*others.tolist(), len(entry)):
            if at > before:
                self._entries(lines, before, lids[before:at], ports[before:at])
            if at < len(entry):
                self._other(lines, at)
            before = at + 1

    def _entries(self, lines: Lines, at: int, lids: NDArray[np.uint32], ports: NDArray[np.int32]) -> None:
        if not self.open:
            raise lines.error(at, "a LID without its switch; legal: LIDs after the line of their switch")
        row = self.rows[self.here]
        twice = row[lids] != NO_PORT
        twice[1:] |= lids[1:] == lids[:-1]
        row[lids] = ports
        if twice.any() or (np.any(lids[1:] < lids[:-1]) and len(np.unique(lids)) < len(lids)):
            raise lines.error(at, f"LIDs of switch {self.names[self.here]} are listed twice; legal: every LID once")
        self.count += len(lids)
        self.unreachable += int(np.count_nonzero(ports == NO_PORT))

    def _other(self, lines: Lines, at: int) -> None:
        content = lines.text(at)
        if match := _HEAD.match(content):
            self._check_tail(lines, at)
            guid, name = int(match["guid"], 16), match["name"].strip("'")
            if guid in self.place:
                raise lines.error(at, f"switch 0x{guid:016x} is listed twice; legal: every switch once")
            self.here = self.place[guid] = len(self.rows)
            self.names.append(name)
            self.rows.append(np.full(_LIDS, NO_PORT, np.uint8))
            self.count, self.unreachable, self.open, self.gap = 0, 0, True, False
            self.wants_tail |= "path" in match["where"]
        elif match := _TAIL.match(content):
            if not self.open:
                raise lines.unexpected(at, _LEGAL)
            if match["valid"] and int(match["count"]) not in (self.count, self.count - self.unreachable):
                raise lines.error(
                    at,
                    f"switch {self.names[self.here]} has {self.count} LIDs, but its last line counts {match['count']}; "
                    "legal: a complete dump",
                )
            self.open = False
            self.tails += 1
        elif not _OTHER.match(content):
            raise lines.unexpected(at, _LEGAL)
        elif self.open and not content.strip() and not self.gap and self.count:
            self.gap = True
            self.gaps += 1

    def _check_tail(self, lines: Lines, at: int) -> None:
        if self.open and (self.tails or self.wants_tail or (self.gaps and not self.gap)):
            name = self.names[self.here]
            raise lines.error(at, f"the LIDs of switch {name} are cut off; legal: a complete block with its last line")

    def done(self) -> Lfts:
        """Check that the file is complete, and return the tables."""
        cut = self.open and (
            self.tails > 0 or self.wants_tail or (self.gaps > 0 and not self.gap) or not ends_whole(self.path)
        )
        if cut or not self.rows:
            of = f"in switch {self.names[self.here]}" if self.rows else "before the first switch"
            raise FormatError(f"{self.path}: the file is cut off {of}; legal: a complete dump")
        order = sorted(self.place)
        ports = np.stack([self.rows[self.place[guid]] for guid in order])
        used = np.flatnonzero((ports != NO_PORT).any(axis=0))
        top = int(used[-1]) if len(used) else 0
        names = tuple(self.names[self.place[guid]] for guid in order)
        return Lfts(frozen(np.array(order, np.uint64)), frozen(np.ascontiguousarray(ports[:, : top + 1])), names)
