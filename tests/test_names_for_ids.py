"""Check that functions and commands accept names in place of ids."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

import tulle

if TYPE_CHECKING:
    from conftest import Cli

FABRIC = tulle.Fabric("hyperx:shape=3x3")
LEAVES = tulle.Fabric.from_edges(
    [(0, 2), (0, 2), (0, 3), (1, 2), (1, 3)], 1, labels=["leaf1", "leaf2", "spine1", "spine2"]
)


def test_parts_have_names() -> None:
    assert LEAVES.cable_names[:3] == ("leaf1/0--spine1/0", "leaf1/1--spine1/1", "leaf1--spine2")
    assert [LEAVES.cable(name) for name in LEAVES.cable_names] == LEAVES.cables.tolist()
    assert LEAVES.cable("leaf1", "spine2") == LEAVES.cable("spine2", "leaf1") == LEAVES.cable("leaf1/2")
    assert LEAVES.channel("leaf1", "spine2") == LEAVES.channel(0, 3) == LEAVES.reverse[LEAVES.channel(3, 0)]
    assert (LEAVES.switch("spine1"), LEAVES.endpoint("3")) == (2, 3)
    assert LEAVES.ports == ("0", "1", "2", "0", "1", "0", "1", "2", "0", "1")
    assert LEAVES.endpoint_ports == ("3", "2", "3", "2")
    assert FABRIC.cable(0, 1) == FABRIC.cable("(0,0)--(0,1)")


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: LEAVES.switch("leaf3"), "no switch 'leaf3'; did you mean leaf1 or leaf2?"),
        (
            lambda: LEAVES.cable("leaf1", "spine1"),
            "2 cables join 'leaf1' and 'spine1'; legal: leaf1/0--spine1/0, leaf1/1",
        ),
        (
            lambda: LEAVES.channel("leaf1", "leaf2"),
            "no cable from 'leaf1' to 'leaf2'; legal neighbours: spine1, spine1, s",
        ),
        (lambda: LEAVES.cable("leaf1/3"), "'leaf1/3' leads to endpoint '0'; legal: ports of cables between switches"),
        (lambda: LEAVES.channel(0, 9), "target=9 is out of range; legal: 0 to 3"),
    ],
)
def test_unknown_names_are_reported(ask: object, message: str) -> None:
    with pytest.raises(tulle.TulleError) as raised:
        ask()  # type: ignore[operator]
    assert str(raised.value).startswith(message)


def test_cables_fail_by_id_name_and_pair() -> None:
    cable = LEAVES.cable("leaf1", "spine2")
    cut = LEAVES.without(links=[cable])
    assert cut.num_cables == 4
    for links in (
        ["leaf1--spine2"],
        [("leaf1", "spine2")],
        [(0, 3)],
        np.array([[3, 0]]),
        LEAVES.cables[2:3],
        "leaf1/2",
    ):
        assert (LEAVES.without(links=links).channels == cut.channels).all()
    assert LEAVES.without(links=["leaf1/0", ("leaf2", "spine1")]).num_cables == 3
    assert LEAVES.without(switches=["spine2"]).labels == ("leaf1", "leaf2", "spine1")


def test_ports_keep_their_numbers_when_others_fail() -> None:
    cut = LEAVES.without(links=["leaf1/0"])
    assert cut.ports[:2] == ("1", "2")
    assert cut.cable("leaf1/2") == cut.cable("leaf1", "spine2")


def test_a_row_of_edges_is_never_taken_for_the_id_of_another_cable() -> None:
    fabric = tulle.Fabric("slimfly:q=5")
    cables, edges = np.asarray(fabric.cables), fabric.edges
    same = [row for row in range(fabric.num_cables) if cables[row] == row]
    assert 0 < len(same) < fabric.num_cables / 2
    for row in same:
        assert edges[row].tolist() not in fabric.without(links=[row]).edges.tolist()
    for row in {*range(fabric.num_cables)} - {*same}:
        with pytest.raises(tulle.InputError) as raised:
            fabric.without(links=[row])
        assert fabric.cable_names[row] in str(raised.value)
        assert "legal: fabric.cables[rows]" in str(raised.value)
    rows = np.array([3, 50, 170])
    chosen = edges[rows]
    assert chosen.cables is not None
    assert (chosen.cables == cables[rows]).all()
    assert (edges[edges[:, 0] > 3].cables == cables[np.asarray(edges)[:, 0] > 3]).all()
    expected = np.delete(np.asarray(edges), rows, axis=0)
    for links in (
        fabric.cables[rows],
        chosen.cables,
        fabric.edges[rows].cables,
        f"ids:{'+'.join(map(str, cables[rows]))}",
    ):
        assert (fabric.without(links=links).edges == expected).all()
    assert (fabric.without(links=[tuple(ends) for ends in chosen.tolist()]).edges == expected).all()


def test_the_command_line_takes_names(tulle: Cli) -> None:
    for fail, left in [("0/0", 17), ("(0,0)--(0,1)+(2,2)/3", 16), ("(1,1)", 14), ("links=0--1+0--2,switches=1", None)]:
        result = tulle("fabric", "hyperx:shape=3x3", "--fail", fail, "--json")
        assert result.returncode == 0, result.stderr
        found = json.loads(result.stdout)
        assert left is None or found["cables"] == left
    result = tulle("fabric", "hyperx:shape=3x3", "--fail", "(0,0)--(1,1)")
    assert result.returncode == 2
    assert result.stderr.startswith("tulle: no cable from '(0,0)' to '(1,1)'; legal neighbours: (0,1), (0,2)")


def test_faults_in_time_take_names() -> None:
    def lost(part: str) -> int:
        fault = f"drop:{part},at=0,until=20us"
        result = tulle.simulate(LEAVES, "minimal", "permutation:bytes=200KB", faults=[fault], seed=1)
        assert result.summary()["completed"] == 4
        return result.counters["data_lost"] + result.counters["control_lost"]

    cable = LEAVES.cable("leaf1", "spine2")
    assert lost("links=leaf1--spine2") == lost("links=leaf1/2") == lost(f"links=ids:{cable}")
    assert lost("switches=spine1") == lost("switches=ids:2") > 0
    with pytest.raises(tulle.TulleError, match="no switch 'spine3'; did you mean spine1 or spine2"):
        lost("switches=spine3")
