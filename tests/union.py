"""Check repairs without code of tulle: this module parses the files, walks packets and finds cycles with networkx.

The graph has an edge for each pair of (switch, out-port, VL) that a packet can hold and wait for in any state: each
switch has the old or the new entry and the old or the new SL-to-VL row, each host the old or the new service level.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import networkx as nx

if TYPE_CHECKING:
    from pathlib import Path

Port = tuple[int, int]
"""GUID of a switch, and its port."""
Node = tuple[int, int, int]
"""GUID of a switch, its port, and a VL."""


class Files(NamedTuple):
    """The content of a bundle's files."""

    ports: dict[int, dict[int, int]]
    """Maps a switch and a LID to the output port."""
    rows: dict[tuple[int, int, int], list[int]]
    """Maps (switch, input port, output port) to the VL of each service level."""
    levels: dict[int, str]
    """Maps a switch to the service levels of its hosts: one hexadecimal digit per destination LID."""
    lids: dict[int, range]
    """Maps a port GUID to its LIDs."""


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
    """The cables that ibnetdiscover shows."""

    links: dict[Port, Port]
    """Maps a switch port to the port at the other end of its cable, between switches only."""
    hosts: dict[int, Port]
    """Maps the port GUID of an adapter to the switch port that it is connected to."""


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


def union(old: Files, new: Files, whole: Wiring, live: Wiring) -> nx.DiGraph:
    """Return the channel dependencies of all states of a repair, over the links of `live`.

    Packets that crossed a link of `whole` before it failed continue. No packet waits for a failed link.
    """
    graph = nx.DiGraph()
    for guid, lids in old.lids.items():
        if guid in whole.hosts:
            for lid in lids:
                _walk(graph, lid, old, new, whole, live)
    return graph


def _walk(graph: nx.DiGraph, lid: int, old: Files, new: Files, whole: Wiring, live: Wiring) -> None:
    tables = [files.ports for files in (old, new)]
    todo: list[tuple[int, int, int, Node | None]] = [
        (switch, port, int(files.levels[switch][lid], 16), None)
        for switch, port in set(whole.hosts.values())
        for files in (old, new)
        if switch in files.levels and lid < len(files.levels[switch])
        if files is old or lid in tables[1].get(switch, {})
    ]
    seen: set[tuple[int, int, int, Node | None]] = set()
    while todo:
        state = todo.pop()
        if state in seen:
            continue
        seen.add(state)
        at, came, level, held = state
        for out in {table[at][lid] for table in tables if lid in table.get(at, {})}:
            gone = whole.links.get((at, out))
            there = live.links.get((at, out))
            if gone is not None and gone != there:
                todo.append((*gone, level, None))
            if there is None:
                continue
            rows = [files.rows.get((at, came, out)) for files in (old, new)]
            # OpenSM does not change the SL-to-VL rows of ports that are down, so a row can be missing in one of the
            # bundles.
            known = [row for row in rows if row]
            assert known, f"no SL-to-VL row from {came} to {out} of {at:x}"
            for lane in {row[level] for row in known}:
                now = (at, out, lane)
                if held is not None:
                    graph.add_edge(held, now)
                todo.append((*there, level, now))


def is_acyclic(graph: nx.DiGraph) -> bool:
    return bool(nx.is_directed_acyclic_graph(graph))
