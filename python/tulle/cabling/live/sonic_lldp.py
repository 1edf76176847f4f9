"""Read the LLDP neighbours in a dump of SONiC's ``APP_DB`` (``sonic-db-dump -n APPL_DB -y``).

The dump does not have the name of the switch. Therefore the name of the file, without its suffix, must be this name.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tulle.cabling.live.port_record import Announced, PortRecord, announced_port, lldp_port

if TYPE_CHECKING:
    from tulle.cabling.json_values import Value
    from tulle.cabling.source import Source

__all__ = ["is_app_db", "read_app_db"]

_PORT, _ENTRY = "PORT_TABLE:", "LLDP_ENTRY_TABLE:"
_KEY = re.compile(r"[A-Z_]+_TABLE:")
# The subtypes of port IDs (IEEE 802.1AB, LldpPortIdSubtype).
_KINDS = {"1": "ifalias", "3": "mac", "5": "ifname", "7": "local"}
# Bits of the first octet of the enabled capabilities: bridge and router.
_FORWARDS = 0x20 | 0x08
_MEGABIT = 1_000_000
_MOST_RATE = 100_000_000_000_000


def is_app_db(members: dict[str, Value]) -> bool:
    """Return whether an object has the keys of a dump of ``APP_DB``."""
    return any(_KEY.match(key) for key in members)


def read_app_db(source: Source, members: dict[str, Value], device: str) -> list[PortRecord]:
    """Read the neighbours of a switch, and the aliases of its ports.

    Raises
    ------
    tulle.FormatError
        For a value that is not a string.
    """
    ports = {key.removeprefix(_PORT): _fields(value) for key, value in members.items() if key.startswith(_PORT)}
    # A record without port shows that this switch has a file, even if it has no neighbours.
    found = [lldp_port(source, device, "", 0)]
    for name, fields in ports.items():
        alias, at = _text(fields, "alias")
        if alias and alias != name:
            names = (source.name(at, alias, "port"),)
            found.append(lldp_port(source, device, source.name(at, name, "port"), at, aliases=names))
    for key, value in members.items():
        if key.startswith(_ENTRY):
            port = source.name(value.at, key.removeprefix(_ENTRY), "port")
            found.append(_seen(source, device, port, value, _rate(ports.get(port, {}))))
    return found


def _fields(value: Value) -> dict[str, Value]:
    members = value.members("a key")
    inside = members.get("value")
    return inside.members("'value'") if inside is not None and isinstance(inside.value, dict) else members


def _text(fields: dict[str, Value], name: str) -> tuple[str, int]:
    return (fields[name].string(name).strip(), fields[name].at) if name in fields else ("", 0)


def _seen(source: Source, device: str, port: str, value: Value, rate: int | None) -> PortRecord:
    fields = _fields(value)
    texts = {}
    for name, kind in (("chassis_id", "chassis"), ("port_id", "port"), ("port_desc", "port"), ("sys_name", "system")):
        text, at = _text(fields, f"lldp_rem_{name}")
        texts[name] = source.name(at, text, kind) if text else ""
    announced = Announced(
        chassis=texts["chassis_id"],
        port_kind=_KINDS.get(_text(fields, "lldp_rem_port_id_subtype")[0], ""),
        port_id=texts["port_id"],
        port_description=texts["port_desc"],
        forwards=_forwards(_text(fields, "lldp_rem_sys_cap_enabled")[0]),
        protocol="LLDP",
    )
    return lldp_port(
        source,
        device,
        port,
        value.at,
        neighbour=texts["sys_name"] or announced.chassis or None,
        neighbour_port=announced_port(announced) or None,
        rate=rate,
        announced=announced,
    )


def _forwards(octets: str) -> bool | None:
    """Return whether a system bridges or routes, from its capabilities as octets, for example ``28 00``.

    None if the first octet is not two hexadecimal digits.
    """
    first = octets.split(" ")[0]
    return bool(int(first, 16) & _FORWARDS) if re.fullmatch("[0-9a-fA-F]{2}", first) else None


def _rate(fields: dict[str, Value]) -> int | None:
    speed, _ = _text(fields, "speed")
    rate = int(speed) * _MEGABIT if re.fullmatch(r"\d{1,8}", speed, re.ASCII) else 0
    return rate if _MEGABIT <= rate <= _MOST_RATE else None
