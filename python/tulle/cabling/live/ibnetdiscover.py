"""Read the output of ``ibnetdiscover``: a block per node, with all ports that have a link. Blocks may be missing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from tulle.cabling.live.model import LiveTool
from tulle.cabling.live.port_record import LANES, WIDTHS, PortRecord
from tulle.cabling.source import check_end, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tulle.cabling.source import Source

_COMPLAINT = re.compile(r"(?:ibwarn|ibpanic|ibdebug): |src/\S+\.c:\d+")
_NODE = re.compile(
    r'(?P<kind>Switch|Ca|Hca|Rt)\s+(?P<ports>\d{1,3})\s*"(?P<id>[^"]+)"\s*(?:#\s*"(?P<name>.*)"(?P<rest>[^"]*))?$'
)
_PORT = re.compile(
    r"\[(?P<port>\d{1,3})\](?:\[ext [^\]]*\])?(?:\((?P<guid>[0-9a-fA-Fx]+)\))?(?:\[ext [^\]]*\])?\s*"
    r'"(?P<id>[^"]+)"\[(?P<other>\d{1,3})\](?:\([0-9a-fA-Fx]+\))?\s*(?P<comment>#.*)?$'
)
_RATE = re.compile(r"\b(\d{1,2})x([A-Z]{3,}\d{0,2})\b(?![^\"]*\")")
_ID = re.compile(r"[SHR]-([0-9a-fA-F]{1,16})$")
# A line of `ibnetdiscover -p`, which lists all ports of all nodes.
_REPORT = re.compile(
    r"(?P<kind>SW|CA|RT)\s+\d{1,5}\s+(?P<port>\d{1,3})\s+(?P<guid>0x[0-9a-fA-F]{1,16})\s+(?P<rate>\S+\s+\S+)\s+"
    r"(?:-\s+(?:SW|CA|RT)\s+\d{1,5}\s+(?P<other>\d{1,3})\s+(?P<other_guid>0x[0-9a-fA-F]{1,16})\s+"
    r"\( '(?P<name>.*)' - '(?P<neighbour>.*)' \)|'(?P<alone>.*)')$"
)
_LINKINFO = re.compile(r"(?:Switch|CA|RT): |.*==\(")
_NAME = re.compile(r'"(.*)"')
_HEAD = re.compile(r"(vendid|devid|sysimgguid|switchguid|caguid|rtguid)=")
_OTHER = re.compile(rf"#|{_HEAD.pattern}|Non-Chassis Nodes|Chassis ")


class Entry(NamedTuple):
    """A line about a node or a port, without ``-p`` as `node` and `port`, with ``-p`` as `report`."""

    at: int
    node: re.Match[str] | None
    """The line of the node; groups ``kind``, ``ports``, ``id``, ``name`` and ``rest``."""
    port: re.Match[str] | None = None
    """The line of a port of the node; groups ``port``, ``guid``, ``id``, ``other`` and ``comment``."""
    report: re.Match[str] | None = None


def entries(source: Source) -> Iterator[Entry]:
    """Yield the lines about nodes and ports. All readers of ibnetdiscover use this function.

    Raises
    ------
    tulle.FormatError
        For a line that ibnetdiscover does not print, or a file that is cut off.
    """
    node: re.Match[str] | None = None
    head = ""
    for at, line in source.lines():
        content = line.strip()
        if is_complaint(content):
            continue
        # A file that ends in the head of a block is cut off, even if the last line is whole.
        head = line if _HEAD.match(content) else head if not content else ""
        if match := _REPORT.match(content):
            yield Entry(at, None, None, match)
        elif not content or _OTHER.match(content):
            node = node if content else None
        elif match := _NODE.match(content):
            node = match
            if at + len(line) == len(source.text):
                check_end(source)
            yield Entry(at, node)
        # An odd number of quotes means that the file is cut off inside a name.
        elif (match := _PORT.match(content)) and node is not None and content.count('"') % 2 == 0:
            yield Entry(at, node, match)
        else:
            what = "is a line of iblinkinfo, not" if _LINKINFO.match(content) else "is not a line"
            raise source.wrong_line(
                at, line, f"{shown(content)} {what} of ibnetdiscover; legal: a node, or one of its ports"
            )
    if head:
        where = "after" if source.text.endswith("\n") else "in"
        problem = f"the file is cut off {where} the line {shown(head)}; legal: a complete file"
        raise source.error(len(source.text), problem)


def read(source: Source) -> list[PortRecord]:
    """Read the ports of a file.

    Raises
    ------
    tulle.FormatError
        For a line that ibnetdiscover does not print, or a file that is cut off.
    """
    found: list[PortRecord] = []
    for at, node, port, report in entries(source):
        if report is not None:
            found.append(_reported(source, at, report))
        elif node is not None and port is None:
            source.name(at, node["id"], "node")
        elif node is not None and port is not None:
            name = (node["name"] or "").strip() or node["id"]
            comment = port["comment"] or ""
            described = _NAME.search(comment)
            neighbour = (described[1].strip() if described else "") or port["id"]
            found.append(
                PortRecord(
                    device=source.name(at, name, "node"),
                    port=port["port"],
                    switch=node["kind"] == "Switch",
                    neighbour=source.name(at, neighbour, "node"),
                    neighbour_port=port["other"],
                    state="up",
                    rate=rate_of(comment),
                    best_rate=None,
                    source=source,
                    at=at,
                    guid=_guid(node["id"]),
                    neighbour_guid=_guid(port["id"]),
                )
            )
    return found


def is_complaint(line: str) -> bool:
    """Return whether a line is a warning that InfiniBand libraries print, for example ``ibwarn: [31] …``."""
    return _COMPLAINT.match(line) is not None


def _reported(source: Source, at: int, match: re.Match[str]) -> PortRecord:
    """Return the port record of a line of ``ibnetdiscover -p``."""
    other, guid = match["other_guid"], match["guid"]
    name = (match["name"] or match["alone"] or "").strip() or guid
    neighbour = (match["neighbour"] or "").strip() or other
    return PortRecord(
        device=source.name(at, name, "node"),
        port=match["port"],
        switch=match["kind"] == "SW",
        neighbour=source.name(at, neighbour, "node") if other else None,
        neighbour_port=match["other"],
        state="up" if other else "down",
        rate=rate_of("".join(match["rate"].split())) if other else None,
        best_rate=None,
        source=source,
        at=at,
        guid=int(guid, 16),
        neighbour_guid=int(other, 16) if other else 0,
    )


def _guid(node: str) -> int:
    match = _ID.match(node)
    return int(match[1], 16) if match else 0


def rate_of(comment: str) -> int | None:
    """Return the rate in bit/s in the comment of a port, for example ``4xHDR``; None if unknown."""
    match = _RATE.search(comment)
    if match is None or match[2] not in LANES or int(match[1]) not in WIDTHS:
        return None
    return int(match[1]) * LANES[match[2]]


SAMPLE = {
    "now.txt": """\
