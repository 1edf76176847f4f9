"""Which devices are hosts: by their role, by patterns, by what they announce, and by what marks them.

A host is never on the way between two switches. What decides, in this order:

1. ``--hosts`` patterns, then the role that a file tells (``function``, ``role``, a NetBox role), or its adapters;
2. otherwise a device with one cable is a host, unless it is called as a switch (``spine2``), or its only neighbour has
   no other cable either;
3. otherwise a device that carries no other host is a host if something marks it: a name such as ``server1``, or ports
   that all are called as those of a server (``eth1``, ``ens1f0``) at cables whose other ends are not.

A spine has cables to several switches and carries no host, exactly as a host with several ports: the graph cannot tell
the two apart, so that without a mark a device with several cables is a switch.
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
# Names of servers' interfaces: of Linux, by slot and function, of InfiniBand and Slingshot, of the vendors' BMCs.
_NIC = re.compile(
    r"(?:eth\d+|eno\d+|ens\d+\w*|enp\d+\w*|enx[0-9a-f]{12}|em\d+|p\d+p\d+(?:_\d+)?|bond\d+|ib\d+|ibp\w+|mlx\d_\d+|hsn\d+|"
    r"nic[\d.\-]*\w*|ocp\d*\w*|net\d+|vmnic\d+|rdma\d+|gpu\d+|rail\d+|port\d+@hca|hca-?\d+)$",
    re.IGNORECASE,
)


def kind_of_role(role: str) -> str:
    """``host``, ``switch``, or nothing where the words of a role tell neither; a storage switch is a switch."""
    words = {*_WORD.findall(role.lower())}
    if words & _SWITCH:
        return "switch"
    return "host" if words & _HOST else ""


def kind_of_name(name: str) -> str:
    """The same by the name of a device, without its domain."""
    return kind_of_role(name.split(".")[0])


def is_server_port(port: str) -> bool:
    """Whether a port is called as those of servers are."""
    return _NIC.match(port) is not None


def matches(name: str, patterns: Sequence[str]) -> bool:
    """Whether one of the patterns fits."""
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def hosts_of(
    cables: Sequence[Cable], roles: dict[str, str], switches: set[str], adapters: set[str]
) -> tuple[set[str], list[str]]:
    """The devices that are hosts, and those of them that only a mark tells, in order.

    Parameters
    ----------
    cables
        All of the network.
    roles
        Kinds of devices that something tells: ``host`` or ``switch``.
    switches, adapters
        Devices that the files know as such.
    """
    ends: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
    for cable in cables:
        (a, a_port), (b, b_port) = cable.ends
        ends[a].append((a_port, b, b_port))
        ends[b].append((b_port, a, a_port))
    told = {name for name, kind in roles.items() if kind == "host"} | adapters
    fixed = told | switches | {name for name, kind in roles.items() if kind == "switch"}
    alone = {name for name, of in ends.items() if len(of) == 1 and kind_of_name(name) != "switch"} - fixed
    # Two devices with one cable between them are two switches, unless a name tells.
    pairs = {name for name in alone if ends[name][0][1] in alone and kind_of_name(name) != "host"}
    hosts = told | (alone - pairs)
    marked = []
    for name in sorted(ends):
        if name in fixed or name in hosts or len(ends[name]) < 2:
            continue
        carries = any(other in hosts for _, other, _ in ends[name])
        if not carries and marks_host(name, [(port, there) for port, _, there in ends[name]]):
            marked.append(name)
    # Two devices with marks and cables between them: neither may be the other's switch.
    found = [name for name in marked if not all(other in marked for _, other, _ in ends[name])]
    return hosts | {*found}, found


def marks_host(name: str, ports: Sequence[tuple[str, str]]) -> bool:
    """Whether a device is called as a server, or all its ports are and none at the other ends.

    Parameters
    ----------
    name
        The name of the device.
    ports
        Per cable its port, and the one at the other end.
    """
    kind = kind_of_name(name)
    if kind:
        return kind == "host"
    return all(_NIC.match(port) and there and not _NIC.match(there) for port, there in ports)
