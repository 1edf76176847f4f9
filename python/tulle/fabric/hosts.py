"""Hosts and their ports.

An endpoint is one port. A host with several ports is several endpoints, named ``HOST:PORT``, but one device.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tulle.fabric.fabric import Fabric


def host_ends(fabric: Fabric) -> list[tuple[str, str]]:
    """Return the host and the host's port of every endpoint; the port is empty if unknown."""
    known = fabric.properties
    nothing = [""] * fabric.num_endpoints
    names, ports = known.get("endpoint_names") or nothing, known.get("host_ports") or nothing
    hosts = Counter(host for name, port in zip(names, ports, strict=True) if not port and (host := _split(name)[0]))
    found = []
    for name, port in zip(names, ports, strict=True):
        if port:
            found.append((name.removesuffix(f":{port}") or name, port))
            continue
        # Some files have the port only in the endpoint's name. A name with several colons, such as 00:11:22, is an
        # address.
        host, own = _split(name)
        found.append((host, own) if host and (own.isdigit() or hosts[host] > 1) else (name, ""))
    return found


def servers(fabric: Fabric) -> list[str]:
    """Return the server of every endpoint that is a port of a named server; empty for all other endpoints.

    The result for an endpoint does not depend on whether the other ports of its server have failed.
    """
    names = fabric.properties.get("endpoint_names") or [""] * fabric.num_endpoints
    return [host if host != name else "" for name, (host, _) in zip(names, host_ends(fabric), strict=True)]


def _split(name: str) -> tuple[str, str]:
    host, _, port = name.rpartition(":")
    return (host, port) if host and port and ":" not in host else ("", "")
