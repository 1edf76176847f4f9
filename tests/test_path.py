"""Test the names and ports in the output of ``tulle path`` and ``tulle route --tables``."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING

import pytest

import tulle
from tulle.routing.tables import write_tables
from tulle.routing.trace import trace

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

LEAVES = tulle.Fabric.from_edges(
    [(0, 2), (0, 3), (1, 2), (1, 3)],
    [0, 1],
    num_switches=4,
    labels=["leaf1", "leaf2", "spine1", "spine2"],
    properties={
        "levels": [0, 0, 1, 1],
        "ports": [("swp1", "1"), ("swp2", "1"), ("swp1", "2"), ("swp2", "2")],
        "links": [(10**9, 500, 5000, None)] * 4,
        "endpoint_names": ["h1", "h2"],
    },
)


def test_a_trace_names_what_a_path_takes() -> None:
    paths = tulle.Routing.from_paths(LEAVES, [[0, 2, 1], ["leaf1", "spine2", "leaf2"]])
    found = trace(paths, "leaf1", "h2")
    assert (found.source, found.destination) == ("leaf1", "leaf2")
    assert [[(step.source, step.port, step.target, step.into) for step in path.steps] for path in found.paths] == [
        [("leaf1", "swp1", "spine1", "1"), ("spine1", "2", "leaf2", "swp1")],
        [("leaf1", "swp2", "spine2", "1"), ("spine2", "2", "leaf2", "swp2")],
    ]
    assert [(path.hops, path.total("latency"), path.total("length")) for path in found.paths] == [(2, 1000, 10_000)] * 2
    assert found.shared == {}
    assert found.without == {
        "leaf1--spine1": [1],
        "leaf2--spine1": [1],
        "leaf1--spine2": [0],
        "leaf2--spine2": [0],
    }


def test_what_layers_share_and_what_is_left() -> None:
    fabric = tulle.Fabric("slimfly:q=5")
    routing = tulle.route(fabric, "random:layers=4,rho=0.6", seed=1)
    found = trace(routing, 0, 30)
    for path, channels in zip(found.paths, routing.paths(0, 30), strict=True):
        assert [step.cable for step in path.steps] == [
            fabric.cable_names[fabric.cables.tolist().index(min(channel, fabric.reverse[channel]))]
            for channel in channels.tolist()
        ]
    for cable, left in found.without.items():
        damaged = fabric.without(links=[cable])
        over = [path.number for path in found.paths if cable in [step.cable for step in path.steps]]
        assert sorted([*over, *left]) == [0, 1, 2, 3]
        assert damaged.num_cables == fabric.num_cables - 1
        assert (cable in found.shared) == (len(over) > 1)


def test_a_plan_gives_virtual_channels() -> None:
    fabric = tulle.Fabric("slimfly:q=5")
    plan = tulle.route(fabric, "random:layers=2,rho=0.8", seed=1).assign_vcs("hops")
    steps = [step for path in trace(plan.routing, 0, 30, plan).paths for step in path.steps]
    assert all(step.vc is not None and 0 <= step.vc < plan.num_vcs for step in steps)
    by_path = [[step.vc for step in path.steps] for path in trace(plan.routing, 0, 30, plan).paths]
    assert all(vcs == list(range(len(vcs))) for vcs in by_path)


def test_the_command_prints_paths(tulle: Cli) -> None:
    result = tulle("path", "hyperx:shape=3x3", "minimal", "(0,0)", "8", "--link", "all:latency=1us,length=2m", "--json")
    found = json.loads(result.stdout)
    assert (found["source"], found["destination"], found["paths"][0]["hops"]) == ("(0,0)", "(2,2)", 2)
    assert found["paths"][0]["latency_ps"] == 2_000_000
    assert found["paths"][0]["steps"][0]["equal_cost"] == 2
    result = tulle("path", "hyperx:shape=3x3", "minimal", "(0,0)", "8", "--deadlock", "hops", "--link", "all:length=2m")
    assert result.returncode == 0, result.stderr
    assert "(0,0)" in result.stdout
    assert "4 m" in result.stdout
    for a, b, error in [
        ("0", "9", "no switch '9'; legal: 0 to 8 or coordinates as (0,0)"),
        ("0", "(0,0)", "'0' and '(0,0)' are at the same switch, (0,0); legal: two switches"),
    ]:
        result = tulle("path", "hyperx:shape=3x3", "minimal", a, b)
        assert (result.returncode, result.stderr) == (2, f"tulle: {error}\n")


def test_a_saved_routing_is_named_by_its_file(tulle: Cli) -> None:
    fabric = "slimfly:q=3"
    tulle("route", fabric, "random:layers=2", "--seed", "7", "-o", "made.routing")
    commands = [
        ["route", fabric, "@made.routing"],
        ["path", fabric, "@made.routing", "0", "1"],
        ["stress", fabric, "@made.routing", "permutation:bytes=1KiB", "--tries", "1"],
        ["throughput", fabric, "@made.routing", "permutation", "--method", "split"],
        ["simulate", fabric, "-r", "@made.routing", "-t", "permutation:bytes=1KiB"],
        ["flit", fabric, "-r", "@made.routing", "--vcs", "4", "--load", "0.1", "--window", "100"],
        ["exchange", fabric, "-r", "@made.routing", "--vcs", "4", "-t", "permutation:bytes=1KiB"],
    ]
    for command in commands:
        found = json.loads(tulle(*command, "--json").stdout)
        assert found["routing_file"] == "made.routing", command
        assert found["routing"].startswith("random:layers=2"), command
    assert "routing_file" not in json.loads(tulle("route", fabric, "random:layers=2", "--json").stdout)


def test_tables_hold_every_next_hop(tmp_path: Path) -> None:
    routing = tulle.route(LEAVES, "minimal")
    text, table = write_tables(routing, tmp_path / "tables")
    rows = list(csv.DictReader(table.read_text().splitlines()))
    assert len(rows) == routing.num_layers * 4 * 3
    for row in rows:
        switch, destination = LEAVES.switch(row["switch"]), LEAVES.switch(row["destination"])
        hops = routing.next_hops(int(row["layer"]), switch, destination)
        assert row["ports"].split() == [LEAVES.ports[channel] for channel in hops]
        assert row["next"].split() == [LEAVES.labels[LEAVES.channels[channel, 1]] for channel in hops]
    assert "switch leaf1\n" in text.read_text()
    assert "    to leaf2: port swp1 (spine1), port swp2 (spine2)\n" in text.read_text()
    with pytest.raises(tulle.InputError, match="is a set of paths and has no tables; legal: a routing of layers"):
        write_tables(tulle.route(LEAVES, "ksp:k=2"), tmp_path)


def test_the_command_writes_tables(tulle: Cli, tmp_path: Path) -> None:
    result = tulle("route", "clique:degree=3", "minimal", "--tables", "tables", "--json")
    assert result.returncode == 0, result.stderr
    assert [entry.name for entry in sorted((tmp_path / "tables").iterdir())] == ["forwarding.csv", "forwarding.txt"]


def test_a_dead_cable_leaves_other_next_hops() -> None:
    """Check the path of a leaf switch with two spines: if the cable to one spine fails, the second next hop remains."""
    fabric = tulle.Fabric("fattree:levels=2,radix=4")
    routed = tulle.route(fabric, "minimal")
    found = trace(routed, 0, 1)
    (first, second) = found.paths[0].steps
    assert (first.equal_cost, second.equal_cost) == (2, 1)
    assert found.other_next_hops == {first.cable: [0], second.cable: []}
    assert found.without == {first.cable: [], second.cable: []}
    printed = found.as_dict()
    assert printed["other_next_hops"] == found.other_next_hops


def test_lengths_of_path_sets_are_counted(tulle: Cli) -> None:
    found = json.loads(tulle("route", "slimfly:q=5", "ksp:k=4", "--json").stdout)["hops"]
    assert [(row["layer"], row["max"], sum(row["paths"])) for row in found] == [(None, 4, 9800)]
    # Only adjacent switches have a path of one hop, and each of the 50 switches has 7 neighbours.
    assert found[0]["paths"][1] == 50 * 7
    shown = tulle("route", "slimfly:q=5", "ksp:k=4").stdout
    assert "paths by their hops" in shown


def test_a_name_without_an_extension_is_an_error(tulle: Cli) -> None:
    answer = tulle("fabric", "slimfly:q=5", "--write", "/dev/null")
    assert answer.returncode == 2
    assert "a name without an extension; legal: .csv" in answer.stderr
    assert "or any name with --format" in answer.stderr
