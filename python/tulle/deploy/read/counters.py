"""Read port counters: output of ``perfquery`` (extended or not) and ``ibqueryerrors --counters``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tulle._internal.html_summary import Shown
from tulle.cabling.source import Source, check_end, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from os import PathLike

__all__ = ["Counters", "read_counters"]

_HEAD = re.compile(r"# Port (?:extended )?counters: (?:Lid (?P<lid>\d{1,5})|.*?) port (?P<port>\d{1,3})\b")
_FIELD = re.compile(r"(?P<name>\w+):\.*(?P<value>0x[0-9a-fA-F]+|\d+)\s*$")
_NODE = re.compile(r'(?:Data Counters|Errors) for (?:0x(?P<guid>[0-9a-fA-F]{1,16}) )?"')
_PORT = re.compile(r"\s+GUID 0x(?P<guid>[0-9a-fA-F]{1,16}) port (?P<port>\d{1,3}|ALL):(?P<rest>.*)$")
_PAIR = re.compile(r"\[(?P<name>\w+) == (?P<value>\d+)(?: \([^)]*\))?\]")
_OTHER = re.compile(r"\s*$|\s*#|\s+Link info:")
# Fields of perfquery that are not counters.
_NO_COUNTERS = frozenset({"PortSelect", "CounterSelect", "CounterSelect2"})
_ALL = 255


@dataclass(frozen=True)
class Counters(Shown):
    """The counters of a port."""

    guid: int
    """The node GUID; 0 if only the LID is known."""
    lid: int
    """A LID of the node; 0 if only the GUID is known."""
    port: int
    counts: Mapping[str, int]
    """The values by the names in the tools' output, for example ``PortXmitPkts``."""


def read_counters(paths: str | PathLike[str] | Iterable[str | PathLike[str]]) -> list[Counters]:
    """Read the port counters in files with the output of ``perfquery`` or ``ibqueryerrors --counters``.

    Sums over all ports of a node are skipped.

    Raises
    ------
    tulle.FileError
        For a file that cannot be read.
    tulle.FormatError
        For a line that neither tool prints, a truncated file, a file without counters of a port, or counters that
        ``perfquery`` read by directed route instead of LID.
    """
    from os import PathLike

    if isinstance(paths, (str, PathLike)):
        paths = [paths]
    return [row for path in paths for row in _rows(Source(Path(path)))]


def _rows(source: Source) -> list[Counters]:
    found: list[Counters] = []
    counts: dict[str, int] | None = None
    for at, line in source.lines():
        if match := _HEAD.match(line):
            if match["lid"] is None:
                raise source.error(at, "a directed route does not identify the port; legal: perfquery by LID")
            counts = {}
            if int(match["port"]) != _ALL:
                found.append(Counters(0, int(match["lid"]), int(match["port"]), counts))
        elif (match := _FIELD.match(line)) and counts is not None:
            if match["name"] not in _NO_COUNTERS:
                counts[match["name"]] = int(match["value"], 0)
        elif match := _PORT.match(line):
            counts = None
            pairs = {pair["name"]: int(pair["value"]) for pair in _PAIR.finditer(match["rest"])}
            if match["port"] != "ALL":
                found.append(Counters(int(match["guid"], 16), 0, int(match["port"]), pairs))
        elif not _OTHER.match(line) and not _NODE.match(line):
            raise source.error(
                at, f"{shown(line)} is not a line of perfquery or ibqueryerrors; legal: counters of ports"
            )
    if not found:
        raise source.error(0, "no counters of a port; legal: the output of perfquery or ibqueryerrors --counters")
    check_end(source)
    # All ports of a node have the same number of counters of one kind. A last block with fewer counters is cut off.
    last = found[-1]
    same = [row for row in found if row.lid == last.lid and row.guid == last.guid and last.lid]
    if any(len(row.counts) > len(last.counts) and {*last.counts} <= {*row.counts} for row in same):
        raise source.error(
            len(source.text), f"the counters of port {last.port} of LID {last.lid} are cut off; legal: a complete file"
        )
    return found
