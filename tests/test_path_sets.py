"""Test sets of paths over parallel cables, and maximum sets of disjoint paths."""

from __future__ import annotations

from typing import TYPE_CHECKING

import networkx
import pytest

import tulle

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def triangle(tmp_path: Path) -> tulle.Fabric:
    """Return a triangle of switches 0, 1 and 2 with two cables between switches 0 and 1."""
    file = tmp_path / "tri.edges"
    file.write_text("# a b\n0 1\n0 1\n1 2\n0 2\n")
    return tulle.Fabric(f"file:edges={file}")


@pytest.mark.parametrize("scheme", ["ksp:k=3", "rksp:k=3", "llskr:min=3,max=3", "edksp:k=3", "redksp:k=3", "disjoint"])
def test_parallel_cables_are_paths_of_their_own(triangle: tulle.Fabric, scheme: str) -> None:
    paths = [tuple(path) for path in tulle.route(triangle, scheme, seed=1).paths(0, 1)]
    assert sorted(map(len, paths)) == [1, 1, 2]
    assert len({int(path[0]) for path in paths}) == 3


def test_disjoint_paths_of_any_length_are_a_maximum_flow() -> None:
    fabric = tulle.Fabric("jellyfish:switches=12,degree=4,p=2", seed=3)
    graph = networkx.Graph(fabric.edges.tolist())
    routing = tulle.route(fabric, "disjoint:spread=11")
    for source in range(12):
        for destination in range(12):
            if source != destination:
                found = routing.paths(source, destination)
                assert len(found) == len(list(networkx.edge_disjoint_paths(graph, source, destination)))
                cables = [frozenset(fabric.channels[channel].tolist()) for path in found for channel in path]
                assert len(cables) == len({*cables})


def test_disjoint_paths_are_as_many_as_are_counted() -> None:
    fabric = tulle.Fabric("slimfly:q=5")
    pairs = [(0, other) for other in range(1, 50)]
    counted = tulle.analysis.disjoint_paths(fabric, 3, mode="exact", pairs=pairs)
    for spread in (0, 1):
        routing = tulle.route(fabric, f"disjoint:spread={spread}")
        for source, destination in pairs:
            assert max(map(len, routing.paths(source, destination))) <= 2 + spread
    near = [pair for pair in pairs if len(routing.paths(*pair)[0]) == 2]
    most = dict(zip(pairs, counted.count.tolist(), strict=True))
    assert near
    assert [len(routing.paths(*pair)) for pair in near] == [most[pair] for pair in near]
