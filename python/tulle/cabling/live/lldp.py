"""Read the LLDP neighbours of systems from the output of lldpd, one file per system.

The output of ``lldpctl``, ``lldpcli show neighbors`` and ``lldpcli show interfaces`` is read in both forms,
``-f json0`` (always lists) and ``-f json`` (lists only for several values). If the file also has the output of
``lldpcli show chassis`` or ``show interfaces``, it contains the name of the system. Otherwise the name is the file name
without its last suffix. A dump of SONiC's ``APP_DB`` has neighbours too, see `sonic_lldp`. SONiC's ``port_config.ini``
and ``config_db.json`` have further names of ports, see `port_names`.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from tulle.cabling.json_values import read_values
from tulle.cabling.live.model import LiveTool
from tulle.cabling.live.port_names import read_config_db, read_port_config
from tulle.cabling.live.port_record import Announced, PortRecord, announced_port, lldp_port
from tulle.cabling.live.sonic_lldp import is_app_db, read_app_db

if TYPE_CHECKING:
    from tulle.cabling.json_values import Value
    from tulle.cabling.source import Source

# The type of a port by IEEE 802.3, for example 1000BaseTFD, 10GigBaseLR, 100GBASE-CR4, or just 400G.
_SPEED = re.compile(r"(\d{1,4})\s*(G?)(?:ig|b/s|bps)?[\s-]*(?:base|$|\b)", re.IGNORECASE)
# Member names of a chassis or an interface. In the form `json`, any other key is the name of a chassis or an interface.
_PARTS = {"id", "descr", "mgmt-ip", "mgmt-iface", "capability", "chassis", "port", "via", "rid", "age", "status", "ttl"}
_FORWARDS = ("bridge", "router")
_LEGAL = "legal: the output of lldpctl -f json"


def read(source: Source) -> list[PortRecord]:
    """Read the interfaces of a file, each with its neighbour.

    Raises
    ------
    tulle.FormatError
        For a file that is not JSON, or not from lldpd or SONiC.
    """
    if not source.text.lstrip().startswith(("{", "[")) and (known := read_port_config(source)) is not None:
        return known
    values = read_values(source)
    device, interfaces, names = source.path.stem, [], []
    has_neighbours = False
    for value in values:
        members = value.members("the output of lldpctl")
        if "PORT" in members and "lldp" not in members:
            names += read_config_db(source, members)
            continue
        if is_app_db(members):
            return read_app_db(source, members, source.name(0, device, "system"))
        if not {"local-chassis", "lldp"} & {*members}:
            raise source.error(value.at, f"neither 'lldp' nor 'local-chassis' here; {_LEGAL}")
        for local in _list(members, "local-chassis"):
            device = _chassis(local.members("local-chassis"))[0] or device
        for lldp in _list(members, "lldp"):
            for name, interface in _named(lldp.members("lldp"), "interface"):
                inside = interface.members("an interface")
                if "status" in inside and not {"via", "rid"} & {*inside}:
                    own, alias = _own(source, name, interface)
                    device = own or device
                    names.append(alias)
                else:
                    interfaces.append((name, interface))
                    has_neighbours = True
            has_neighbours |= not _named(lldp.members("lldp"), "interface")
        has_neighbours |= "lldp" in members and not _list(members, "lldp")
    if not has_neighbours and not names:
        raise source.error(0, f"no 'lldp' here; {_LEGAL}")
    device = source.name(0, device, "system")
    found = [_seen(source, device, name, interface) for name, interface in interfaces]
    found += [entry if entry.device else _renamed(entry, device) for entry in names]
    # A record without port shows that this system has a file, even if it has no neighbours.
    return found if interfaces or not has_neighbours else [lldp_port(source, device, "", 0), *found]


def _list(members: dict[str, Value], name: str) -> list[Value]:
    """Return the values of the member `name`: a list, or a single value. A missing or empty member has no values."""
    if name not in members:
        return []
    value = members[name]
    if isinstance(value.value, list):
        return value.items(name)
    return [] if value.value == {} else [value]


def _named(members: dict[str, Value], name: str) -> list[tuple[str, Value]]:
    """Return the objects in the member `name`, each with its own name: its member ``name``, or its key."""
    found: list[tuple[str, Value]] = []
    for value in _list(members, name):
        inside = value.members(f"'{name}'")
        if "name" in inside or _PARTS & {*inside}:
            found.append((_text(inside, "name")[0], value))
        else:
            found += inside.items()
    return found


def _text(members: dict[str, Value], name: str) -> tuple[str, int]:
    """Return the first string of the member `name`, and its offset; an empty string if there is none."""
    for value in _list(members, name):
        inside = value.value.get("value") if isinstance(value.value, dict) else value
        if inside is not None:
            return inside.string(name).strip(), inside.at
    return "", 0


def _first(members: dict[str, Value], name: str) -> dict[str, Value]:
    values = _list(members, name)
    return values[0].members(name) if values else {}


def _chassis(members: dict[str, Value]) -> tuple[str, int, dict[str, Value]]:
    """Return the name of a chassis, its offset, and its members."""
    for name, value in _named(members, "chassis"):
        return name.strip(), value.at, value.members("a chassis")
    return "", 0, {}


def _seen(source: Source, device: str, name: str, interface: Value) -> PortRecord:
    members = interface.members("an interface")
    if not name:
        raise source.error(interface.at, "an interface without a name; legal: a named interface")
    port = source.name(interface.at, name, "port")
    system, place, chassis = _chassis(members)
    chassis_id, chassis_at = _text(chassis, "id")
    behind = _first(members, "port")
    identity, identity_at = _text(behind, "id")
    kind = _first(behind, "id").get("type") if _list(behind, "id") else None
    described, described_at = _text(behind, "descr")
    via = members.get("via")
    announced = Announced(
        chassis=source.name(chassis_at, chassis_id, "chassis") if chassis_id else "",
        port_kind=kind.string("type") if kind is not None else "",
        port_id=source.name(identity_at, identity, "port") if identity else "",
        port_description=source.name(described_at, described, "port") if described else "",
        forwards=_forwards(chassis),
        protocol=via.string("via") if via is not None else "",
    )
    speed, _ = _text(_first(behind, "auto-negotiation"), "current")
    return lldp_port(
        source,
        device,
        port,
        interface.at,
        neighbour=source.name(place, system, "system") if system else announced.chassis or None,
        neighbour_port=announced_port(announced) or None,
        rate=_rate(speed),
        announced=announced,
    )


def _forwards(chassis: dict[str, Value]) -> bool | None:
    """Return whether a system announces that it bridges or routes; None if it announces no capabilities."""
    forwards = None
    for value in _list(chassis, "capability"):
        members = value.members("capability")
        if "type" in members:
            on = members.get("enabled")
            enabled = on is not None and (on.value is True or on.value in ("on", "true"))
            forwards = bool(forwards) or (enabled and members["type"].string("type").lower() in _FORWARDS)
    return forwards


def _own(source: Source, name: str, interface: Value) -> tuple[str, PortRecord]:
    """Read an interface of ``lldpcli show interfaces``. Return the name of the system, and a record of port aliases."""
    members = interface.members("an interface")
    if not name:
        raise source.error(interface.at, "an interface without a name; legal: a named interface")
    port = _first(members, "port")
    texts = [_text(port, key) for key in ("id", "descr")]
    aliases = tuple(source.name(at, text, "port") for text, at in texts if text)
    device = _chassis(members)[0]
    return device, lldp_port(source, device, source.name(interface.at, name, "port"), interface.at, aliases=aliases)


def _renamed(entry: PortRecord, device: str) -> PortRecord:
    return lldp_port(entry.source, device, entry.port, entry.at, aliases=entry.aliases)


def _rate(speed: str) -> int | None:
    match = _SPEED.match(speed)
    if match is None:
        return None
    rate = int(match[1]) * (1_000_000_000 if match[2] else 1_000_000)
    return rate if 1_000_000 <= rate <= 100_000_000_000_000 else None


def _wrote(head: bytes) -> bool:
    return head.startswith((b"{", b"[", b"# name", b"Ethernet"))


def _heard(name: str, *ports: tuple[str, str, str]) -> str:
    """Return the output of lldpctl for some ports. A port is given with its neighbour and the neighbour's port."""
    sample = [
        {
            port: {
                "via": "LLDP",
                "chassis": {neighbour: {"id": {"type": "local", "value": neighbour}}},
                "port": {"id": {"type": "ifname", "value": other}, "descr": other},
            }
        }
        for port, neighbour, other in ports
    ]
    return json.dumps({"local-chassis": {"chassis": {name: {}}}, "lldp": {"interface": sample}}, indent=1)


SAMPLE = {
    "leaf1.json": _heard("leaf1", ("swp1", "spine1", "swp1"), ("swp9", "node1", "eth0")),
    "leaf2.json": _heard("leaf2", ("swp1", "spine1", "swp2")),
    "spine1.json": _heard("spine1", ("swp1", "leaf1", "swp1"), ("swp2", "leaf2", "swp1")),
}

TOOL = LiveTool(
    name="lldp",
    summary="the LLDP neighbours of systems, one file per system",
    paper="IEEE 802.1AB; lldpd: lldpctl(8)",
    limitations="A port without a neighbour is not shown. Dumps of SONiC's APP_DB do not name the switch.",
    examples=("lldpctl -f json0 > SWITCH.json",),
    read=read,
    sample=SAMPLE,
    output="lldpctl -f json (one per switch)",
    wrote=_wrote,
    is_per_device=True,
)
