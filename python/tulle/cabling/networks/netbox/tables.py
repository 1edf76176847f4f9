"""Read CSV tables of NetBox: cables in its import and export forms, devices with roles, and front ports."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tulle._internal.text import counted, verb
from tulle.cabling.csv_rows import rows
from tulle.cabling.networks.netbox.records import Inventory, Termination, kind_of
from tulle.cabling.source import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tulle.cabling.networks.netbox.records import At
    from tulle.cabling.source import Source

_SIDES = ("side_a_device", "side_a_name", "side_b_device", "side_b_name")
_TYPES = ("side_a_type", "side_b_type")
# The columns of NetBox's table view of cables: since version 3.3, and before version 3.3.
_VIEWS = (
    ("device a", "termination a", "device b", "termination b"),
    ("side a", "termination a", "side b", "termination b"),
)
# Columns that are read, or that tulle writes into its own plans. No warning is given about these columns.
_KNOWN = {"type", "status", "label", "color", "length", "length_unit", "length unit"}
_PLACES = {f"{what} {side}" for what in ("rack", "location", "site") for side in "ab"}
_BOOKKEEPING = {"id", "color name", "profile", "tenant", "tenant group", "description", "comments", "tags", "created"}
_BOOKKEEPING |= {"last updated", "owner", "owner group"}
# The table view has no termination types. So power and console cables are recognised by cable type and port name.
_NO_DATA = {"power", "usb"}
_NO_INTERFACE = re.compile(
    r"(?:psu|pwr|power|outlet|inlet|power[ _-]?(?:port|supply|outlet|feed))[ ._/-]*\d*|"
    r"(?:con|console|tty|aux|serial|usb)(?:[ _-]?port)?[ ._-]?(?:\d+)?|tty[a-z]+\d*",
    re.IGNORECASE,
)
_IDS = ("termination_a_id", "termination_b_id")

Values = dict[str, "At"]


def read(inventory: Inventory, source: Source) -> None:
    """Read a table into the inventory.

    Raises
    ------
    tulle.FormatError
        For a table whose columns match no known form, and for invalid values.
    """
    table = rows(source)
    header = next(table, None)
    if header is None:
        raise source.error(0, "the file is empty; legal: a header row and cables")
    names = [name.lower() for name, _ in header]
    if {"rear port", "device", "name"} <= {*names}:
        _front_ports(inventory, source, list(_values(source, names, table)))
    elif {"name", "role"} <= {*names} or {"name", "device_role"} <= {*names}:
        key = "role" if "role" in names else "device_role"
        for values in _values(source, names, table):
            if values["name"][0]:
                inventory.roles[values["name"][0]] = values[key][0]
    else:
        _cables(inventory, source, names, header[0][1], list(_values(source, names, table)))


def _values(source: Source, names: list[str], table: Iterator[list[At]]) -> Iterator[Values]:
    for row in table:
        if len(row) != len(names):
            raise source.error(row[0][1], f"the row has {len(row)} values; legal: {len(names)}")
        yield dict(zip(names, row, strict=True))


def _front_ports(inventory: Inventory, source: Source, table: list[Values]) -> None:
    for values in table:
        position, at = values.get("position", values.get("rear port position", ("1", 0)))
        if not position.isdecimal() or len(position) > 6:
            raise source.error(at, f"position {shown(position)}; legal: a whole number from 1")
        inventory.rear[values["device"][0], values["name"][0]] = values["rear port"][0], int(position)


def _cables(inventory: Inventory, source: Source, names: list[str], at: int, table: list[Values]) -> None:
    columns = next((view for view in _VIEWS if {*view} <= {*names}), _SIDES)
    missing = [name for name in columns if name not in names]
    if missing:
        if {*_IDS} & {*names} and not {*_SIDES} & {*names}:
            raise source.error(
                at, f"the ends have only IDs ({_IDS[0]}), without devices; legal: an export of the current view"
            )
        lacking = ", ".join(f"'{name}'" for name in missing)
        view = ", ".join(name.title() for name in _VIEWS[0])
        raise source.error(at, f"no column {lacking}; legal: {', '.join((*_SIDES, *_TYPES))}, or {view}")
    known = {*columns, *_TYPES, *_KNOWN}
    if not {*_TYPES} & {*names}:
        inventory.views.add(source)
    if columns is not _SIDES:
        known |= _PLACES | _BOOKKEEPING
    unread = sorted({name for name in names if name and name not in known})
    if unread:
        are = "is" if len(unread) == 1 else "are"
        plural = "" if len(unread) == 1 else "s"
        inventory.warnings.append(f"{source.path}: column{plural} {', '.join(map(shown, unread))} {are} ignored")
    others = unused = 0
    empty = ("", 0)
    untyped = source in inventory.views
    for values in table:
        if untyped and _carries_no_data(values, columns):
            others += 1
            continue
        sides = [_side(source, values, columns[at : at + 2], values.get(_TYPES[at // 2])) for at in (0, 2)]
        if any(end.kind == "other" for side in sides for end in side):
            others += 1
        elif values.get("status", empty)[0].lower() not in ("", "connected"):
            unused += 1
        else:
            inventory.add(
                source,
                values[columns[0]][1],
                sides,
                length=(values.get("length", empty), values.get("length_unit", values.get("length unit", empty))),
                medium=values.get("type", empty),
                label=values.get("label", empty),
            )
    for count, what in (
        (others, "with ends that are not interfaces"),
        (unused, f"that {verb(unused, 'is', 'are')} not connected"),
    ):
        if count:
            inventory.warnings.append(
                f"{source.path}: {counted(count, 'cable')} {what} {verb(count, 'is', 'are')} ignored"
            )


def _carries_no_data(values: Values, columns: tuple[str, ...]) -> bool:
    """Return whether a cable in the table view is for power or a console."""
    # Power feeds and circuits have no device.
    if any(values[port][0] and not values[device][0] for device, port in (columns[:2], columns[2:])):
        return True
    if values.get("type", ("", 0))[0].lower() in _NO_DATA:
        return True
    ports = [text.strip() for name in (columns[1], columns[3]) for text in values[name][0].split(",")]
    return any(_NO_INTERFACE.fullmatch(port) for port in ports)


def _side(source: Source, values: Values, names: tuple[str, ...], kind: At | None) -> list[Termination]:
    """Return the terminations of one side of a cable. In the table view, they are separated by commas."""
    (device, device_at), (port, port_at) = (values[name] for name in names)
    kinds = "interface" if kind is None else kind_of(kind[0])
    if kinds == "other":
        return [Termination(device, port, kinds)]
    source.name(device_at, device, names[0])
    source.name(port_at, port, names[1])
    if names[0] in _SIDES:
        return [Termination(device, port, kinds)]
    devices, ports = ([part.strip() for part in cell.split(",")] for cell in (device, port))
    if len(devices) == 1:
        devices *= len(ports)
    if len(devices) != len(ports):
        raise source.error(
            device_at, f"{len(devices)} devices for {len(ports)} ends; legal: one device, or one per end"
        )
    ends = zip(devices, ports, strict=True)
    return [
        Termination(source.name(device_at, one, names[0]), source.name(port_at, other, names[1]), kinds)
        for one, other in ends
    ]
