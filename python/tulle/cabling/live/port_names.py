"""Other names of ports, as SONiC keeps them: ``port_config.ini``, and the table ``PORT`` of ``config_db.json``.

SONiC announces a port by its alias (``etp1``), while its own tools call it by its name (``Ethernet0``). A file that
is called after a device, or lies in a folder of that name, is of that device; ``config_db.json`` says whose it is; one
that does not say so is of every device that has no file of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle.cabling.live.seen import lldp_port

if TYPE_CHECKING:
    from tulle.cabling.json_values import Value
    from tulle.cabling.live.seen import Seen
    from tulle.cabling.source import Source

# The columns of a port_config.ini without a header.
_COLUMNS = ["name", "lanes", "alias", "index", "speed"]
# Names of files that say nothing of whose they are.
_PLAIN = ("port_config", "config_db", "platform")
_TAKEN = ("alias", "description")


def read_port_config(source: Source) -> list[Seen] | None:
    """The names of ports in a ``port_config.ini``; None for a file of another kind."""
    columns, found = _COLUMNS, []
    for at, line in source.lines():
        words = line.split()
        if line.startswith("#"):
            said = [word.lower() for word in line.strip("# \t").split()]
            columns = said if "name" in said and "alias" in said else columns
        elif words:
            if not words[0].startswith("Ethernet") or len(words) < 2:
                return None
            row = dict(zip(columns, words, strict=False))
            if "alias" in row:
                found.append(lldp_port(source, owner(source), row["name"], at, aliases=(row["alias"],)))
    return found or None


def read_config_db(source: Source, members: dict[str, Value]) -> list[Seen]:
    """The names of ports in the table ``PORT`` of a SONiC configuration."""
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
    """The device that a file is of, by its name or its folder; the latter behind ``*``, as it may be any folder."""
    stem = source.path.name.split(".")[0]
    for ending in _PLAIN:
        stem = stem.removesuffix(ending).rstrip("-_")
    return stem or "*" + source.path.parent.name
