"""The small files of a bundle: LIDs by GUID, root switches, node names, partitions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle.cabling.source import shown
from tulle.errors import InputError
from tulle.fabric.hosts import host_ends

if TYPE_CHECKING:
    from tulle.deploy.infiniband.generate import Deployment
    from tulle.fabric import Fabric

_MOST_PORTS = 254


def check_ports(fabric: Fabric) -> None:
    """Check that port names, if any, are InfiniBand port numbers, because forwarding tables need numbers.

    Raises
    ------
    tulle.InputError
        For a port name that is not a legal number.
    """
    properties = fabric.properties
    ends = [*zip(fabric.endpoint_switch.tolist(), properties.get("endpoint_ports") or (), strict=False)]
    for pair, ports in zip(fabric.edges.tolist(), properties.get("ports") or (), strict=False):
        ends += zip(pair, ports, strict=True)
    for switch, port in ends:
        if port and not (port.isascii() and port.isdigit() and len(port) < 4 and int(port) <= _MOST_PORTS):
            raise InputError(
                f"port {shown(port)} of {fabric.labels[switch]} is not an InfiniBand port; legal: 1 to {_MOST_PORTS}, "
                "for example from `tulle import ibnetdiscover`; for Ethernet use `tulle deploy linux`, frr, sonic "
                "or ovs"
            )


def guid2lid(made: Deployment) -> str:
    """Write the LIDs by port GUID in the format of OpenSM's cache."""
    properties = made.fabric.properties
    ranges = [(port, lid, lid) for _, port, lid, _, _ in properties["switch_addresses"]]
    ranges += [(port, lid, lid + (1 << lmc) - 1) for _, port, lid, lmc, _ in properties["endpoint_addresses"]]
    return "".join(f"0x{port:016x} 0x{first:04x} 0x{last:04x}\n\n" for port, first, last in sorted(ranges))


def roots(fabric: Fabric) -> list[int]:
    """The switches of the top level; in a fabric without levels, the first switch with the most cables."""
    import numpy as np

    levels = fabric.levels
    if levels.any():
        return np.flatnonzero(levels == levels.max()).tolist()
    return [int(np.bincount(fabric.channels[:, 0], minlength=fabric.num_switches).argmax())]


def root_guids(made: Deployment) -> str:
    """Write the GUIDs of `roots`, for OpenSM's own engines."""
    addresses = made.fabric.properties["switch_addresses"]
    return "".join(f"0x{addresses[switch][0]:016x}\n" for switch in roots(made.fabric))


def node_names(made: Deployment) -> str:
    """Write the node names for OpenSM and the diagnostic tools."""
    fabric, properties = made.fabric, made.fabric.properties
    names = {address[0]: name for address, name in zip(properties["switch_addresses"], fabric.labels, strict=True)}
    hosts = [host or name for (host, _), name in zip(host_ends(fabric), fabric.endpoint_names, strict=True)]
    for address, name in zip(properties["endpoint_addresses"], hosts, strict=True):
        names.setdefault(address[0], name)
    return "".join(f'0x{guid:016x} "{_shown(name)}"\n' for guid, name in names.items())


def partitions(made: Deployment) -> str:
    """Write OpenSM's default partition, with the service level of its multicast groups, which IPoIB uses too."""
    level = made.multicast_sl or 0
    return f"Default=0x7fff, ipoib, sl={level} : ALL=full, SELF=full ;\n"


def _shown(name: str) -> str:
    return "".join(letter for letter in name if letter.isprintable() and letter != '"')
