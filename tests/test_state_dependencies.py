"""Compare the channel dependencies of all states of a repair with a plain search that follows single packets."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tulle.deploy.reach import DISCARD, NO_VC, NUM_VCS, Wires, in_cycles, may_deadlock, one_cycle, reach

SWITCHES, PORTS, ADDRESSES = 4, 4, 3
NO_PORT = 250


def searched(
    wires: Wires,
    tables: list[np.ndarray],
    levels: np.ndarray,
    maps: list[np.ndarray],
    entry: list[tuple[int, int]],
    rounds_from: int,
) -> tuple[set[tuple[int, int]], set[int]]:
    """Follow single packets in all states.

    A state is (address, service level, switch, input port, VC that the packet occupies or None, and whether the packet
    has used a new table).
    """
    pairs: set[tuple[int, int]] = set()
    foreign: set[int] = set()
    waiting: list[tuple[int, int, int, int, int | None, bool]] = [
        (address, level, switch, port, None, False)
        for switch, port in entry
        for address in range(levels.shape[1])
        for level in range(NUM_VCS)
        if levels[switch, address] >> level & 1
    ]
    seen = set(waiting)
    while waiting:
        address, level, at, came, held, late = waiting.pop()
        for number, table in enumerate(tables):
            if late and number < rounds_from:
                continue
            late_now = late or 0 < rounds_from <= number
            out = int(table[at, address])
            if out >= PORTS:
                continue
            if wires.foreign[at, out]:
                foreign.add(at * PORTS + out)
            arrivals: list[tuple[int, int, int | None]] = []
            if wires.down[at, out] >= 0:
                arrivals.append((int(wires.down[at, out]), int(wires.down_port[at, out]), None))
            if wires.to[at, out] >= 0:
                for map_ in maps:
                    vc = int(map_[at, came, out, level])
                    if vc < NUM_VCS and vc != DISCARD:
                        node = (at * PORTS + out) * NUM_VCS + vc
                        if held is not None:
                            pairs.add((held, node))
                        arrivals.append((int(wires.to[at, out]), int(wires.port[at, out]), node))
            for switch, port, holds in arrivals:
                packet = (address, level, switch, port, holds, late_now)
                if packet not in seen:
                    seen.add(packet)
                    waiting.append(packet)
    return pairs, foreign


@given(st.integers(0, 2**32 - 1), st.integers(1, 3), st.integers(1, 2), st.integers(0, 2))
def test_equals_a_search_over_single_packets(seed: int, num_tables: int, num_maps: int, rounds_from: int) -> None:
    draw = np.random.default_rng(seed)
    # Port p of a switch leads to another switch, or to a host. Some links are down, and some lead to unknown switches.
    shape = SWITCHES, PORTS
    to = np.where(draw.random(shape) < 0.8, draw.integers(0, SWITCHES, shape), -1).astype(np.int32)
    down = np.where(draw.random(shape) < 0.2, draw.integers(0, SWITCHES, shape), -1).astype(np.int32)
    wires = Wires(
        to,
        draw.integers(0, PORTS, shape).astype(np.uint8),
        (to < 0) & (draw.random(shape) < 0.2),
        down,
        draw.integers(0, PORTS, shape).astype(np.uint8),
    )
    tables = []
    for _ in range(num_tables):
        ports = draw.integers(0, PORTS, (SWITCHES, ADDRESSES)).astype(np.uint8)
        tables.append(np.where(draw.random(ports.shape) < 0.2, NO_PORT, ports).astype(np.uint8))
    levels = (draw.integers(0, 4, (SWITCHES, ADDRESSES)) * (draw.random((SWITCHES, ADDRESSES)) < 0.7)).astype(np.uint16)
    maps = []
    for _ in range(num_maps):
        vcs = draw.integers(0, 3, (SWITCHES, PORTS, PORTS, NUM_VCS)).astype(np.uint8)
        vcs = np.where(draw.random(vcs.shape) < 0.1, NO_VC, vcs)
        maps.append(np.where(draw.random(vcs.shape) < 0.1, DISCARD, vcs).astype(np.uint8))
    entry = [(switch, int(draw.integers(PORTS))) for switch in range(SWITCHES)]
    rounds_from = min(rounds_from, num_tables)
    found = reach(wires, tables, levels, maps, entry, rounds_from)
    pairs, foreign = searched(wires, tables, levels, maps, entry, rounds_from)
    assert set(map(tuple, found.pairs.tolist())) == pairs
    assert found.foreign.tolist() == sorted(foreign)
    assert len(found.pairs) == len(pairs)
    assert found.pairs.tolist() == sorted(found.pairs.tolist())
    is_unsafe = found.unknown > 0 or len(in_cycles(found.pairs)) > 0
    assert may_deadlock(wires, tables, levels, maps, entry, rounds_from) == is_unsafe


def test_refuses_arrays_that_do_not_fit() -> None:
    wires = Wires(*(np.zeros((2, 2), kind) for kind in (np.int32, np.uint16, np.bool_, np.int32, np.uint16)))
    table, levels = np.zeros((2, 1), np.uint16), np.ones((2, 1), np.uint16)
    lanes = np.zeros((2, 2, 2, NUM_VCS), np.uint8)
    with pytest.raises(ValueError, match="the arrays of a state do not fit together"):
        reach(wires, [table[:1]], levels, [lanes], [(0, 0)])
    with pytest.raises(ValueError, match="the arrays of a state do not fit together"):
        reach(wires, [table], levels, [lanes], [(2, 0)])


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=25, unique=True))
def test_nodes_in_cycles(edges: list[tuple[int, int]]) -> None:
    """Compare with networkx: the nodes on cycles or reachable from cycles, and one cycle."""
    graph = nx.DiGraph(edges)
    on_cycles = {
        node for part in nx.strongly_connected_components(graph) for node in part if part_has_cycle(graph, part)
    }
    expected = sorted(on_cycles.union(*(nx.descendants(graph, node) for node in on_cycles)))
    pairs = np.array(edges, np.int64).reshape(-1, 2)
    found = in_cycles(pairs)
    assert found.tolist() == expected
    if len(found):
        cycle = one_cycle(pairs, found)
        assert all(graph.has_edge(*edge) for edge in zip(cycle, [*cycle[1:], cycle[0]], strict=True))


def part_has_cycle(graph: nx.DiGraph, part: set[int]) -> bool:
    """Return whether a strongly connected component has a cycle."""
    return len(part) > 1 or any(graph.has_edge(node, node) for node in part)