vendid=0x2c9
devid=0xc738
sysimgguid=0x1
switchguid=0x1(1)
Switch\t36 "S-0000000000000001"\t\t# "leaf1" enhanced port 0 lid 1 lmc 0
[1]\t"H-0000000000000011"[1](12) \t\t# "node1 HCA-1" lid 8 4xEDR
[2]\t"S-0000000000000002"[2]\t\t# "leaf2" lid 2 4xEDR

vendid=0x2c9
devid=0xc738
sysimgguid=0x2
switchguid=0x2(2)
Switch\t36 "S-0000000000000002"\t\t# "leaf2" enhanced port 0 lid 2 lmc 0
[2]\t"S-0000000000000001"[2]\t\t# "leaf1" lid 1 4xEDR

vendid=0x2c9
devid=0x1017
sysimgguid=0x11
caguid=0x11
Ca\t1 "H-0000000000000011"\t\t# "node1 HCA-1"
[1](12) \t"S-0000000000000001"[1]\t\t# lid 8 lmc 0 "leaf1" lid 1 4xEDR
"""
}

TOOL = LiveTool(
    name="ibnetdiscover",
    summary="the links of an InfiniBand subnet, with -p all its ports",
    paper="infiniband-diags: ibnetdiscover(8)",
    limitations="Ports without a link are shown only with -p.",
    examples=("ibnetdiscover > now.txt",),
    read=read,
    output="ibnetdiscover",
    sample=SAMPLE,
)
