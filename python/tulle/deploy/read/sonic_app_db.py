"""Read the routes in a dump of SONiC's ``APP_DB`` (``sonic-db-dump -n APPL_DB -y``)."""

from __future__ import annotations

from collections import defaultdict
from ipaddress import ip_interface, ip_network
from typing import TYPE_CHECKING, Any

from tulle.deploy.read.routes import Way

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["read_app_db"]

_UNSET = ("", "0.0.0.0", "::")


def read_app_db(add: Callable[..., None], members: dict[str, tuple[str, ...]], content: dict[str, Any]) -> None:
    """Read the tables of routes, interfaces, groups of next hops and port channels.

    Parameters
    ----------
    add
        A function ``add(prefix, ways, *, is_connected)`` that takes the routes of the default VRF.
    members
        Receives the ports of each port channel.
    content
        The dump. The value of each key is an object with the fields, or an object whose ``value`` is such an object.

    Raises
    ------
    ValueError, AttributeError, KeyError, TypeError
        For content that is not a dump of ``APP_DB``.
    """
    groups = {f"{key}": fields for key, fields in _rows(content, "NEXTHOP_GROUP_TABLE")}
    ports: dict[str, list[str]] = defaultdict(list)
    for key, _ in _rows(content, "LAG_MEMBER_TABLE"):
        channel, _, port = key.partition(":")
        ports[channel].append(port)
    members.update({channel: tuple(sorted(names)) for channel, names in ports.items()})
    for key, _ in _rows(content, "INTF_TABLE"):
        name, _, address = key.partition(":")
        if address:
            is_loopback = name.startswith("Loopback")
            add(str(ip_interface(address).network), (Way("lo" if is_loopback else name, None, 1),), is_connected=True)
    for key, fields in _rows(content, "ROUTE_TABLE"):
        if not _is_prefix(key):
            # The key of a route in another VRF starts with the name of the VRF.
            continue
        hops = groups[fields["nexthop_group"]] if fields.get("nexthop_group") else fields
        if fields.get("blackhole") in ("true", "1"):
            add(key, ())
            continue
        names = hops.get("ifname", "").split(",")
        gateways = (hops.get("nexthop") or "").split(",")
        weights = (hops.get("weight") or "").split(",")
        if not all(names):
            raise ValueError(f"ROUTE_TABLE:{key} has no ifname")
        ways = tuple(
            Way(
                "lo" if name.startswith("Loopback") else name,
                None if at >= len(gateways) or gateways[at] in _UNSET else gateways[at],
                int(weights[at]) if at < len(weights) and weights[at] else 1,
            )
            for at, name in enumerate(names)
        )
        add(key, ways, is_connected=all(way.gateway is None for way in ways))


def _rows(content: dict[str, Any], table: str) -> Iterator[tuple[str, dict[str, str]]]:
    for key, row in content.items():
        name, _, rest = key.partition(":")
        if name == table:
            yield rest, row["value"] if isinstance(row.get("value"), dict) else row


def _is_prefix(text: str) -> bool:
    try:
        ip_network(text, strict=False)
    except ValueError:
        return False
    return True
