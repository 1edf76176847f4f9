"""Find the causes of differences between a bundle and a live subnet: cables at wrong ports, and nodes with new GUIDs.

Looping paths, credit loops and paths that end at wrong nodes are consequences. New tables do not remove them.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from tulle._internal.html_summary import Shown, shown
from tulle._internal.text import tulle_command
from tulle.cabling.verify import slow_text
from tulle.deploy.infiniband.rebind import Replacement, find_replaced
from tulle.deploy.wrong_ports import HOST, correct_first, find_wrong_ports

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tulle.deploy.infiniband.bundle import Bundle
    from tulle.deploy.read.subnet import Subnet

    End = tuple[int, int]

__all__ = ["NO_CAUSES", "Causes", "find_causes", "planned_cables", "planned_rates", "repair_command"]

CORRECT = "first correct the cabling, as above"
UNPLUG = "first unplug the cables that are not planned, as above"
BIND = "first bind the new node, as above"


@shown
class Slow(NamedTuple):
    """A planned cable that runs at a lower rate than planned."""

    is_between: bool
    """Whether the cable is between two switches."""
    instruction: str


@dataclass(frozen=True)
class Causes(Shown):
    """Cables at wrong ports, replaced nodes, and the remaining differences of cables. An end is a GUID and a port."""

    wrong_ports: tuple[str, ...]
    """One line per group of cables that are corrected together, with the correction."""
    replaced: tuple[Replacement, ...]
    """Missing nodes of the bundle, each with the unknown node that has its links."""
    ends: frozenset[End]
    """The ports of cables at wrong ports, actual and planned ones."""
    cables: frozenset[tuple[End, End]]
    """The planned cables that are at wrong ports."""
    endpoints: frozenset[int]
    """The endpoints at wrong ports, and those of replaced adapters."""
    missing: tuple[tuple[End, End], ...]
    """All other planned cables that are missing, although the nodes at both ends are there."""
    extra: tuple[tuple[End, End], ...]
    """All other actual cables between nodes of the bundle that are not planned."""
    explained: int
    """The number of actual cables that are not in the bundle because they are at wrong ports or at replaced nodes."""
    slow: tuple[Slow, ...] = ()
    """The planned cables that run at a lower rate than planned."""

    def advice(self, at: End, *, then: str = "") -> str:
        """Return the instruction for paths that end at a port because of the cabling, followed by `then`.

        The text is empty for other ports.
        """
        if at in self.ends:
            return f"{CORRECT}{then}"
        if any(at in link for link in self.extra):
            return f"{UNPLUG}{then}"
        return ""

    @property
    def cabling_advice(self) -> str:
        """The instruction for the consequences of all wrong cables; empty if no cable is wrong."""
        if self.wrong_ports:
            return CORRECT
        return UNPLUG if self.extra else ""

    @property
    def first_step(self) -> str:
        """The instruction to correct the cabling; empty if no cable is at a wrong port."""
        return correct_first(self.wrong_ports) if self.wrong_ports else ""

    def replaced_texts(self, bundle: Bundle, live: str | Path | None) -> list[str]:
        """Return one line per replaced node, with the command that binds the new node."""
        switches = {address[0] for address in bundle.switch_addresses}
        texts = []
        for one in self.replaced:
            name = f"{'switch' if one.old[0] in switches else 'host'} {one.name}"
            command = repair_command(bundle, live, "--bind", one.binding, "-o", bundle.place)
            texts.append(
                f"{name} (0x{one.old[0]:016x}) is missing, and node 0x{one.new[0]:016x} has its links: if this node "
                f"replaces {name}, run {command}"
            )
        return texts


NO_CAUSES = Causes((), (), frozenset(), frozenset(), frozenset(), (), (), 0)
"""The causes if no live subnet was read."""


def repair_command(bundle: Bundle, live: str | Path | None, *options: object) -> str:
    """Return the command that repairs a bundle with a live file, in backticks. Without `live`, it first writes one.

    Without `options`, the command only prints the changes.
    """
    file, first = ("live", "ibnetdiscover > live && ") if live is None else (live, "")
    command = tulle_command("deploy", "repair", bundle.place, "--live", file, *(options or ["--dry-run"]))
    return f"`{first}{command}`"


def find_causes(bundle: Bundle, subnet: Subnet) -> Causes:
    """Compare the cables of a subnet with those of a bundle; a node that replaces a missing one counts as that one."""
    replaced = tuple(find_replaced(bundle, subnet))
    old = {one.new[0]: one.old[0] for one in replaced}
    seen = subnet.with_guids(old) if old else subnet
    nodes = {address[0] for address in (*bundle.switch_addresses, *bundle.endpoint_addresses)} & seen.nodes.keys()
    actual = seen.links()
    planned = planned_cables(bundle)
    known = {_cable(*ends) for ends in planned}
    # The findings about missing nodes and about nodes outside the bundle already cover the links of these nodes.
    differing = [ends for ends in planned if _cable(*ends) not in actual and nodes >= {ends[0][0], ends[1][0]}]
    unplanned = sorted(link for link in actual - known if nodes >= {link[0][0], link[1][0]})
    named = _Names(bundle, seen)
    found = find_wrong_ports([(named(a), named(b)) for a, b in differing], [(named(a), named(b)) for a, b in unplanned])
    ends = frozenset(named.end[end] for move in found.moves for end in move.ends)
    cables = frozenset(_cable(*differing[row]) for move in found.moves for row in move.cables)
    texts, endpoints = [move.text for move in found.moves], set()
    switch_of = {address[0]: at for at, address in enumerate(bundle.switch_addresses)}
    extra = [(named.end[a], named.end[b]) for a, b in found.extra]
    for endpoint, address in enumerate(bundle.endpoint_addresses):
        switch = int(bundle.fabric.endpoint_switch[endpoint])
        here = bundle.switch_addresses[switch][0], bundle.endpoint_ports[endpoint]
        own = address[0], address[4]
        if address[0] in old.values() or _cable(here, own) in cables:
            endpoints.add(endpoint)
        # A host may be moved to another switch when its own switch fails.
        elsewhere = seen.nodes[own[0]].links.get(own[1]) if own[0] in seen.nodes else None
        if here[0] not in seen.nodes and elsewhere is not None and elsewhere[0] in switch_of:
            label = bundle.fabric.labels[switch]
            texts.append(
                f"{named.text(own)} is at {named.text(elsewhere)}, expected port {here[1]} of switch {label}, which is "
                "missing: no path leads to it until it is back at its port, or until you deploy a new bundle"
            )
            endpoints.add(endpoint)
            ends |= {own, elsewhere}
            extra = [link for link in extra if own not in link]
    at_replaced = sum(bool({end[0] for end in link} & {*old.values()}) for link in actual & known)
    return Causes(
        tuple(texts),
        replaced,
        ends,
        cables,
        frozenset(endpoints),
        tuple(differing[row] for row in found.missing),
        tuple(sorted(_cable(*link) for link in extra)),
        len(unplanned) - len(extra) + at_replaced,
        tuple(_slow(bundle, seen, named)),
    )


def _slow(bundle: Bundle, subnet: Subnet, named: _Names) -> Iterator[Slow]:
    """Yield the cables that are at their ports, but run at a lower rate than planned."""
    for (here, other), wanted in zip(planned_cables(bundle), planned_rates(bundle), strict=True):
        node = subnet.nodes.get(here[0])
        if wanted < 0 or node is None or node.links.get(here[1]) != other:
            continue
        ends = (subnet.nodes[guid].rates.get(port) for guid, port in (here, other))
        rates = [rate for rate in ends if rate is not None]
        if rates and min(rates) < wanted:
            between = any(other[0] == address[0] for address in bundle.switch_addresses)
            yield Slow(between, slow_text(named.text(here), named.text(other), min(rates), wanted))


def _cable(one: End, other: End) -> tuple[End, End]:
    return min(one, other), max(one, other)


def planned_cables(bundle: Bundle) -> list[tuple[End, End]]:
    """Return the cables of a bundle, sorted by switch and port. The first end is at a switch."""
    return [cable for cable, _ in _planned(bundle)]


def planned_rates(bundle: Bundle) -> list[int]:
    """Return the rates of `planned_cables` in bit/s; −1 if unknown."""
    return [rate for _, rate in _planned(bundle)]


def _planned(bundle: Bundle) -> list[tuple[tuple[End, End], int]]:
    fabric, reverse = bundle.fabric, bundle.fabric.reverse.tolist()
    rates, host_rates = fabric.link_rate.tolist(), fabric.endpoint_rate.tolist()
    guids = [address[0] for address in bundle.switch_addresses]
    rows: dict[tuple[int, int], tuple[tuple[End, End], int]] = {}
    for channel, (switch, other) in enumerate(fabric.channels.tolist()):
        here = guids[switch], bundle.ports[channel]
        if switch < other or (switch == other and channel < reverse[channel]):
            rows[switch, here[1]] = (here, (guids[other], bundle.ports[reverse[channel]])), rates[channel]
    for endpoint, address in enumerate(bundle.endpoint_addresses):
        switch, port = int(fabric.endpoint_switch[endpoint]), bundle.endpoint_ports[endpoint]
        rows[switch, port] = ((guids[switch], port), (address[0], address[4])), host_rates[endpoint]
    return [rows[at] for at in sorted(rows)]


class _Names:
    """Names of ports for messages. Hosts with several ports are several endpoints with different names."""

    def __init__(self, bundle: Bundle, subnet: Subnet) -> None:
        labels, names = bundle.fabric.labels, bundle.fabric.endpoint_names
        self._subnet = subnet
        self._switches = {address[0]: labels[at] for at, address in enumerate(bundle.switch_addresses)}
        counts = Counter(names)
        self._hosts: dict[End, str] = {}
        self._nodes: dict[int, str] = {}
        for name, address in zip(names, bundle.endpoint_addresses, strict=True):
            unique = name if counts[name] == 1 else f"{name} (0x{address[1]:016x})"
            self._hosts[address[0], address[4]] = f"{HOST}{unique}"
            self._nodes.setdefault(address[0], f"{HOST}{unique}")
        self.end: dict[tuple[str, str], End] = {}

    def __call__(self, end: End) -> tuple[str, str]:
        guid, port = end
        if guid in self._switches:
            found = f"switch {self._switches[guid]}", str(port)
        elif end in self._hosts:
            found = self._hosts[end], ""
        else:
            found = self._nodes[guid], f"{port} of the adapter"
        self.end[found] = end
        return found

    def text(self, end: End) -> str:
        name, port = self(end)
        return f"port {port} of {name}" if port else name
