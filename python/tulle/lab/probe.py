"""Check that packets take the planned paths hop by hop, in every layer, between every pair of switches."""

from __future__ import annotations

import time
from dataclasses import dataclass
from ipaddress import ip_address
from typing import TYPE_CHECKING

import numpy as np

from tulle._internal.html_summary import Overview, Shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tulle.deploy.ethernet.plan import EthernetPlan
    from tulle.lab.sandbox import Sandbox

__all__ = ["Probed", "Wrong", "probe"]

# UDP ports of probes. No process listens on the destination port, which traceroute uses first, so the destination host
# answers with an ICMP error.
_SOURCE_PORT, _PORT = 33000, 33434
_MAGIC = b"tull"

# The ICMP type and code of answers from a switch and from the destination host, by IP version.
_EXCEEDED = {4: (11, 0), 6: (3, 0)}
_UNREACHABLE = {4: (3, 3), 6: (1, 4)}

# The names of ICMP messages by type and code, per IP version (RFC 792, RFC 1812, RFC 4443).
_MESSAGES = {
    4: {
        (3, 0): "network unreachable",
        (3, 1): "host unreachable",
        (3, 2): "protocol unreachable",
        (3, 3): "port unreachable",
        (3, 4): "packet too big",
        (3, 9): "network prohibited",
        (3, 10): "host prohibited",
        (3, 13): "prohibited",
        (5, 0): "redirect",
        (5, 1): "redirect",
        (11, 0): "time exceeded",
    },
    6: {
        (1, 0): "no route",
        (1, 1): "prohibited",
        (1, 3): "address unreachable",
        (1, 4): "port unreachable",
        (1, 6): "route rejected",
        (2, 0): "packet too big",
        (3, 0): "time exceeded",
    },
}


@dataclass(frozen=True)
class Wrong(Shown):
    """A path that differs from the plan."""

    layer: int
    source: str
    """The sending host."""
    destination: str
    seen: tuple[str, ...]
    """The node that answered at each hop: a switch, a host, another address, or ``-`` for no answer.

    If the node sends another ICMP message than planned, this message follows in parentheses.
    """
    hops: int
    """The index of the first wrong hop in `seen`."""
    planned: tuple[str, ...]
    """The nodes that the plan allows at the first wrong hop."""

    @property
    def text(self) -> str:
        """A description of the difference."""
        hop, seen = f"hop {self.hops + 1}", self.seen[self.hops]
        name, _, answer = seen.partition(" (")
        planned = " or ".join(self.planned)
        if answer:
            right = "port unreachable" if self.planned == (self.destination,) else "time exceeded"
            sender = "" if self.planned == (name,) else f" from {planned}"
            what = f"{hop} {name} answers '{answer.removesuffix(')')}', expected '{right}'{sender}"
        else:
            what = f"{hop} {'does not answer' if seen == '-' else f'is {seen}'}, expected {planned}"
        return f"layer {self.layer}, {self.source} to {self.destination}: {what} (path: {' '.join(self.seen)})"


@dataclass(frozen=True)
class Probed(Shown):
    """The result of probing the paths of a lab."""

    paths: int
    """The number of probed paths: one per layer and ordered pair of switches with hosts."""
    probes: int
    """The number of probes, one per hop of each path."""
    sent: int
    """The number of packets sent, including repetitions of probes without an answer."""
    exact: int
    """The number of paths whose hops are all as planned."""
    wrong: tuple[Wrong, ...]
    """The paths that differ from the plan."""
    seconds: float
    """The duration in seconds."""

    @property
    def agrees(self) -> bool:
        """Whether all probed paths are as planned."""
        return not self.wrong

    def _overview(self) -> Overview:
        values = {
            "agrees": self.agrees,
            "paths": self.paths,
            "exact": self.exact,
            "probes": self.probes,
            "sent": self.sent,
        }
        rows = [{"layer": wrong.layer, "difference": wrong.text} for wrong in self.wrong]
        return Overview("Probed paths", "", values, rows=rows)


