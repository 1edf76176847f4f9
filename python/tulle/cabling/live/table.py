"""Read a table of installed cables: a row per cable, with the columns of a plan's ``cables.csv``.

Technicians keep such a table if switches do not run yet, or if no tool can read the neighbours of the switches. The
columns of tulle's list of cables, ``a``, ``source_port``, ``b`` and ``target_port``, are accepted, too.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tulle.cabling.csv_rows import rows
from tulle.cabling.live.model import LiveTool
from tulle.cabling.live.port_record import PortRecord
from tulle.cabling.source import shown

if TYPE_CHECKING:
    from tulle.cabling.source import Source

_COLUMNS = ("from", "from_port", "to", "to_port")
# Other names of the columns, as in lists of cables.
_NAMES = {"a": "from", "source": "from", "source_port": "from_port", "a_port": "from_port"}
_NAMES |= {"b": "to", "target": "to", "target_port": "to_port", "b_port": "to_port"}
# A heading is a few words. No other tool begins its output with headings and commas, semicolons or tabs between them.
_WORDS = rb'(?:"[A-Za-z_\x80-\xff][^"\n]*"[ ]*|[A-Za-z_\x80-\xff][\w \x80-\xff./()-]*)'
_HEAD = re.compile(rb"(?:" + _WORDS + rb"[,;\t][ ]*)+" + _WORDS + rb"\r?(?:\n|$)")


def read(source: Source) -> list[PortRecord]:
    """Read the cables of a table. All other columns are ignored, for example length and rate.

    Raises
    ------
    tulle.FormatError
        For a missing column, an empty cell in one of the four columns, or a port with several cables.
    """
    table = rows(source)
    names = ["_".join(name.lower().replace("-", " ").split()) for name, _ in next(table, [])]
    names = [name if name in _COLUMNS or (of := _NAMES.get(name, name)) in names else of for name in names]
    for column in _COLUMNS:
        if names.count(column) != 1:
            what = "is missing" if column not in names else "appears twice"
            named = f" in {shown(', '.join(names))}" if column not in names else ""
            raise source.error(
                0, f"column {column} {what}{named}; legal: {', '.join(_COLUMNS)}, as in a plan's cables.csv"
            )
    places = [names.index(column) for column in _COLUMNS]
    found: list[PortRecord] = []
    lines: dict[tuple[str, str], int] = {}
    for row in table:
        at = row[0][1]
        texts = [row[place][0] if place < len(row) else "" for place in places]
        for column, text in zip(_COLUMNS, texts, strict=True):
            if not text:
                raise source.error(at, f"{column} is empty; legal: a row per installed cable, with both of its ports")
        device, port, neighbour, other = (source.name(at, text, "device or port") for text in texts)
        for end in ((device, port), (neighbour, other)):
            if end in lines:
                raise source.error(
                    at,
                    f"port {shown(end[1])} of {shown(end[0])} already has the cable in line {lines[end]}; legal: one "
                    "cable per port",
                )
            lines[end] = source.text.count("\n", 0, at) + 1
        for here, there in (((device, port), (neighbour, other)), ((neighbour, other), (device, port))):
            found.append(PortRecord(*here, None, *there, "up", None, None, source, at))
    return found


def _wrote(head: bytes) -> bool:
    return _HEAD.match(head) is not None


TOOL = LiveTool(
    name="table",
    summary="a table of installed cables (CSV) with the columns from, from_port, to and to_port of a plan's cables.csv",
    paper="none",
    limitations="The table shows what was written down, not what the network reports: rates are not compared, and "
    "ports that are down are not known.",
    examples=("cables.csv",),
    read=read,
    output="a table of installed cables (.csv)",
    sample={"installed.csv": "cable;from;from_port;to;to_port\n1;leaf1;1;node1;1\n2;leaf1;2;leaf2;2\n"},
    wrote=_wrote,
)
