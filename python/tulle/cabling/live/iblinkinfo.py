"""``iblinkinfo``, with ``-l`` or without: all ports, with those that are down, and what rate they could have."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tulle.cabling.live.seen import LANES, SYMBOLS, WIDTHS, Seen
from tulle.cabling.source import shown

if TYPE_CHECKING:
    from tulle.cabling.source import Source

_NODE = re.compile(r"(?:(?P<switch>Switch):? 0x[0-9a-fA-F]{1,16} |CA: |RT: )(?P<name>.+):$")
_PORT = re.compile(
    r'0x[0-9a-fA-F]{1,16}\s+(?:"\s*(?P<name>.*?)"\s+)?\d{1,5}\s+(?P<port>\d{1,3})\[[^\]]*\]\s*'
    r"==\((?P<link>[^()]*)\)==>\s*(?:0x[0-9a-fA-F]{1,16}\s+)?(?:\d{1,5}\s+(?P<other>\d{1,3}))?\s*\[[^\]]*\]\s*"
    r'"(?P<neighbour>.*)"\s*\((?P<could>.*)\)$'
)
_UNNAMED = re.compile(r"\d{1,5}\s+\d{1,3}\[[^\]]*\]\s*==\(")
_RATE = re.compile(r"(\d{1,2})X\s+(\d{1,3}\.\d{1,5}) Gbps(?: \(([A-Z0-9]+)\))?")
_COULD = re.compile(r"Could be (?:(\d{1,2})X|(\d{1,3}\.\d{1,5}) Gbps)")


def read(source: Source) -> list[Seen]:
    """The ports of a file; a rate that could be better only where both ends could.

    Raises
    ------
    tulle.FormatError
        For a line that iblinkinfo does not print.
    """
    found: list[Seen] = []
    device, switch = "", False
    for at, line in source.lines():
        said = line.strip()
        if not said or said.startswith("#"):
            continue
        if match := _NODE.match(said):
            device, switch = source.name(at, match["name"].strip(), "node"), match["switch"] is not None
            continue
        # Within a switch its GUID may be left out.
        match = _PORT.match(f"0x0 {said}" if _UNNAMED.match(said) else said)
        name = (match["name"] or "").strip() or device if match else ""
        if match is None or not name:
            raise source.error(at, f"{shown(said)} is no line of iblinkinfo; legal: a node, or a port of one")
        neighbour = match["neighbour"].strip() or None
        rate, best = _rates(match["link"], match["could"])
        found.append(
            Seen(
                device=source.name(at, name, "node"),
                port=match["port"],
                # With -l no line tells the kind of its node.
                switch=None if match["name"] else switch,
                neighbour=neighbour and source.name(at, neighbour, "node"),
                neighbour_port=match["other"] if neighbour else None,
                state=_state(match["link"]),
                rate=rate,
                best_rate=best,
                source=source,
                at=at,
            )
        )
    return found


def _state(link: str) -> str:
    if "Disabled" in link:
        return "disabled"
    return "down" if "Down" in link else "up"


def _rates(link: str, could: str) -> tuple[int | None, int | None]:
    """Bits per second as they are, and as they could be."""
    match = _RATE.search(link)
    if match is None or int(match[1]) not in WIDTHS:
        return None, None
    lane = LANES.get(match[3] or "") or SYMBOLS.get(match[2])
    if lane is None:
        return None, None
    width, best_width, best_lane = int(match[1]), int(match[1]), lane
    for wider, faster in _COULD.findall(could):
        if wider and int(wider) in WIDTHS:
            best_width = int(wider)
        best_lane = SYMBOLS.get(faster, best_lane)
    best = best_width * best_lane
    return width * lane, best if best != width * lane else None
