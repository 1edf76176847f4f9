"""Read the whole route table of a switch, with its own addresses and connected prefixes, from JSON of several tools.

The tools are ``ip -json route show table all``, FRR's ``show ip route json``, and a dump of SONiC's ``APP_DB``. The
content of a file shows which tool wrote it.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tulle._internal.reading import read_text
from tulle.deploy.read.routes import Way, alive_hops, gateway_of
from tulle.deploy.read.sonic_app_db import read_app_db
from tulle.errors import FormatError

if TYPE_CHECKING:
    from os import PathLike

__all__ = ["Prefix", "RouteTable", "read_route_table"]

Prefix = IPv4Network | IPv6Network

_LEGAL = (
    "legal: the output of ip -json route show table all, vtysh -c 'show ip route json' or sonic-db-dump -n APPL_DB -y"
)
_APP_DB = re.compile(r"[A-Z_]+_TABLE:")
_MAIN = (None, "main", "254", 254)
_NO_FORWARDING = ("unreachable", "prohibit", "blackhole")


@dataclass
class RouteTable:
    """The routes of a switch."""

    routes: dict[Prefix, tuple[Way, ...]] = field(default_factory=dict)
    """The next hops of each prefix; empty if the switch discards its packets."""
    connected: dict[Prefix, set[str]] = field(default_factory=dict)
    """The interfaces of connected prefixes, and of prefixes without a gateway; ``lo`` for addresses of the switch."""
    members: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """The ports of each port channel, if the tool shows them."""

    def add(self, prefix: str, ways: tuple[Way, ...], *, is_connected: bool = False) -> None:
        """Add a route. A route without a gateway is also a connected prefix.

        Raises
        ------
        ValueError
            For a text that is no prefix.
        """
        network = ip_network(prefix, strict=False)
        if network.is_multicast or network.is_link_local or network.is_loopback:
            return
        if is_connected or (ways and all(way.gateway is None for way in ways)):
            self.connected.setdefault(network, set()).update(way.port for way in ways)
        if not is_connected:
            # Older kernels print one IPv6 route per next hop.
            self.routes[network] = (*self.routes.get(network, ()), *ways)


def read_route_table(path: str | PathLike[str]) -> RouteTable:
    """Read the route table of a switch.

    Raises
    ------
    tulle.FileError, tulle.FormatError
        For a file that cannot be read, or is not the output of one of the tools.
    """
    place, table = Path(path), RouteTable()
    try:
        content = json.loads(read_text(place))
        if isinstance(content, list):
            _read_ip(table, content)
        elif any(_APP_DB.match(key) for key in content):
            read_app_db(table.add, table.members, content)
        else:
            _read_frr(table, content)
    except (ValueError, RecursionError, AttributeError, KeyError, TypeError) as error:
        raise FormatError(f"{place}: invalid: {error}; {_LEGAL}") from None
    if not table.routes and not table.connected:
        raise FormatError(f"{place}: no route; {_LEGAL}")
    return table


def _read_ip(table: RouteTable, rows: list[dict[str, Any]]) -> None:
    # The tool prints one family per call, and the default route without its family.
    default = "::/0" if any(":" in row["dst"] for row in rows) else "0.0.0.0/0"
    for row in rows:
        kind = row.get("type", "unicast")
        if kind == "local" and row.get("dev") == "lo":
            # An address of the switch itself.
            table.add(row["dst"], (Way("lo", None, 1),), is_connected=True)
        if row.get("table") not in _MAIN or kind not in ("unicast", *_NO_FORWARDING):
            continue
        hops = alive_hops(row)
        # Without a next hop in use, the kernel does not use the route.
        if hops or kind in _NO_FORWARDING:
            is_connected = row.get("protocol") in ("kernel", "2")
            ways = tuple(Way(hop["dev"], gateway_of(hop), int(hop.get("weight", 1))) for hop in hops if "dev" in hop)
            prefix = default if row["dst"] == "default" else row["dst"]
            table.add(prefix, ways if kind == "unicast" else (), is_connected=is_connected)


def _read_frr(table: RouteTable, content: dict[str, Any]) -> None:
    for prefix, routes in content.items():
        for route in routes:
            if not (route.get("selected") and route.get("installed", True)):
                continue
            # A recursive next hop is followed by the next hops that it resolves to.
            hops = [hop for hop in route.get("nexthops", ()) if hop.get("active") and not hop.get("recursive")]
            discards = any(hop.get("blackhole") or hop.get("unreachable") for hop in hops)
            ways = tuple(
                Way(hop["interfaceName"], hop.get("ip"), int(hop.get("weight", 1)))
                for hop in hops
                if "interfaceName" in hop
            )
            if ways or discards:
                is_connected = route["protocol"] in ("connected", "local", "kernel")
                table.add(prefix, () if discards else ways, is_connected=is_connected)
