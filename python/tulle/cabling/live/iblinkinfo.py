"""Read the output of ``iblinkinfo``, with or without ``-l``. It lists all ports, including ports that are down.

Without ``-l``, a line identifies the node at the other end only by LID and description. If the file also has lines of
that node, they give the GUID for the LID.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from tulle.cabling.live.ibnetdiscover import is_complaint
from tulle.cabling.live.model import LiveTool
from tulle.cabling.live.port_record import LANES, SYMBOLS, WIDTHS, PortRecord
from tulle.cabling.source import check_end, shown

if TYPE_CHECKING:
    from collections.abc import Collection

    from tulle.cabling.source import Source

# With -p, settings of switches are in parentheses after a node and after a link.
_NODE = re.compile(
    r"(?:(?P<switch>Switch):? (?P<guid>0x[0-9a-fA-F]{1,16}) |(?:CA|RT|Router):? (?:0x[0-9a-fA-F]{1,16} )?)(?P<name>.+):"
    r"(?:\s*\([^()]*\))*$"
)
_PORT = re.compile(
    r'(?P<guid>0x[0-9a-fA-F]{1,16})\s+(?:"\s*(?P<name>.*?)"\s+)?(?P<lid>\d{1,5})\s+(?P<port>\d{1,3})\[[^\]]*\]\s*'
    r"==\((?P<link>(?:[^()]|\([^()]*\))*)\)(?:\s*\([^()]*\))*\s*==>\s*(?:(?P<other_guid>0x[0-9a-fA-F]{1,16})\s+)?"
    r"(?:(?P<other_lid>\d{1,5})\s+(?P<other>\d{1,3}))?\s*\[[^\]]*\]\s*"
    r'"(?P<neighbour>.*)"\s*\((?P<could>.*)\)$'
)
_UNNAMED = re.compile(r"\d{1,5}\s+\d{1,3}\[[^\]]*\]\s*==\(")
_RATE = re.compile(r"(\d{1,2})X\s+(\d{1,3}\.\d{1,5}) Gbps(?: \(([A-Z0-9]+)\))?")
_COULD = re.compile(r"Could be (?:(\d{1,2})X|(\d{1,3}\.\d{1,5}) Gbps|([A-Z]{3}[0-9]{0,2})\b)")


def read(source: Source) -> list[PortRecord]:
    """Read the ports of a file. `best_rate` is set only if both ends support a higher rate.

    Raises
    ------
    tulle.FormatError
        For a line that iblinkinfo does not print, or a file that is cut off.
    """
    found: list[PortRecord] = []
    device, switch, guid = "", False, 0
    of_lid: dict[str, set[int]] = {}
    leads: list[tuple[str, str]] = []
    listed: set[tuple[str, str]] = set()
    last = ""
    for at, line in source.lines():
        content = line.strip()
        match = _NODE.match(content)
        # The beginning of a name is a name, too. Lines of ports show that they are whole.
        if line and (match or not content) and at + len(line) == len(source.text):
            check_end(source)
        if not content or content.startswith("#") or is_complaint(content):
            continue
        if match:
            device, switch = source.name(at, match["name"].strip(), "node"), match["switch"] is not None
            guid = int(match["guid"] or "0", 16)
            continue
        # Port lines of a switch may omit the GUID of the switch.
        match = _PORT.match(f"{guid:#x} {content}" if _UNNAMED.match(content) else content)
        name = (match["name"] or "").strip() or device if match else ""
        if match is None or not name:
            raise source.wrong_line(
                at, line, f"{shown(content)} is not a line of iblinkinfo; legal: a node, or one of its ports"
            )
        neighbour = match["neighbour"].strip() or None
        own = int(match["guid"], 16)
        of_lid.setdefault(match["lid"], set()).add(own)
        leads.append((match["other_lid"] or "", match["other"] or ""))
        last = match["lid"]
        listed.add((last, match["port"]))
        rate, best = _rates(match["link"], match["could"])
        found.append(
            PortRecord(
                device=source.name(at, name, "node"),
                port=match["port"],
                # With -l, the output does not tell whether a node is a switch.
                switch=None if match["name"] else switch,
                neighbour=neighbour and source.name(at, neighbour, "node"),
                neighbour_port=match["other"] if neighbour else None,
                state=_state(match["link"]),
                rate=rate,
                best_rate=best,
                source=source,
                at=at,
                guid=own,
                neighbour_guid=int(match["other_guid"] or "0", 16),
            )
        )
    _check_end(source, found, leads, listed, last)
    return [_led(port, of_lid.get(lid, set())) for port, (lid, _) in zip(found, leads, strict=True)]


def _check_end(
    source: Source,
    found: list[PortRecord],
    leads: list[tuple[str, str]],
    listed: Collection[tuple[str, str]],
    last: str,
) -> None:
    """Refuse a file that ends within the ports of a node.

    iblinkinfo lists all ports of a node, so a link to a port of the last node that is not listed means that the file is
    cut off. `leads` has the LID and the port at the other end of each link, `last` is the LID of the last node.
    """
    for port, end in zip(found, leads, strict=True):
        # Without a subnet manager, all LIDs are 0.
        if port.state == "up" and end[0] == last != "0" and end[1] and end not in listed:
            raise source.error(
                len(source.text),
                f"port {port.port} of {shown(port.device)} leads to port {end[1]} of {shown(port.neighbour or '')}, "
                "which is missing: the file is cut off; legal: a complete file",
            )


def _led(port: PortRecord, guids: set[int]) -> PortRecord:
    """Add the GUID of the node at the other end, if exactly one node has its LID."""
    known = port.neighbour_guid or port.neighbour is None or len(guids) != 1
    return port if known else replace(port, neighbour_guid=next(iter(guids)))


def _state(link: str) -> str:
    if "Disabled" in link:
        return "disabled"
    return "down" if "Down" in link else "up"


def _rates(link: str, could: str) -> tuple[int | None, int | None]:
    """Return the actual rate in bit/s (None if unknown), and the highest supported rate if it differs, else None."""
    match = _RATE.search(link)
    if match is None or int(match[1]) not in WIDTHS:
        return None, None
    lane = LANES.get(match[3] or "") or SYMBOLS.get(match[2])
    if lane is None:
        return None, None
    width, best_width, best_lane = int(match[1]), int(match[1]), lane
    for wider, faster, named in _COULD.findall(could):
        if wider and int(wider) in WIDTHS:
            best_width = int(wider)
        best_lane = SYMBOLS.get(faster, LANES.get(named, best_lane))
    best = best_width * best_lane
    return width * lane, best if best != width * lane else None


def _wrote(head: bytes) -> bool:
    return b"==(" in head


_SAMPLE = """\
CA: node1 HCA-1:
      0x0000000000000012      8    1[  ] ==( 4X      25.78125 Gbps Active/  LinkUp)==>       1    1[  ] "leaf1" ( )
Switch: 0x0000000000000001 leaf1:
           1    1[  ] ==( 4X      25.78125 Gbps Active/  LinkUp)==>       8    1[  ] "node1 HCA-1" ( )
           1    2[  ] ==( 1X      25.78125 Gbps Active/  LinkUp)==>       2    2[  ] "leaf2" (Could be 4X )
           1    3[  ] ==(                Down/ Polling)==>             [  ] "" ( )
"""

TOOL = LiveTool(
    name="iblinkinfo",
    summary="all ports of an InfiniBand subnet, including those that are down, with the highest rate of each link",
    paper="infiniband-diags: iblinkinfo(8)",
    limitations="Without -l, nodes at the other end are identified only by LID and description.",
    examples=("iblinkinfo -l > now.txt",),
    read=read,
    output="iblinkinfo",
    sample={"now.txt": _SAMPLE},
    wrote=_wrote,
)
