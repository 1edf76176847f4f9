"""Read SL-to-VL tables: ``opensm-sl2vl.dump``, output of ``smpquery sl2vl``, or the file of a bundle."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tulle._internal.arrays import frozen
from tulle._internal.results import Value
from tulle.deploy.read.lines import decimals, ends_whole, lines_of
from tulle.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from os import PathLike

    from numpy.typing import NDArray

    from tulle.deploy.read.lines import Lines

__all__ = ["Sl2vl", "read_sl2vl"]

LEVELS = 16
# Input port, output port, and the lanes of 16 service levels.
_COLUMNS = 2 + LEVELS

_NODE = re.compile(r"(Switch|Channel Adapter|Router) 0x(?P<guid>[0-9a-fA-F]{1,16}), base LID (?P<lid>\d{1,5}),")
_QUERIED = re.compile(r"# SL2VL table: (?:Lid (?P<lid>\d{1,5})|DR path .*)\s*$")
_OTHER = re.compile(r"\s*$|\s*#|psl 0x[0-9a-f]{16} ")
# The length of "slvl 0x", the GUID and the space.
_PREFIX = 24
_LEGAL = "rows of opensm-sl2vl.dump, of smpquery sl2vl, or of a bundle"


@dataclass(frozen=True, eq=False)
class Sl2vl(Value):
    """SL-to-VL tables, with a row per node, input port and output port."""

    guids: NDArray[np.uint64]
    """The GUID of the node (in OpenSM's dump, of the port); 0 if only the LID is known, uint64 (rows,)."""
    lids: NDArray[np.uint16]
    """The base LID; 0 if only the GUID is known, uint16 (rows,)."""
    in_ports: NDArray[np.uint8]
    """The input port, uint8 (rows,); 0 for adapters."""
    out_ports: NDArray[np.uint8]
    """The output port, uint8 (rows,); 0 for adapters."""
    lanes: NDArray[np.uint8]
    """The virtual lane of every service level, uint8 (rows, 16)."""


def read_sl2vl(paths: str | PathLike[str] | Iterable[str | PathLike[str]]) -> Sl2vl:
    """Read the SL-to-VL tables of one or several files.

    Raises
    ------
    tulle.FileError
        For a file that cannot be read.
    tulle.FormatError
        For a line of another format, or a truncated file.
    """
    from os import PathLike

    if isinstance(paths, (str, PathLike)):
        paths = [paths]
    parts = [part for path in paths for part in _parts(Path(path))]
    guids, lids, rows = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    whole = (guids, lids, rows[:, 0], rows[:, 1], rows[:, 2:])
    return Sl2vl(*(frozen(np.ascontiguousarray(part)) for part in whole))


_Part = tuple["NDArray[np.uint64]", "NDArray[np.uint16]", "NDArray[np.uint8]"]


def _parts(path: Path) -> list[_Part]:
    found: list[_Part] = []
    guid = lid = -1
    for lines in lines_of(path):
        head = lines.heads(6)
        # Rows begin with a digit, with "ports:" or with "slvl ".
        of_dump = (head[:, 0] >= 48) & (head[:, 0] <= 57)
        of_query = (head == np.frombuffer(b"ports:", np.uint8)).all(axis=1)
        of_bundle = (head[:, :5] == np.frombuffer(b"slvl ", np.uint8)).all(axis=1)
        row = of_dump | of_query | of_bundle
        places = np.flatnonzero(~row)
        of_guid, of_lid = np.empty(len(row), np.uint64), np.empty(len(row), np.int64)
        before = 0
        for at in (*places.tolist(), len(row)):
            of_guid[before:at], of_lid[before:at] = max(guid, 0), max(lid, -1)
            if at < len(row):
                content = lines.text(at)
                if match := _NODE.match(content):
                    guid, lid = int(match["guid"], 16), int(match["lid"])
                elif match := _QUERIED.match(content):
                    if match["lid"] is None:
                        raise lines.error(at, "a directed route does not identify the node; legal: smpquery by LID")
                    guid, lid = 0, int(match["lid"])
                elif not _OTHER.match(content):
                    raise lines.unexpected(at, _LEGAL)
            before = at + 1
        nameless = np.flatnonzero((of_dump | of_query) & (of_lid < 0))
        if len(nameless):
            raise lines.error(int(nameless[0]), "a row without its node; legal: rows after the line of their node")
        found.append(_rows(lines, row, of_bundle, of_guid, of_lid))
    if not ends_whole(path):
        raise FormatError(f"{path}: the last line is cut off; legal: a complete file")
    if not sum(len(part[0]) for part in found):
        raise FormatError(f"{path}: no SL-to-VL table; legal: {_LEGAL}")
    return found


def _rows(
    lines: Lines,
    row: NDArray[np.bool_],
    of_bundle: NDArray[np.bool_],
    guids: NDArray[np.uint64],
    lids: NDArray[np.int64],
) -> _Part:
    at = np.flatnonzero(row)
    text = lines.bytes
    if of_bundle.any():
        named = np.flatnonzero(of_bundle)
        text = text.copy()
        prefix = lines.starts[named][:, None] + np.arange(_PREFIX)
        prefixes = text[prefix]
        values = np.zeros(len(named), np.uint64)
        for number, column in enumerate(prefixes[:, 7:23].T):
            digit = _HEXADECIMAL[column]
            if (digit > 15).any():
                raise lines.error(
                    int(named[np.argmax(digit > 15)]), f"no GUID at character {number + 8}; legal: 16 digits"
                )
            values = (values << np.uint64(4)) | digit.astype(np.uint64)
        text[prefix] = 32
        guids, lids = guids.copy(), lids.copy()
        guids[named], lids[named] = values, 0
    if not row.all():
        text = text.copy() if text is lines.bytes else text
        _blank(text, lines, np.flatnonzero(~row))
    numbers, good = decimals(text, lines.starts[at], _COLUMNS)
    good &= (numbers[:, 2:] < LEVELS).all(axis=1)
    if not good.all():
        raise lines.unexpected(int(at[np.argmin(good)]), "input port, output port and 16 virtual lanes from 0 to 15")
    return guids[at], lids[at].astype(np.uint16), numbers


def _blank(text: NDArray[np.uint8], lines: Lines, which: NDArray[np.int64]) -> None:
    """Replace lines that are not rows by spaces, so that their digits are not parsed."""
    change = np.zeros(len(text) + 1, np.int8)
    np.add.at(change, lines.starts[which], 1)
    np.add.at(change, lines.ends[which], -1)
    text[np.cumsum(change[:-1]) > 0] = 32


_HEXADECIMAL = np.full(256, 255, np.uint8)
_HEXADECIMAL[48:58] = np.arange(10)
_HEXADECIMAL[97:103] = np.arange(10, 16)
_HEXADECIMAL[65:71] = np.arange(10, 16)
