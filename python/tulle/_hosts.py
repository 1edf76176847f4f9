"""Hosts and their ports: what the endpoints of a fabric are called on site.

An endpoint is one port. A host with several ports is several endpoints, called ``HOST:PORT``, and one device on site.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tulle.fabric import Fabric


def host_ends(fabric: Fabric) -> list[tuple[str, str]]:
    """Per endpoint its host and its own port there; an empty text for what is not known."""
    known = fabric.properties
    nothing = [""] * fabric.num_endpoints
    names, ports = known.get("endpoint_names") or nothing, known.get("host_ports") or nothing
    hosts = Counter(host for name, port in zip(names, ports, strict=True) if not port and (host := _split(name)[0]))
    found = []
    for name, port in zip(names, ports, strict=True):
        if port:
            found.append((name.removesuffix(f":{port}") or name, port))
            continue
        # Of files that do not tell ports of hosts apart from their names. An address (``00:11:22``) is one name.
        host, own = _split(name)
        found.append((host, own) if host and (own.isdigit() or hosts[host] > 1) else (name, ""))
    return found


def _split(name: str) -> tuple[str, str]:
    host, _, port = name.rpartition(":")
    return (host, port) if host and port and ":" not in host else ("", "")
