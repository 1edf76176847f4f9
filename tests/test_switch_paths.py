"""Test routings that are created from paths of switches, as networkx yields them."""

from __future__ import annotations

from itertools import pairwise, permutations
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tulle

LABELLED = tulle.Fabric.from_edges([(0, 1), (1, 2), (0, 2), (0, 2)], [0, 1, 2], labels=["a", "b", "c"])
CLIQUE = tulle.Fabric("clique:degree=3,p=1")


def test_all_shortest_paths_of_networkx() -> None:
    fabric = tulle.Fabric("slimfly:q=5,p=1")
    graph = fabric.to_networkx()
    pairs = [*permutations(range(0, 50, 7), 2)]
    paths = [path for pair in pairs for path in nx.all_shortest_paths(graph, *pair)]
    routing = tulle.Routing.from_paths(fabric, paths)
    assert (routing.spec, routing.seed, routing.num_paths) == ("paths", None, len(paths))
    for pair in pairs:
        expected = [[fabric.channel(*hop) for hop in pairwise(path)] for path in nx.all_shortest_paths(graph, *pair)]
        assert [path.tolist() for path in routing.paths(*pair)] == expected


def test_all_pairs_feed_the_simulators() -> None:
    fabric = tulle.Fabric("hyperx:shape=3x3,p=1")
    graph = fabric.to_networkx()
    # `paths` is a generator of numpy arrays, so switches are given as numpy integers.
    paths = (np.array(path) for pair in permutations(graph, 2) for path in nx.all_shortest_paths(graph, *pair))
    routing = tulle.Routing.from_paths(fabric, paths)
    ran = tulle.simulate_flits(fabric, routing, load=0.2, vcs=2, selector="random", window=500)
    assert ran.accepted == pytest.approx(0.2, rel=0.1)
    assert tulle.simulate(fabric, routing, "permutation:bytes=64KiB").summary()["completed"] == 9
    fitting = "random, round-robin, ksp-ugal, ksp-adaptive; or a routing of tables, "
    with pytest.raises(tulle.InputError, match=f"^selector 'minimal' .*'paths', which .* legal: {fitting}"):
        tulle.simulate_flits(fabric, routing, load=0.2, vcs=2)


def test_names_and_nodes_of_any_type() -> None:
    by_name = tulle.Routing.from_paths(LABELLED, [["a", "b"], ["a", "b", "c"], [2, "b"]])
    assert [path.tolist() for path in by_name.paths(0, 2)] == [[LABELLED.channel("a", "b"), LABELLED.channel("b", "c")]]
    grid = nx.grid_2d_graph(3, 3)
    fabric = tulle.Fabric.from_networkx(grid, 1)
    paths = [*nx.all_shortest_paths(grid, (0, 0), (2, 2))]
    assert tulle.Routing.from_paths(fabric, paths).num_paths == len(paths) == 6


def test_a_number_that_is_an_id_and_another_name_is_refused() -> None:
    graph = nx.Graph([(1, 2), (2, 0), (0, 1), (3, 0)])
    fabric = tulle.Fabric.from_networkx(graph, 1)
    assert fabric.labels == ("1", "2", "0", "3")
    message = r"^path 0: 1 is the id of switch '2' and the name of switch 0; legal: names as texts, here '2' or '1'$"
    with pytest.raises(tulle.InputError, match=message):
        tulle.Routing.from_paths(fabric, [[1, 0, 3]])
    routing = tulle.Routing.from_paths(fabric, [["1", "0", "3"]])
    assert [len(path) for path in routing.paths(fabric.switch("1"), fabric.switch("3"))] == [2]
    # Switch 3 has the name '3', so the number 3 is not ambiguous.
    assert tulle.Routing.from_paths(fabric, [[3, "0"]]).num_paths == 1


@given(st.lists(st.permutations(range(4)).map(lambda path: path[:3]), max_size=20))
def test_switches_give_the_routing_of_their_channels(paths: list[list[int]]) -> None:
    by_switch = tulle.Routing.from_paths(CLIQUE, paths)
    by_channel = tulle.Routing.from_paths(
        CLIQUE, channels=[[CLIQUE.channel(*hop) for hop in pairwise(path)] for path in paths]
    )
    for one, other in zip(by_switch.path_columns(), by_channel.path_columns(), strict=True):
        assert np.array_equal(one, other)


@pytest.mark.parametrize(
    ("paths", "message"),
    [
        ([[0, 1], [0]], "path 1: 1 switch; legal: two or more"),
        ([[0, 9]], "path 0: switch 9 is out of range; legal: 0 to 2"),
        ([[0, -1]], "path 0: switch -1 is out of range; legal: 0 to 2"),
        ([["a", "d"]], "path 0: .*'d'"),
        ([[0, 0.5]], "path 0: .*'0.5'"),
        ([[0, [1]]], "path 0: a list; legal: names or ids of switches"),
        (
            [[0, 1], [0, 2]],
            "path 1: 2 parallel cables from switch 0 to 2; legal: channels= instead of paths=, with one ",
        ),
        ([[0, 1, 0]], "visits switch 0 twice|leads from switch 0 to itself"),
        ([0, 1], "path 0 is an int; legal: a list of paths, for example \\[path\\], each a list of switches"),
        (["ab"], "path 0 is a str; legal: a list of paths, for example "),
        ("ab", "paths is a str; legal: a list of paths, for example "),
        (7, "paths is an int; legal: a list of paths, for example "),
    ],
)
def test_bad_paths(paths: Any, message: str) -> None:
    with pytest.raises(tulle.InputError, match=f"^(?:{message})" if "|" not in message else message) as error:
        tulle.Routing.from_paths(LABELLED, paths)
    assert "\n" not in str(error.value)


def test_paths_or_channels() -> None:
    with pytest.raises(tulle.InputError, match=r"^neither paths nor channels; legal: one of them$"):
        tulle.Routing.from_paths(CLIQUE)
    with pytest.raises(tulle.InputError, match=r"^both paths and channels; legal: one of them$"):
        tulle.Routing.from_paths(CLIQUE, [[0, 1]], channels=[[0]])
    with pytest.raises(tulle.InputError, match=r"^offsets without channels; legal: both, or paths alone$"):
        tulle.Routing.from_paths(CLIQUE, [[0, 1]], offsets=[0, 1])
    star = tulle.Fabric.from_edges([(0, 1), (1, 2)], [0, 2])
    with pytest.raises(tulle.InputError, match=r"^path 0: no cable from '0' to '2'; legal neighbours: 1$"):
        tulle.Routing.from_paths(star, [[0, 2]])
    assert tulle.Routing.from_paths(LABELLED, channels=[[1], [2]]).num_paths == 2