class _Ways:
    """The next switches and the path lengths that follow from the table entries of a plan."""

    def __init__(self, plan: EthernetPlan) -> None:
        self._plan = plan
        self._next = [
            [tuple(sorted({_ahead(plan, switch, port) for port, _ in hops})) for hops in plan.groups(switch)]
            for switch in range(len(plan.names))
        ]
        self._group = [plan.group_of(switch).tolist() for switch in range(len(plan.names))]
        self._longest: dict[tuple[int, int], dict[int, int]] = {}

    def ahead(self, layer: int, switch: int, place: int) -> tuple[int, ...]:
        """Return the next switches of `switch` toward a destination, given by its index in the plan's destinations."""
        group: int = self._group[switch][layer][place]
        return self._next[switch][group]

    def longest(self, layer: int, switch: int, place: int) -> int:
        """Return the number of hops of the longest path from `switch` to a destination, given by its index."""
        known = self._longest.setdefault((layer, place), {self._plan.destinations[place]: 0})
        path = [switch]
        while path:
            if path[-1] in known:
                path.pop()
                continue
            ahead = self.ahead(layer, path[-1], place)
            unknown = [one for one in ahead if one not in known]
            if unknown:
                # This iteration ends, because planned paths have no loops.
                path.append(unknown[0])
            else:
                known[path.pop()] = 1 + max(known[one] for one in ahead)
        return known[switch]


def _ahead(plan: EthernetPlan, switch: int, number: int) -> int:
    return plan.peer(plan.by_number[switch][number])[0]


def probe(sandbox: Sandbox, plan: EthernetPlan, *, layers: Sequence[int] | None = None) -> Probed:
    """Probe all paths of some or all layers.

    There is a path from each switch with hosts to each other switch with hosts. For every hop of a path, a host sends a
    packet whose time to live expires at this hop, and the answering node is compared with the plan. The paths of a
    switch are spread over its hosts.
    """
    began = time.monotonic()
    ways = _Ways(plan)
    chosen = range(plan.num_layers) if layers is None else layers
    rows = []
    for source in plan.destinations:
        for layer in chosen:
            for place, destination in enumerate(plan.destinations):
                if source == destination:
                    continue
                here, there = plan.hosts_at[source], plan.hosts_at[destination]
                sender, receiver = here[(destination + layer) % len(here)], there[(source + layer) % len(there)]
                rows.append((sender.endpoint, layer, place, receiver.endpoint, ways.longest(layer, source, place)))
    if not rows:
        return Probed(0, 0, 0, 0, (), 0.0)
    paths = np.array(rows, dtype=np.int64)
    paths = paths[np.argsort(paths[:, 0], kind="stable")]
    # Two hops are added to those between switches: the sender's switch and the destination host also answer.
    counts = paths[:, 4] + 2
    first = np.concatenate(([0], np.cumsum(counts)))
    of = np.repeat(np.arange(len(paths)), counts)
    ttl = np.arange(len(of)) - first[of] + 1
    packets = _packets(plan, paths[of], ttl)
    senders = paths[of][:, 0]
    sources = [
        {
            "name": plan.hosts[sender].name,
            "first": int(np.searchsorted(senders, sender)),
            "last": int(np.searchsorted(senders, sender, side="right")),
        }
        for sender in np.unique(senders).tolist()
    ]
    job = {
        "job": "probes",
        "version": plan.addressing.version,
        "length": packets.shape[1],
        "sources": sources,
        "packets": packets.tobytes(),
    }
    done = sandbox.run(job, timeout=30 + len(of) / 500)
    answers = np.frombuffer(done["answers"], dtype=np.uint8).reshape(-1, 18)
    wrong = _compare(plan, ways, paths, first, answers)
    seconds = round(time.monotonic() - began, 3)
    return Probed(len(paths), len(of), done["sent"], len(paths) - len(wrong), tuple(wrong), seconds)


