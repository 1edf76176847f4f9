"""The actual links of a bundle's switches, including cables in wrong ports."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tulle._internal.text import listed
from tulle.deploy.infiniband.intent import Links
from tulle.deploy.infiniband.rebind import find_replaced
from tulle.deploy.reach import Wires

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from tulle.deploy.infiniband.intent import Intent
    from tulle.deploy.read.subnet import Node, Subnet

    End = tuple[int, int]

__all__ = ["Wiring", "counted_paths", "planned_wires", "unplug", "wiring_of"]

# Maximum number of cables in an instruction.
_MOST_LISTED = 4


class Wiring(NamedTuple):
    """The actual links of a subnet, by the switches and ports of a bundle."""

    links: Links
    """The links between planned switches, and between planned switches and hosts."""
    wires: Wires
    """All actual links that packets follow, for the proof."""
    misplaced: tuple[str, ...]
    """Cables between switches that are not planned, as text for instructions."""
    unplanned: Mapping[End, Node]
    """The nodes outside the bundle to which ports of switches lead, by switch and port."""


def planned_wires(links: Links) -> Wires:
    """The planned links, all of which are up."""
    none = np.full(links.to.shape, -1, np.int32)
    return Wires(links.to, links.port, np.zeros(links.to.shape, np.bool_), none, links.port)


def wiring_of(intent: Intent, subnet: Subnet) -> Wiring:
    """The links that ``ibnetdiscover`` found."""
    shape = len(intent.switch_guids), intent.num_ports
    to, port, endpoint = np.full(shape, -1, np.int32), np.zeros(shape, np.uint8), np.full(shape, -1, np.int32)
    foreign = np.zeros(shape, np.bool_)
    planned, labels = intent.links, intent.fabric.labels
    misplaced = []
    unplanned: dict[End, Node] = {}
    # A switch that replaces a missing one has the planned cables.
    replacing = {one.new[0] for one in find_replaced(intent.bundle, subnet)}
    for link in sorted(subnet.links()):
        for (guid, here), (peer, there) in (link, link[::-1]):
            switch, other = intent.switch_of.get(guid), intent.switch_of.get(peer)
            if switch is None:
                continue
            if other is not None:
                to[switch, here], port[switch, here] = other, there
                is_planned = planned.to[switch, here] == other and planned.port[switch, here] == there
                if not is_planned and (guid, here) == link[0]:
                    misplaced.append(f"{labels[switch]} port {here} to {labels[other]} port {there}")
                continue
            node = subnet.nodes[peer]
            if (peer, there) in intent.adapter_of:
                endpoint[switch, here] = intent.adapter_of[peer, there]
            else:
                unplanned[switch, here] = node
            if node.forwards:
                foreign[switch, here] = True
                if peer not in replacing:
                    misplaced.append(f"{labels[switch]} port {here} to {node.name} port {there}")
    gone = np.where((planned.to >= 0) & ((to != planned.to) | (port != planned.port)), planned.to, -1)
    wires = Wires(to, port, foreign, gone.astype(np.int32), planned.port)
    return Wiring(Links(to, port, endpoint), wires, tuple(misplaced), unplanned)


def counted_paths(intent: Intent, links: Links) -> NDArray[np.bool_]:
    """Return the paths that all commands count, by source switch and LID.

    A path leads from a switch with live hosts to a LID of a host of another switch. `links` are the actual links.
    """
    hosts = np.any(links.endpoint >= 0, axis=1, keepdims=True)
    elsewhere = intent.lid_switch != np.arange(len(links.endpoint))[:, None]
    found: NDArray[np.bool_] = hosts & elsewhere & (intent.lid_endpoint >= 0)
    return found


def unplug(cables: Sequence[str]) -> str:
    """The instruction for cables that are not planned."""
    return f"first unplug the cables that are not planned, {listed(cables, _MOST_LISTED)}"
