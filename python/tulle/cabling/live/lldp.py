"""``lldpctl -f json0``: what a system hears from its neighbours, a file per system.

The system's own name is in the file where the output of ``lldpcli -f json0 show chassis`` is there, too, before or
behind; else it is the file's name without its last suffix.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tulle.cabling.json_values import read_values
from tulle.cabling.live.seen import Seen

if TYPE_CHECKING:
    from tulle.cabling.json_values import Value
    from tulle.cabling.source import Source

# As IEEE 802.3 names what a port has: 1000BaseTFD, 10GigBaseLR, 100GBASE-CR4, or plainly 400G.
_SPEED = re.compile(r"(\d{1,4})\s*(G?)(?:ig|b/s|bps)?[\s-]*(?:base|$|\b)", re.IGNORECASE)
# Kinds of names of ports that people know them by.
_NAMES = ("ifname", "local", "ifalias")


def read(source: Source) -> list[Seen]:
    """The interfaces of a file, each with its neighbour.

    Raises
    ------
    tulle.FormatError
        For a file that is no JSON, or not of lldpctl.
    """
    values = read_values(source)
    device, interfaces = source.path.stem, []
    heard = False
    for value in values:
        members = value.members("the output of lldpctl")
        known = [name for name in ("local-chassis", "lldp") if name in members]
        if not known:
            raise source.error(value.at, "neither 'lldp' nor 'local-chassis' here; legal: what lldpctl -f json0 prints")
        for local in _items(members, "local-chassis"):
            device = _name_of_chassis(local) or device
        for lldp in _items(members, "lldp"):
            interfaces += _items(lldp.members("lldp"), "interface")
        heard |= "lldp" in members
    if not heard:
        raise source.error(0, "no 'lldp' here; legal: what lldpctl -f json0 prints")
    device = source.name(0, device, "system")
    # A system that hears nobody speaks for itself all the same.
    return [_seen(source, device, interface) for interface in interfaces] or [_silent(source, device)]


def _items(members: dict[str, Value], name: str) -> list[Value]:
    """The list called `name`, which is left out where it is empty."""
    return members[name].items(name) if name in members else []


def _first(members: dict[str, Value], name: str) -> dict[str, Value]:
    values = _items(members, name)
    return values[0].members(name) if values else {}


def _text(members: dict[str, Value], name: str) -> tuple[str, int]:
    """The text of the first value called `name`, and its place; empty where there is none."""
    value = _first(members, name).get("value")
    return (value.string(name).strip(), value.at) if value else ("", 0)


def _name_of_chassis(local: Value) -> str:
    return _text(_first(local.members("local-chassis"), "chassis"), "name")[0]


def _seen(source: Source, device: str, interface: Value) -> Seen:
    members = interface.members("an interface")
    if "name" not in members:
        raise source.error(interface.at, "an interface without a name; legal: one with")
    port = source.name(members["name"].at, members["name"].string("name"), "port")
    chassis, behind = _first(members, "chassis"), _first(members, "port")
    name, place = _text(chassis, "name")
    if not name:
        name, place = _text(chassis, "id")
    identity, port_place = _text(behind, "id")
    kind = _first(behind, "id").get("type")
    described, described_place = _text(behind, "descr")
    # A hardware address is no name: then what the port says of itself, if that is one.
    if (kind is None or kind.value not in _NAMES) and described and " " not in described:
        identity, port_place = described, described_place
    speed, _ = _text(_first(behind, "auto-negotiation"), "current")
    return Seen(
        device=device,
        port=port,
        switch=True,
        neighbour=source.name(place, name, "system") if name else None,
        neighbour_port=source.name(port_place, identity, "port") if identity else None,
        state="up",
        rate=_rate(speed),
        best_rate=None,
        source=source,
        at=interface.at,
    )


def _silent(source: Source, device: str) -> Seen:
    return Seen(
        device=device,
        port="",
        switch=True,
        neighbour=None,
        neighbour_port=None,
        state="up",
        rate=None,
        best_rate=None,
        source=source,
        at=0,
    )


def _rate(speed: str) -> int | None:
    match = _SPEED.match(speed)
    if match is None:
        return None
    rate = int(match[1]) * (1_000_000_000 if match[2] else 1_000_000)
    return rate if 1_000_000 <= rate <= 100_000_000_000_000 else None
