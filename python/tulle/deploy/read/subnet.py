"""Read the output of ``ibnetdiscover``: nodes with GUIDs and LIDs, and the links between their ports."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tulle._internal.html_summary import Overview, Shown
from tulle.cabling.identity.nodes import is_aggregation
from tulle.cabling.live.ibnetdiscover import entries, rate_of
from tulle.cabling.source import Source, check_end, shown

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from os import PathLike

__all__ = ["Node", "Subnet", "read_subnet"]

_ID = re.compile(r"[SHR]-[0-9a-fA-F]{1,16}")
_BASE = re.compile(r"\blid (\d{1,5}) lmc (\d)\b")


@dataclass
class Node(Shown):
    """A switch or adapter."""

    guid: int
    switch: bool
    name: str
    ports: int
    forwards: bool = False
    """Whether the node forwards packets, as switches and routers do."""
    lid: int = 0
    """The LID of a switch; 0 if none is set."""
    port_guids: dict[int, int] = field(default_factory=dict)
    """For adapters: port to port GUID."""
    lids: dict[int, tuple[int, int]] = field(default_factory=dict)
    """For adapters: port to base LID and LMC."""
    links: dict[int, tuple[int, int]] = field(default_factory=dict)
    """The other end of each port's link, as node GUID and port."""
    rates: dict[int, int] = field(default_factory=dict)
    """The rate of each port's link in bit/s, if the file has it."""


@dataclass
class Subnet(Shown):
    """The nodes and links that ``ibnetdiscover`` found."""

    nodes: dict[int, Node]
    """The nodes by GUID, in the order of the file."""
    left_out: int = 0
    """The number of SHARP aggregation nodes that were left out."""

    def links(self) -> set[tuple[tuple[int, int], tuple[int, int]]]:
        """Every link once, as node GUID and port of both ends, the end with the smaller GUID first."""
        return {
            (min(one, other), max(one, other))
            for node in self.nodes.values()
            for one, other in (((node.guid, port), end) for port, end in node.links.items())
        }

    def with_guids(self, guids: Mapping[int, int]) -> Subnet:
        """Return the subnet with new node GUIDs: `guids` maps current GUIDs to new ones. Other nodes keep theirs."""

        def renamed(node: Node) -> Node:
            links = {port: (guids.get(guid, guid), there) for port, (guid, there) in node.links.items()}
            return replace(node, guid=guids.get(node.guid, node.guid), links=links)

        return replace(self, nodes={node.guid: node for node in map(renamed, self.nodes.values())})

    def _overview(self) -> Overview:
        switches = sum(node.switch for node in self.nodes.values())
        values = {"switches": switches, "adapters": len(self.nodes) - switches, "links": len(self.links())}
        rows = [
            {
                "name": node.name,
                "GUID": f"0x{guid:016x}",
                "switch": node.switch,
                "ports": node.ports,
                "links": len(node.links),
            }
            for guid, node in self.nodes.items()
        ]
        return Overview("Subnet", "", values, rows=rows)


def read_subnet(path: str | PathLike[str], planned: Collection[int] | None = None) -> Subnet:
    """Read the output of ``ibnetdiscover``.

    Parameters
    ----------
    path
        The file. Lines that InfiniBand libraries print in between, for example ``ibwarn: …``, are skipped.
    planned
        The GUIDs of the planned nodes. SHARP shows a part of every switch as an adapter, an aggregation node, at a port
        that has no socket. Aggregation nodes with other GUIDs are left out. None: no node is left out.

    Raises
    ------
    tulle.FileError
        For a file that cannot be read.
    tulle.FormatError
        For a line that ibnetdiscover does not print, a repeated GUID, a truncated file, or a link whose two ends
        disagree.
    """
    source = Source(Path(path))
    nodes: dict[int, Node] = {}
    ports: set[int] = set()
    for at, node, port, report in entries(source):
        if node is None or report is not None:
            raise source.error(at, "this is the output of ibnetdiscover -p; legal: the output without -p")
        id = node["id"] if port is None else port["id"]
        if not _ID.fullmatch(id):
            raise source.error(at, f"the node {shown(id)} has no GUID; legal: for example S-0000000000000001")
        guid = int(node["id"][2:], 16)
        if port is not None:
            _link(source, at, nodes[guid], port, ports)
            continue
        if guid in nodes:
            raise source.error(at, f"node 0x{guid:016x} is listed twice; legal: every GUID once")
        name = (node["name"] or "").strip() or node["id"]
        kind = node["kind"]
        nodes[guid] = Node(guid, kind == "Switch", name, int(node["ports"]), forwards=kind in ("Switch", "Rt"))
        if base := _BASE.search(node["rest"] or ""):
            nodes[guid].lid = int(base[1])
    if not any(node.switch for node in nodes.values()):
        problem = "no switch" if source.text.strip() else "the file is empty"
        raise source.error(0, f"{problem}; legal: the output of ibnetdiscover")
    check_end(source)
    _check_ends(source, nodes)
    return Subnet(nodes) if planned is None else _without_aggregation(nodes, planned)


def _without_aggregation(nodes: dict[int, Node], planned: Collection[int]) -> Subnet:
    """Leave out aggregation nodes that are not planned, and their links."""
    gone = {guid for guid, node in nodes.items() if guid not in planned and is_aggregation(node.name)}
    for guid in gone:
        for other, port in nodes.pop(guid).links.values():
            if other in nodes:
                nodes[other].links.pop(port, None)
    return Subnet(nodes, len(gone))


def _check_ends(source: Source, nodes: dict[int, Node]) -> None:
    """Check that both ends of every link are present and agree. If not, the file is cut off or the subnet changed."""
    for node in nodes.values():
        for port, (guid, there) in node.links.items():
            here = f"port {port} of {shown(node.name)} leads to port {there} of node 0x{guid:016x}"
            if guid not in nodes:
                raise source.error(
                    len(source.text),
                    f"{here}, which is missing: the file is cut off; legal: the complete output of ibnetdiscover",
                )
            back = nodes[guid].links.get(there)
            if back != (node.guid, port):
                says = "lacks the link" if back is None else f"has port {back[1]} of node 0x{back[0]:016x} there"
                raise source.error(
                    len(source.text),
                    f"{here}, which {says}: the file is cut off, or the subnet changed; legal: new output of "
                    "ibnetdiscover",
                )


def _link(source: Source, at: int, node: Node, match: re.Match[str], ports: set[int]) -> None:
    port = int(match["port"])
    if port in node.links:
        raise source.error(at, f"port {port} of {shown(node.name)} is listed twice; legal: every port once")
    node.links[port] = int(match["id"][2:], 16), int(match["other"])
    if (rate := rate_of(match["comment"] or "")) is not None:
        node.rates[port] = rate
    if node.switch:
        return
    if match["guid"] is not None:
        guid = node.port_guids[port] = int(match["guid"], 16)
        if guid in ports:
            raise source.error(at, f"port 0x{guid:016x} is listed twice; legal: every GUID once")
        ports.add(guid)
    if base := _BASE.search((match["comment"] or "").split('"')[0]):
        node.lids[port] = int(base[1]), int(base[2])
