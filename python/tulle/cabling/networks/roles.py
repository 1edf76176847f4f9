"""Decide which devices are hosts, by patterns, roles, announcements and names.

A host never forwards between two switches. The rules apply in this order:

1. ``--hosts`` patterns, then the role in a file (``function``, ``role``, a NetBox role), or the list of adapters;
2. otherwise a device with one cable is a host, unless it is named like a switch (``spine2``). If a cable is the only
   one of both of its devices, they are switches, unless a name says otherwise;
3. otherwise a device without connected hosts is a host if it is named like a host (``server1``). It is also a host if
   all its ports are named like ports of a server (``eth1``, ``ens1f0``) and the ports at the other ends are not.

A spine switch has cables to several switches and no hosts, exactly like a host with several ports. The graph does not
distinguish them, so a device with several cables is a switch unless its names mark it as a host.
"""

from __future__ import annotations

import re
from collections import defaultdict
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tulle.cabling.networks.assembly import Cable

_WORD = re.compile(r"[a-z]+")
_HOST = {
    *(
        "h",
        "host",
        "hosts",
        "server",
        "servers",
        "srv",
        "svr",
        "endpoint",
        "client",
        "station",
        "workstation",
        "worker",
    ),
    *(
        "compute",
        "node",
        "nodes",
        "gpu",
        "gpus",
        "dgx",
        "hgx",
        "pc",
        "vm",
        "esx",
        "esxi",
        "hypervisor",
        "kvm",
        "baremetal",
    ),
    *("storage", "nas", "san", "nfs", "hca", "nic", "cpu", "appliance", "db"),
}
_SWITCH = {
    *("switch", "sw", "leaf", "leafs", "leaves", "spine", "spines", "superspine", "tor", "top", "eor", "mor", "core"),
    *("agg", "aggr", "aggregation", "access", "distribution", "dist", "edge", "border", "exit", "fabric", "bridge"),
    *("router", "rtr", "gateway", "gw", "firewall", "fw", "ocs", "ixp", "oob", "mgmt"),
}
# Interface names of servers, for example of Linux, ESXi, InfiniBand and Slingshot.
_NIC = re.compile(
    r"(?:eth\d+|eno\d+|ens\d+\w*|enp\d+\w*|enx[0-9a-f]{12}|em\d+|p\d+p\d+(?:_\d+)?|bond\d+|ib\d+|ibp\w+|mlx\d_\d+|hsn\d+|"
    r"nic[\d.\-]*\w*|ocp\d*\w*|net\d+|vmnic\d+|rdma\d+|gpu\d+|rail\d+|port\d+@hca|hca-?\d+)$",
    re.IGNORECASE,
)


def kind_of_role(role: str) -> str:
    """Return ``host`` or ``switch`` from the words of a role; empty if unclear. "Storage switch" gives ``switch``."""
    words = {*_WORD.findall(role.lower())}
    if words & _SWITCH:
        return "switch"
    return "host" if words & _HOST else ""


def kind_of_name(name: str) -> str:
    """Return ``host`` or ``switch`` from the words of a device name without its domain; empty if unclear."""
    return kind_of_role(name.split(".")[0])


def is_server_port(port: str) -> bool:
    """Return whether a port is named like an interface of a server."""
    return _NIC.match(port) is not None


def matches(name: str, patterns: Sequence[str]) -> bool:
    """Return whether one of the patterns matches the name."""
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def hosts_of(
    cables: Sequence[Cable], roles: dict[str, str], switches: set[str], adapters: set[str]
) -> tuple[set[str], list[str]]:
    """Return all hosts, and a sorted list of the devices that are hosts only because of their names (rule 3).

    Parameters
    ----------
    cables
        All cables of the network.
    roles
        The known kinds of devices: ``host`` or ``switch``.
    switches, adapters
        Devices that are switches or adapters according to the files.
    """
    ends: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
    for cable in cables:
        (a, a_port), (b, b_port) = cable.ends
        ends[a].append((a_port, b, b_port))
        ends[b].append((b_port, a, a_port))
    known = {name for name, kind in roles.items() if kind == "host"} | adapters
    fixed = known | switches | {name for name, kind in roles.items() if kind == "switch"}
    alone = {name for name, of in ends.items() if len(of) == 1 and kind_of_name(name) != "switch"} - fixed
    # Two devices with a single cable between them are two switches, unless a name says otherwise.
    pairs = {name for name in alone if ends[name][0][1] in alone and kind_of_name(name) != "host"}
    hosts = known | (alone - pairs)
    marked = []
    for name in sorted(ends):
        if name in fixed or name in hosts or len(ends[name]) < 2:
            continue
        carries = any(other in hosts for _, other, _ in ends[name])
        if not carries and marks_host(name, [(port, there) for port, _, there in ends[name]]):
            marked.append(name)
    # If marked devices are connected only to each other, they cannot all be hosts.
    found = [name for name in marked if not all(other in marked for _, other, _ in ends[name])]
    return hosts | {*found}, found


def marks_host(name: str, ports: Sequence[tuple[str, str]]) -> bool:
    """Return whether names mark a device as a host.

    The device is named like a server. Or all its ports are named like ports of a server, and the ports at the other
    ends are not.

    Parameters
    ----------
    name
        The name of the device.
    ports
        The device's port and the port at the other end, for every cable of the device.
    """
    kind = kind_of_name(name)
    if kind:
        return kind == "host"
    return all(_NIC.match(port) and there and not _NIC.match(there) for port, there in ports)
