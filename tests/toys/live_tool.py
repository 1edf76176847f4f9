"""The live tool `toy`: its output has one port per line, for example ``toy a 1 b 1``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle.cabling.live.model import LiveTool
from tulle.cabling.live.port_record import PortRecord
from tulle.cabling.source import shown

if TYPE_CHECKING:
    from tulle.cabling.source import Source


def read(source: Source) -> list[PortRecord]:
    """Return the ports that a file lists."""
    found = []
    for at, line in source.lines():
        words = line.split()
        if not words:
            continue
        if len(words) != 5 or words[0] != "toy":
            raise source.error(at, f"{shown(line)} is no line of toy; legal: toy DEVICE PORT DEVICE PORT")
        device, port, neighbour, other = words[1:]
        found.append(PortRecord(device, port, True, neighbour, other, "up", None, None, source, at))
    return found


TOOL = LiveTool(
    name="toy",
    summary="a port per line",
    paper="none",
    limitations="For tests.",
    examples=("toy > now.txt",),
    read=read,
    output="toy",
    sample={"now.txt": "toy leaf1 1 spine1 1\ntoy spine1 1 leaf1 1\n"},
    wrote=lambda head: head.startswith(b"toy "),
)
