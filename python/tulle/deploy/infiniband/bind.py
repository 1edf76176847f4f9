"""Assign the GUIDs of a site to the switches and adapters of a planned fabric, from the cabling."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle import _tulle
from tulle._internal.text import tulle_command
from tulle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tulle.deploy.read.subnet import Subnet
    from tulle.fabric import Fabric

__all__ = ["bound"]

End = tuple[int, int]
"""A switch and its port; or an endpoint, encoded as −1 − id, and the port of its adapter."""


def bound(fabric: Fabric, live: Path) -> Fabric:
    """Return the fabric with the GUIDs of the nodes that ``ibnetdiscover`` found.

    Once one switch is identified, the cabled ports identify all others. The first switch of the fabric is identified by
    its name if a node has it. Otherwise it is the first node for which the whole cabling matches.

    Raises
    ------
    tulle.FileError, tulle.FormatError
        For a file that cannot be read.
    tulle.InputError
        For a network with other cabling, or with missing nodes.
    """
    from tulle.deploy.read.subnet import read_subnet
    from tulle.fabric import Fabric

    seen = read_subnet(live, ())
    core = _tulle.in_subnet(fabric._core)
    ways = _ways(Fabric._of(core, fabric.seed, (_tulle.in_subnet, (fabric._core,))))
    there = [node.guid for node in seen.nodes.values() if node.switch]
    if len(there) != fabric.num_switches:
        raise InputError(f"{live}: {len(there)} switches; legal: {fabric.num_switches}, as {fabric.spec} has")
    starts = sorted(there)
    named = [node.guid for node in seen.nodes.values() if node.switch and node.name == fabric.labels[0]]
    if len(named) == 1:
        starts = named
    reasons = []
    for start in starts:
        found = _placed(ways, seen, start)
        if isinstance(found, dict):
            return _with_guids(fabric, live, seen, found, ways)
        reasons.append(found)
    switch, port = min(reasons, key=lambda reason: reason[0]) if len(reasons) > 1 else reasons[0]
    raise InputError(
        f"{live}: the cabling differs from {fabric.spec}, first at port {port} of {fabric.labels[switch]}; "
        "legal: the planned cabling; to list all differences, run "
        f"`{tulle_command('cabling', 'plan', fabric.spec, '-o', 'plan')}`, then "
        f"`{tulle_command('cabling', 'verify', 'plan', '--live', live)}`"
    )


def _ways(fabric: Fabric) -> list[dict[int, End]]:
    """For each switch, the other end of each port's cable."""
    ways: list[dict[int, End]] = [{} for _ in range(fabric.num_switches)]
    ports = [int(port) for port in fabric.ports]
    for channel, (source, target) in enumerate(fabric.channels.tolist()):
        ways[source][ports[channel]] = target, ports[fabric.reverse[channel]]
    addresses = fabric.properties["endpoint_addresses"]
    for endpoint, (switch, port) in enumerate(zip(fabric.endpoint_switch.tolist(), fabric.endpoint_ports, strict=True)):
        ways[switch][int(port)] = -1 - endpoint, addresses[endpoint][4]
    return ways


def _placed(ways: list[dict[int, End]], seen: Subnet, start: int) -> dict[int, int] | tuple[int, int]:
    """Assume that the node `start` is switch 0, and compare the cabling with the plan.

    Return the GUIDs of switches by id if the cabling agrees, otherwise the first switch and port where it differs.
    """
    guid_of, switch_of = {0: start}, {start: 0}
    queue = [0]
    for switch in queue:
        node = seen.nodes[guid_of[switch]]
        for port, (target, back) in sorted(ways[switch].items()):
            end = node.links.get(port)
            if end is None:
                continue
            guid, other = end
            if target < 0:
                if seen.nodes[guid].switch:
                    return switch, port
                continue
            known = switch_of.get(guid), guid_of.get(target)
            if other != back or not seen.nodes[guid].switch or known not in ((None, None), (target, guid)):
                return switch, port
            if known == (None, None):
                guid_of[target], switch_of[guid] = guid, target
                queue.append(target)
        for port in node.links:
            if port not in ways[switch]:
                return switch, port
    if len(guid_of) < len(ways):
        missing = next(switch for switch in range(len(ways)) if switch not in guid_of)
        return missing, min(ways[missing], default=0)
    return guid_of


def _with_guids(
    fabric: Fabric, live: Path, seen: Subnet, guid_of: Mapping[int, int], ways: list[dict[int, End]]
) -> Fabric:
    from tulle.fabric import Fabric

    endpoints: dict[int, tuple[int, int, int, int, int]] = {}
    for switch, row in enumerate(ways):
        for port, (end, _) in row.items():
            if end >= 0:
                continue
            found = seen.nodes[guid_of[switch]].links.get(port)
            if found is None:
                name, at = fabric.endpoint_names[-1 - end], fabric.labels[switch]
                raise InputError(
                    f"{live}: no adapter at port {port} of {at}, expected {name}; legal: a network whose hosts are all "
                    "powered on"
                )
            guid, other = found
            port_guid = seen.nodes[guid].port_guids.get(other, guid + other)
            endpoints[-1 - end] = guid, port_guid, 0, 0, other
    switches = [(guid_of[switch], guid_of[switch], 0, 0, 0) for switch in range(fabric.num_switches)]
    arguments = fabric._core, (switches, [endpoints[endpoint] for endpoint in range(fabric.num_endpoints)])
    return Fabric._of(_tulle.in_subnet(*arguments), fabric.seed, (_bind, (fabric, arguments[1])))


def _bind(fabric: Fabric, addresses: tuple[list[tuple[int, int, int, int, int]], ...]) -> _tulle.Fabric:
    return _tulle.in_subnet(fabric._core, addresses)  # type: ignore[arg-type]
