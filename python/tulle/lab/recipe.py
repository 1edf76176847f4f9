"""Make the recipe of a sandbox: its nodes with their configuration files, and its cables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tulle.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from tulle.deploy.ethernet.plan import EthernetPlan

__all__ = ["QUEUE_MS", "Node", "nodes", "recipe"]

QUEUE_MS = 50
"""The longest time in ms that packets wait in the queue of a cable."""

_SWITCH = ("addresses.batch", "neighbours.batch", "routes.batch")
_HOST = (*_SWITCH, "mptcp.batch")

# ICMP answers have no rate limit, because every probe needs an answer. Duplicate address detection and router
# solicitations are off, because the plan assigns all addresses.
_SYSCTLS = """\
net.ipv4.icmp_ratelimit = 0
net.ipv4.icmp_ratemask = 0
-net.ipv6.icmp.ratelimit = 0
-net.ipv6.icmp.ratemask =
-net.ipv6.conf.default.accept_dad = 0
-net.ipv6.conf.default.accept_ra = 0
-net.ipv6.conf.default.router_solicitations = 0
"""
_NO_IPV6 = "-net.ipv6.conf.all.disable_ipv6 = 1\n-net.ipv6.conf.default.disable_ipv6 = 1\n"


class Node:
    """A network namespace: a switch or a host."""

    def __init__(self, name: str, folder: Path, batches: Sequence[str], sysctls: Sequence[str]) -> None:
        self.name = name
        self.folder = folder
        self.interfaces: list[str] = []
        self.limited: list[str] = []
        """The interfaces with a rate limit: those at cables between switches."""
        self.batches = [str(folder / batch) for batch in batches]
        self.sysctls = [str(folder / file) for file in sysctls]

    def row(self, shaping: str) -> dict[str, Any]:
        """Return the fields of the node in the recipe for the sandbox's init process."""
        links = "".join(f"link set dev {name} up\n" for name in ("lo", *self.interfaces))
        rates = "".join(f"qdisc add dev {name} root {shaping}\n" for name in self.limited) if shaping else ""
        return {
            "name": self.name,
            "sysctls": self.sysctls,
            "batches": self.batches,
            "links": links,
            "rates": rates,
        }


def recipe(place: Path, plan: EthernetPlan, *, rate: float, lifetime: float, state: dict[str, Any]) -> dict[str, Any]:
    """Make the recipe that the sandbox's init process reads.

    Parameters
    ----------
    place
        The folder of the bundle.
    plan
        The plan of the bundle.
    rate
        The rate of cables in bit/s, per direction.
    lifetime
        The time in seconds after which the lab ends.
    state
        Properties of the lab, which `Lab.state` returns.

    Raises
    ------
    tulle.FormatError
        If the file ``links`` of a switch lacks a port.
    """
    switches, hosts = nodes(place, plan)
    names = plan.names
    cables = []
    macs = {node.name: _macs(node.folder / "links") for node in switches}
    for switch, ports in enumerate(plan.ports):
        for port in ports:
            if port.endpoint is not None:
                host = plan.hosts[port.endpoint]
                other = f"netns {hosts[host.endpoint].name} name {host.interface} address {host.mac}"
                hosts[host.endpoint].interfaces.append(host.interface)
            else:
                there, peer = plan.peer(port)
                switches[switch].limited.append(port.name)
                if (there, peer.number) < (switch, port.number):
                    switches[switch].interfaces.append(port.name)
                    continue
                other = f"netns {names[there]} name {peer.name} address {_mac(macs, names[there], peer.name, place)}"
            switches[switch].interfaces.append(port.name)
            name = names[switch]
            mac = _mac(macs, name, port.name, place)
            cables.append(f"link add netns {name} name {port.name} address {mac} type veth peer {other}\n")
    return {
        "nodes": [node.row(shaping(rate)) for node in switches] + [node.row("") for node in hosts],
        "cables": "".join(cables),
        "sysctls": _SYSCTLS + (_NO_IPV6 if plan.addressing.version == 4 else ""),
        "lifetime": lifetime,
        "state": state,
    }


def shaping(rate: float) -> str:
    """Return the arguments of ``tc`` for a queue that sends at `rate` bit/s."""
    # The burst lasts at least 10 ms, so that it covers a tick of the kernel's clock, and holds at least a few packets.
    burst = max(16384, round(rate / 8 / 100))
    return f"tbf rate {rate:.0f}bit burst {burst} latency {QUEUE_MS}ms"


def nodes(place: Path, plan: EthernetPlan) -> tuple[list[Node], list[Node]]:
    """Return the nodes of the switches and of the hosts, both in the order of ids."""
    folder = place.resolve()
    return (
        [Node(name, folder / "switches" / name, _SWITCH, ("sysctl.conf",)) for name in plan.names],
        [Node(host.name, folder / "hosts" / host.name, _HOST, ()) for host in plan.hosts],
    )


def _macs(path: Path) -> dict[str, str]:
    rows = (line.split() for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#"))
    return {row[0]: row[1] for row in rows if len(row) > 1}


def _mac(macs: Mapping[str, dict[str, str]], switch: str, port: str, place: Path) -> str:
    if port not in macs[switch]:
        raise FormatError(
            f"{place}: the file `links` of switch {switch} lacks port {port}; legal: the file as tulle wrote it"
        )
    return macs[switch][port]