def _packets(plan: EthernetPlan, paths: NDArray[np.int64], ttl: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Build a packet per probe, uint8 (probes, bytes): IP and UDP headers, and the number of the probe as payload."""
    six = plan.addressing.version == 6
    table = np.array(
        [[list(ip_address(address).packed) for address in host.addresses] for host in plan.hosts], dtype=np.uint8
    )
    source, destination = table[paths[:, 0], paths[:, 1]], table[paths[:, 3], paths[:, 1]]
    head = 40 if six else 20
    made = np.zeros((len(ttl), head + 16), dtype=np.uint8)
    if six:
        made[:, 0] = 0x60
        made[:, 5], made[:, 6], made[:, 7] = 16, 17, ttl
        made[:, 8:24], made[:, 24:40] = source, destination
    else:
        made[:, 0] = 0x45
        made[:, 3], made[:, 8], made[:, 9] = head + 16, ttl, 17
        made[:, 12:16], made[:, 16:20] = source, destination
    udp = made[:, head:]
    for place, value in ((0, _SOURCE_PORT), (2, _PORT), (4, 16)):
        udp[:, place], udp[:, place + 1] = value >> 8, value & 255
    udp[:, 8:12] = np.arange(len(ttl), dtype=">u4").view(np.uint8).reshape(-1, 4)
    udp[:, 12:16] = np.frombuffer(_MAGIC, dtype=np.uint8)
    if six:
        # The checksum covers the addresses, the length and the protocol (RFC 8200 §8.1). With IPv4, the UDP checksum is
        # optional.
        words = np.ascontiguousarray(made[:, 8:]).view(">u2").astype(np.int64).sum(axis=1) + 16 + 17
        words = (words & 0xFFFF) + (words >> 16)
        words = 0xFFFF - ((words & 0xFFFF) + (words >> 16))
        words[words == 0] = 0xFFFF
        udp[:, 6], udp[:, 7] = words >> 8, words & 255
    return made


def _compare(
    plan: EthernetPlan,
    ways: _Ways,
    paths: NDArray[np.int64],
    first: NDArray[np.int64],
    answers: NDArray[np.uint8],
) -> list[Wrong]:
    version = plan.addressing.version
    exceeded, unreachable = bytes(_EXCEEDED[version]), bytes(_UNREACHABLE[version])
    switch_of = {_packed(plan.addressing.router(switch)) + exceeded: switch for switch in range(len(plan.names))}
    raw = answers.tobytes()
    wrong = []
    for number, (sender, layer, place, receiver, _) in enumerate(paths.tolist()):
        start, stop = int(first[number]), int(first[number + 1])
        seen = [raw[18 * at : 18 * at + 18] for at in range(start, stop)]
        end = _packed(plan.hosts[receiver].addresses[layer]) + unreachable
        legal: tuple[int, ...] = (plan.hosts[sender].switch,)
        at_end = False
        for hop, answer in enumerate(seen):
            if at_end:
                # There is a probe per hop of the longest planned path. If the actual path is shorter, the host answers
                # all further probes.
                right = answer == end
                planned: tuple[str, ...] = (plan.hosts[receiver].name,)
            else:
                switch = switch_of.get(answer)
                right = switch in legal
                planned = tuple(plan.names[one] for one in legal)
            if not right:
                shown = tuple(_name(plan, switch_of, one, end, receiver) for one in seen)
                names = (plan.hosts[sender].name, plan.hosts[receiver].name)
                wrong.append(Wrong(layer, *names, shown, hop, planned))
                break
            if not at_end:
                assert switch is not None
                at_end = switch == plan.hosts[receiver].switch
                legal = () if at_end else ways.ahead(layer, switch, place)
    return wrong


def _packed(address: str) -> bytes:
    return ip_address(address).packed.rjust(16, b"\0")


def _name(plan: EthernetPlan, switch_of: dict[bytes, int], answer: bytes, end: bytes, receiver: int) -> str:
    if answer in switch_of:
        return plan.names[switch_of[answer]]
    if answer == end:
        return plan.hosts[receiver].name
    if not any(answer):
        return "-"
    address = str(ip_address(answer[:16] if plan.addressing.version == 6 else answer[12:16]))
    known = {plan.addressing.router(switch): name for switch, name in enumerate(plan.names)}
    kind = answer[16], answer[17]
    message = _MESSAGES[plan.addressing.version].get(kind, f"ICMP type {kind[0]} code {kind[1]}")
    return f"{known.get(address, address)} ({message})"
