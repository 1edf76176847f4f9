"""Read responses of NetBox's REST API: lists of cables, devices and front ports, of versions 3 and 4."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle._internal.text import counted, verb
from tulle.cabling.json_values import Value, read_values
from tulle.cabling.networks.netbox.records import Inventory, Page, Termination, kind_of

if TYPE_CHECKING:
    from tulle.cabling.networks.netbox.records import At
    from tulle.cabling.source import Source

_LEGAL = "legal: a response of /api/dcim/cables/, /api/dcim/devices/ or /api/dcim/front-ports/"


def read(inventory: Inventory, source: Source) -> None:
    """Read a response into the inventory.

    Raises
    ------
    tulle.FormatError
        If the JSON is not such a response.
    """
    others = unused = 0
    for value in read_values(source):
        for page in _pages(value):
            inventory.pages.append(_page(page))
        for item in _items(value):
            members = item.members("a result")
            kind = _kind(members)
            if kind == "cables":
                status = _choice(members, "status")[0].lower()
                sides = [_side(item, members, side) for side in "ab"]
                if not all(sides) or any(end.kind == "other" for side in sides for end in side):
                    others += 1
                elif status not in ("", "connected", "true"):
                    unused += 1
                else:
                    inventory.add(
                        source,
                        item.at,
                        sides,
                        length=(_choice(members, "length"), _choice(members, "length_unit")),
                        medium=_choice(members, "type"),
                        label=_choice(members, "label"),
                    )
            elif kind == "front ports":
                _front_port(inventory, item, members)
            elif kind == "devices":
                name = _choice(members, "name")[0]
                role = _name(members, "role") or _name(members, "device_role")
                if name and role:
                    inventory.roles[name] = role
            else:
                raise source.error(item.at, f"neither a cable nor a device nor a front port; {_LEGAL}")
    for count, what in (
        (others, "with ends that are not interfaces"),
        (unused, f"that {verb(unused, 'is', 'are')} not connected"),
    ):
        if count:
            inventory.warnings.append(
                f"{source.path}: {counted(count, 'cable')} {what} {verb(count, 'is', 'are')} ignored"
            )


def _pages(value: Value) -> list[Value]:
    """Return the pages of a response. A plain list of rows has no pages."""
    if isinstance(value.value, list):
        return [page for inside in value.value for page in _pages(inside)]
    return [value] if "results" in value.members("the response") else []


def _page(value: Value) -> Page:
    members = value.members("the response")
    items = members["results"].items("results")
    kinds = [_kind(item.members("a result")) for item in items]
    rows = frozenset(_choice(item.members("a result"), "id")[0] or f"{item.source.path} {item.at}" for item in items)
    count = members.get("count")
    if count is not None and not (type(count.value) is int and count.value >= 0):
        raise value.source.error(count.at, "count is not a whole number; legal: the number of all results")
    follows = "next" in members and members["next"].value is not None
    total = None if count is None else count.value
    return Page(value.source, value.at, kinds[0] if kinds else "", rows, total, follows)


def _kind(members: dict[str, Value]) -> str:
    """Return the kind of a row: cables, front ports or devices; empty for other rows."""
    if "a_terminations" in members or "termination_a" in members:
        return "cables"
    if "rear_port" in members or "rear_ports" in members:
        return "front ports"
    return "devices" if "device_type" in members else ""


def _items(value: Value) -> list[Value]:
    """Return the rows of a page, of a list of pages, or of a plain list."""
    if isinstance(value.value, list):
        return [item for inside in value.value for item in _items(inside)]
    members = value.members("the response")
    return members["results"].items("results") if "results" in members else [value]


def _side(item: Value, members: dict[str, Value], side: str) -> list[Termination]:
    if f"{side}_terminations" in members:
        found = []
        for end in members[f"{side}_terminations"].items("terminations"):
            inside = end.members("a termination")
            kind = kind_of(_choice(inside, "object_type")[0])
            thing = inside["object"].members("object") if _is_object(inside, "object") else {}
            found.append(_termination(end, thing, kind))
        return found
    kind = kind_of(_choice(members, f"termination_{side}_type")[0])
    name = f"termination_{side}"
    return [_termination(item, members[name].members(name) if _is_object(members, name) else {}, kind)]


def _termination(value: Value, thing: dict[str, Value], kind: str) -> Termination:
    device, (port, at) = _name(thing, "device"), _choice(thing, "name")
    if kind == "other" or not device:
        return Termination(device, port, "other")
    return Termination(value.source.name(value.at, device, "device"), value.source.name(at, port, "port"), kind)


def _front_port(inventory: Inventory, item: Value, members: dict[str, Value]) -> None:
    device, port = _name(members, "device"), _choice(members, "name")[0]
    text, at = _choice(members, "rear_port_position")
    rear = _name(members, "rear_port")
    for first in members["rear_ports"].items("rear_ports")[:1] if "rear_ports" in members else []:
        # Since version 4.5, a front port has a list of rear ports.
        inside = first.members("a rear port")
        rear = _name(inside, "rear_port") or _choice(inside, "name")[0]
        text, at = _choice(inside, "rear_port_position")
    position = text.removesuffix(".0") or "1"
    if not position.isdecimal():
        raise item.source.error(at, "rear_port_position is not a number; legal: a whole number from 1")
    if device and port and rear:
        inventory.rear[device, port] = rear, int(position)


def _is_object(members: dict[str, Value], name: str) -> bool:
    return name in members and isinstance(members[name].value, dict)


def _name(members: dict[str, Value], name: str) -> str:
    """Return the name of a nested object; empty if there is no such object."""
    return _choice(members[name].value, "name")[0] if _is_object(members, name) else ""


def _choice(members: dict[str, Value], name: str) -> At:
    """Return a member (a text, a number, or a choice with `value` and `label`) as text; empty if it is missing."""
    if name not in members:
        return "", 0
    value = members[name]
    if isinstance(value.value, dict):
        return _choice(value.value, "value")
    if value.value is None or isinstance(value.value, list):
        return "", value.at
    return str(value.value).strip(), value.at
