"""Convert the known properties of an imported network to property columns of a fabric."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tulle.cabling.networks.assembly import Cable, End, Network
    from tulle.fabric.properties import Link, Properties

_UNKNOWN = (None, None, None, None)
_NO_ADDRESS = (0, 0, 0, 0, 0)


def properties(
    network: Network, between: list[Cable], attached: list[Cable], number: dict[str, int]
) -> tuple[Properties, list[int]]:
    """Return the property columns of the fabric, and the first endpoint of every host with several ports.

    Parameters
    ----------
    network
        The contents of the files.
    between, attached
        The cables between switches, and the cables of endpoints.
    number
        The ids of switches by name.
    """
    ends = [(b, a) if b[0] in number else (a, b) for a, b in (cable.ends for cable in attached)]
    names, several = _endpoint_names([there for _, there in ends])
    found: Properties = {"endpoint_names": names}
    if any(port for _, (_, port) in ends):
        found["host_ports"] = [
            name[len(host) + 1 :] if name != host else port for name, (_, (host, port)) in zip(names, ends, strict=True)
        ]
    if any(port for (_, port), _ in ends):
        found["endpoint_ports"] = [port for (_, port), _ in ends]
    if any(port for cable in between for _, port in cable.ends):
        found["ports"] = [(cable.ends[0][1], cable.ends[1][1]) for cable in between]
    if any(cable.name for cable in between):
        found["cable_names"] = [cable.name for cable in between]
    if any(_link(cable) != _UNKNOWN for cable in (*between, *attached)):
        found["links"] = [_link(cable) for cable in between]
        found["endpoint_links"] = [_link(cable) for cable in attached]
    if any(network.roles.get(name) for name in number):
        found["roles"] = [network.roles.get(name, "") for name in number]
    if all(name in network.levels for name in number):
        found["levels"] = [network.levels[name] for name in number]
    if any(network.ports.get(name) for name in number):
        found["switch_ports"] = [network.ports.get(name, 0) for name in number]
    if network.addresses:
        found["switch_addresses"] = [network.addresses.get((name, ""), _NO_ADDRESS) for name in number]
        found["endpoint_addresses"] = [network.addresses.get(there, _NO_ADDRESS) for _, there in ends]
    return found, several


def _endpoint_names(ends: list[End]) -> tuple[list[str], list[int]]:
    """Return the names of all endpoints, and the first endpoint of every host with several ports.

    If a host has several ports, each port is an endpoint called ``server:port``.
    """
    rows: dict[str, list[int]] = {}
    for row, (name, _) in enumerate(ends):
        rows.setdefault(name, []).append(row)
    names = [name for name, _ in ends]
    several = [of[0] for of in rows.values() if len(of) > 1]
    for name, of in rows.items():
        if len(of) > 1:
            for at, row in enumerate(of):
                names[row] = f"{name}:{ends[row][1] or at}"
    return names, several


def _link(cable: Cable) -> Link:
    return cable.rate, cable.latency, cable.length, cable.medium
