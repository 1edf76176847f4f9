"""Cables as NetBox exports them in CSV.

Devices with one cable are endpoints, unless patterns tell: the export does not say what a device is. Ends that are no
interfaces (power, console) and cables that are planned or taken out are left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle.cabling.networks.assembly import Cable, Imported, Network
from tulle.cabling.source import Source, shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

_SIDES = ("side_a_device", "side_a_name", "side_b_device", "side_b_name")
_TYPES = ("side_a_type", "side_b_type")
# The colour of a cable is no property of a network; plans of ours write it.
_REST = ("type", "status", "label", "color", "length", "length_unit")
_INTERFACE = "dcim.interface"
_MILLIMETRES = {"km": 1e6, "m": 1e3, "cm": 10.0, "mi": 1_609_344.0, "ft": 304.8, "in": 25.4}
_MOST_LENGTH, _LONGEST_MEDIUM = 1_000_000_000, 64

Row = list[tuple[str, int]]
"""The values of a row, each with its place."""


def read(paths: Sequence[Path], endpoints: Sequence[str]) -> Imported:
    """The fabric of the files."""
    network, sources = Network(), [Source(path) for path in paths]
    for source in sources:
        _read(network, source)
    return network.fabric(sources[0], endpoints)


def rows(source: Source) -> Iterator[Row]:
    """The rows of a table in CSV that are not empty.

    Raises
    ------
    tulle.FormatError
        For quotes that do not end, or text behind them.
    """
    text, at = source.text, 0
    row: Row = []
    while at < len(text):
        start = at
        if text[at] == '"':
            value = ""
            while True:
                end = text.find('"', at + 1)
                if end < 0:
                    raise source.error(start, "a quote without its end; legal: quotes in pairs")
                value += text[at + 1 : end]
                at = end + 1
                if text[at : at + 1] != '"':
                    break
                value += '"'
            if text[at : at + 1] not in ("", ",", "\n", "\r"):
                raise source.error(at, "text behind a quote; legal: a comma, or the end of the row")
        else:
            ends = [end for end in (text.find(",", at), text.find("\n", at)) if end >= 0]
            at = min(ends, default=len(text))
            value = text[start:at].removesuffix("\r")
        row.append((value.strip(), start))
        at += text[at : at + 1] == "\r"
        ends_row = text[at : at + 1] != ","
        at += 1
        if ends_row or at >= len(text):
            if not ends_row:
                row.append(("", at))
            if any(value for value, _ in row):
                yield row
            row = []


def _read(network: Network, source: Source) -> None:
    table = rows(source)
    header = next(table, None)
    if header is None:
        raise source.error(0, "the file is empty; legal: a header row and cables")
    names = [name.lower() for name, _ in header]
    for needed in _SIDES:
        if needed not in names:
            raise source.error(header[0][1], f"no column '{needed}'; legal: {', '.join((*_SIDES, *_TYPES))}")
    unread = sorted({name for name in names if name and name not in (*_SIDES, *_TYPES, *_REST)})
    if unread:
        are = "is" if len(unread) == 1 else "are"
        plural = "" if len(unread) == 1 else "s"
        network.warnings.append(f"{source.path}: column{plural} {', '.join(map(shown, unread))} {are} ignored")
    others = unused = 0
    for row in table:
        if len(row) != len(names):
            raise source.error(row[0][1], f"the row has {len(row)} values; legal: {len(names)}")
        values = dict(zip(names, row, strict=True))
        if any(values[name][0] != _INTERFACE for name in _TYPES if name in values):
            others += 1
        elif values.get("status", ("", 0))[0].lower() not in ("", "connected"):
            unused += 1
        else:
            network.cables.append(_cable(source, values))
    for count, what in ((others, "at other things than interfaces"), (unused, "that are not connected")):
        if count:
            network.warnings.append(f"{source.path}: {count} cables {what} are ignored")


def _cable(source: Source, values: dict[str, tuple[str, int]]) -> Cable:
    a_device, a_port, b_device, b_port = (source.name(values[name][1], values[name][0], name) for name in _SIDES)
    empty = ("", 0)
    label, label_at = values.get("label", empty)
    medium, medium_at = values.get("type", empty)
    if len(medium.encode()) > _LONGEST_MEDIUM:
        raise source.error(medium_at, f"type {shown(medium)} is too long; legal: up to {_LONGEST_MEDIUM} bytes")
    return Cable(
        ((a_device, a_port), (b_device, b_port)),
        source,
        values[_SIDES[0]][1],
        length=_length(source, values.get("length", empty), values.get("length_unit", empty)),
        medium=source.name(medium_at, medium, "type") if medium else None,
        name=source.name(label_at, label, "cable") if label else "",
    )


def _length(source: Source, length: tuple[str, int], unit: tuple[str, int]) -> int | None:
    """Millimetres."""
    if not length[0]:
        return None
    if unit[0].lower() not in _MILLIMETRES:
        raise source.error(unit[1] or length[1], f"length_unit {shown(unit[0])}; legal: {', '.join(_MILLIMETRES)}")
    try:
        millimetres = float(length[0]) * _MILLIMETRES[unit[0].lower()]
    except ValueError:
        millimetres = -1.0
    if not 0 <= millimetres <= _MOST_LENGTH:
        raise source.error(length[1], f"length {shown(length[0])}; legal: a number, up to 1000 km")
    return round(millimetres)
