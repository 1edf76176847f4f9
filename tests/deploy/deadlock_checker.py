"""Check repairs for deadlocks without code of tulle: parse the files, follow packets, find cycles with networkx.

A node of the dependency graph is (switch, output port, VL). An edge leads from a node that a packet can occupy to a
node for which the packet can then wait. In any state during the repair, each switch has the old or the new forwarding
entry and the old or the new SL-to-VL row. Each host has the old or the new service level.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import networkx as nx

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

Port = tuple[int, int]
"""GUID of a switch, and its port."""
Node = tuple[int, int, int]
"""GUID of a switch, its port, and a VL."""
State = tuple[int, int, int, Node | None]
"""A packet at a switch, with its input port and service level, and the node that it occupies."""


class Files(NamedTuple):
    """The content of a bundle's files."""

    ports: dict[int, dict[int, int]]
    """Output port for each switch and LID."""
    rows: dict[tuple[int, int, int], list[int]]
    """VL of each service level, for each (switch, input port, output port)."""
    levels: dict[int, str]
    """Service levels that the hosts of each switch use: a string with one hexadecimal digit per destination LID."""
    lids: dict[int, range]
    """LIDs of each port GUID."""


def read_files(bundle: Path) -> Files:
    ports: dict[int, dict[int, int]] = {}
    here: dict[int, int] = {}
    for line in (bundle / "lfts").read_text().splitlines():
        if head := re.match(r"Unicast lids .* guid 0x([0-9a-f]+) ", line):
            here = ports[int(head[1], 16)] = {}
        elif line.startswith("0x"):
            here[int(line[:6], 16)] = int(line[7:10])
    rows, levels = {}, {}
    for line in (bundle / "sl2vl").read_text().splitlines():
        kind, guid, *words = line.split()
        if kind == "slvl":
            rows[int(guid, 16), int(words[0]), int(words[1])] = [int(word) for word in words[2:]]
        elif kind == "psl":
            levels[int(guid, 16)] = words[0]
    lids = {}
    for line in (bundle / "guid2lid").read_text().splitlines():
        if words := line.split():
            lids[int(words[0], 16)] = range(int(words[1], 16), int(words[2], 16) + 1)
    return Files(ports, rows, levels, lids)


class Wiring(NamedTuple):
    """The cables in the output of ibnetdiscover."""

    links: dict[Port, Port]
    """For each switch port with a cable to a switch: the port at the other end."""
    hosts: dict[int, Port]
    """For each port GUID of an adapter: the switch port to which it is connected."""


def read_wiring(live: Path) -> Wiring:
    links: dict[Port, Port] = {}
    hosts: dict[int, Port] = {}
    here = 0
    for line in live.read_text().splitlines():
        if head := re.match(r'(Switch|Ca)\s+\d+\s+"[SH]-([0-9a-f]+)"', line):
            here = int(head[2], 16)
        elif link := re.match(r'\[(\d+)\]\s+"S-([0-9a-f]+)"\[(\d+)\]', line):
            links[here, int(link[1])] = int(link[2], 16), int(link[3])
        elif adapter := re.match(r'\[\d+\]\(([0-9a-f]+)\)\s+"S-([0-9a-f]+)"\[(\d+)\]', line):
            hosts[int(adapter[1], 16)] = int(adapter[2], 16), int(adapter[3])
    return Wiring(links, hosts)


def union(old: Files, new: Files, whole: Wiring, live: Wiring, between: Sequence[Files] = ()) -> nx.DiGraph:
    """Return the channel dependencies in all states of a repair; only links of `live` have dependencies.

    `whole` has the links before the failure. A packet that crossed a link before its failure continues on its path, but
    no packet waits for a failed link. `between` has the files of earlier repairs that some switches may have.
    """
    versions = (old, *between, new)
    graph = nx.DiGraph()
    walked = set()
    for lid in (lid for guid, lids in old.lids.items() if guid in whole.hosts for lid in lids):
        tables = [(at, table[lid]) for files in versions for at, table in files.ports.items() if lid in table]
        outs = frozenset(port for port in tables if port in whole.links or port in live.links)
        starts = frozenset(
            (switch, port, int(files.levels[switch][lid], 16), None)
            for switch, port in set(whole.hosts.values())
            for files in versions
            if switch in files.levels and lid < len(files.levels[switch])
            if files is old or lid in files.ports.get(switch, {})
        )
        # Hosts of one switch often have the same paths, apart from the last port, which has no dependencies.
        if (outs, starts) not in walked:
            walked.add((outs, starts))
            graph.add_edges_from(_walk(outs, starts, versions, whole, live))
    return graph


def _walk(
    outs: Iterable[Port], starts: Iterable[State], versions: Sequence[Files], whole: Wiring, live: Wiring
) -> set[tuple[Node, Node]]:
    """Return the dependencies of packets that leave each switch through any of its ports in `outs`."""
    edges, ports = set(), dict[int, list[int]]()
    for at, out in outs:
        ports.setdefault(at, []).append(out)
    todo, seen = list(starts), set[State]()
    while todo:
        state = todo.pop()
        if state in seen:
            continue
        seen.add(state)
        at, came, level, held = state
        for out in ports.get(at, ()):
            gone = whole.links.get((at, out))
            there = live.links.get((at, out))
            if gone is not None and gone != there:
                todo.append((*gone, level, None))
            if there is None:
                continue
            rows = [files.rows.get((at, came, out)) for files in versions]
            # A bundle may have no SL-to-VL row for a port that was down when the bundle was made. OpenSM then leaves
            # the row as it is, so only the rows of other bundles apply.
            known = [row for row in rows if row]
            assert known, f"no SL-to-VL row from {came} to {out} of {at:x}"
            # A switch discards packets that its tables put on VL 15.
            for lane in {row[level] for row in known} - {15}:
                now = (at, out, lane)
                if held is not None:
                    edges.add((held, now))
                todo.append((*there, level, now))
    return edges


def is_acyclic(graph: nx.DiGraph) -> bool:
    return bool(nx.is_directed_acyclic_graph(graph))
