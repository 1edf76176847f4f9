"""Read aliases of SONiC ports, from ``port_config.ini`` and the table ``PORT`` of ``config_db.json``.

SONiC announces a port by its alias (``etp1``), but its tools use the name of the port (``Ethernet0``). A file
belongs to the device with the host name in ``config_db.json``. Without a host name, the device is the file name without
SONiC's usual names, for example ``leaf1`` for ``leaf1-port_config.ini``. If nothing remains, the device is the name of
the folder. If the folder is not named like a device, the file is used for all devices without their own file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle.cabling.live.port_record import lldp_port

if TYPE_CHECKING:
    from tulle.cabling.json_values import Value
    from tulle.cabling.live.port_record import PortRecord
    from tulle.cabling.source import Source

# The columns of a port_config.ini without a header.
_COLUMNS = ["name", "lanes", "alias", "index", "speed"]
# Usual names of SONiC files. They are removed from a file name to find the name of the device.
_PLAIN = ("port_config", "config_db", "platform")
_TAKEN = ("alias", "description")


def read_port_config(source: Source) -> list[PortRecord] | None:
    """Read the aliases of ports in a ``port_config.ini``. Return None if the file has another format."""
    columns, found = _COLUMNS, []
    for at, line in source.lines():
        words = line.split()
        if line.startswith("#"):
            heading = [word.lower() for word in line.strip("# \t").split()]
            columns = heading if "name" in heading and "alias" in heading else columns
        elif words:
            if not words[0].startswith("Ethernet") or len(words) < 2:
                return None
            row = dict(zip(columns, words, strict=False))
            if "alias" in row:
                found.append(lldp_port(source, owner(source), row["name"], at, aliases=(row["alias"],)))
    return found or None


def read_config_db(source: Source, members: dict[str, Value]) -> list[PortRecord]:
    """Read the aliases of ports in the table ``PORT`` of a SONiC configuration."""
    device = owner(source)
    localhost = _inside(_inside(members, "DEVICE_METADATA"), "localhost")
    if "hostname" in localhost:
        device = localhost["hostname"].string("hostname").strip() or device
    found = []
    for name, value in members["PORT"].members("PORT").items():
        inside = value.members("a port")
        texts = [(inside[key].string(key).strip(), inside[key].at) for key in _TAKEN if key in inside]
        names = tuple(source.name(at, text, "port") for text, at in texts if text)
        port = source.name(value.at, name, "port")
        found.append(lldp_port(source, device, port, value.at, aliases=names or (port,)))
    return found


def _inside(members: dict[str, Value], name: str) -> dict[str, Value]:
    return members[name].members(name) if name in members else {}


def owner(source: Source) -> str:
    """Return the device of a file, from the file name; otherwise ``*`` and the name of the folder."""
    stem = source.path.name.split(".")[0]
    for ending in _PLAIN:
        stem = stem.removesuffix(ending).rstrip("-_")
    return stem or "*" + source.path.parent.name
