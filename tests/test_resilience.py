"""Compare metrics of fabrics after failures with networkx, and test `tulle resilience`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import networkx as nx
import numpy as np
import pytest

import tulle as library
from tulle.analysis import resilience

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

    from tulle.analysis.failure_sweep import Damage


def graph_of(fabric: library.Fabric) -> nx.MultiGraph:
    graph = nx.MultiGraph(fabric.edges.tolist())
    graph.add_nodes_from(range(fabric.num_switches))
    return graph


def check(row: Damage, fabric: library.Fabric) -> None:
    """Compare a row with networkx, for each seed: diameter, path length, edge connectivity and connected pairs."""
    measured: dict[str, list[float]] = {"diameter": [], "average_path_length": [], "edge_connectivity": []}
    joined = []
    for seed in range(row.seeds):
        damaged = fabric.without(**{row.kind: f"{100 * row.share:g}%"}, seed=seed)
        ends = sorted(set(damaged.endpoint_switch.tolist()))
        graph = graph_of(damaged)
        hops = dict(nx.all_pairs_shortest_path_length(graph))
        found = [hops[a].get(b) for a in ends for b in ends if a != b]
        joined.append(sum(hop is not None for hop in found) / len(found))
        if None in found:
            continue
        measured["diameter"].append(max(found))
        measured["average_path_length"].append(np.mean(found))
        simple = nx.Graph()
        for a, b, _ in graph.edges:
            weight = simple.get_edge_data(a, b, {"capacity": 0})["capacity"]
            simple.add_edge(a, b, capacity=weight + 1)
        measured["edge_connectivity"].append(min(nx.maximum_flow_value(simple, ends[0], b) for b in ends[1:]))
    assert row.connected == len(measured["diameter"]) / row.seeds
    assert (row.joined.low, row.joined.high) == pytest.approx((min(joined), max(joined)))
    for name, values in measured.items():
        band = row.bands[name]
        if not values:
            assert band is None
            continue
        assert band is not None
        assert (band.median, band.low, band.high, band.seeds) == pytest.approx(
            (np.median(values), min(values), max(values), len(values))
        )


@pytest.mark.parametrize("spec", ["hyperx:shape=3x3", "fattree:levels=3,radix=4", "torus:shape=3x4"])
def test_agrees_with_networkx(spec: str) -> None:
    fabric = library.Fabric(spec)
    found = resilience(fabric, "minimal", shares=["0%", "10%", "60%"], seeds=3)
    assert [(row.kind, row.share) for row in found.rows] == [
        (kind, share) for kind in ("links", "switches") for share in (0, 0.1, 0.6)
    ]
    for row in found.rows:
        check(row, fabric)
    # The random failures of some seeds disconnect endpoints, so some rows have values of fewer seeds.
    assert min(row.connected for row in found.rows) < 1


def test_throughput_is_of_the_rerouted_routing() -> None:
    fabric = library.Fabric("slimfly:q=5")
    routing = library.route(fabric, "spread:layers=3,aim=disjoint")
    [row] = resilience(fabric, routing, shares=["5%"], kinds=["links"], seeds=2).rows
    bound = row.bands["all_to_all"]
    assert bound is not None
    for name in ("routed", "routed_anew"):
        rates = []
        for seed in range(2):
            damaged = fabric.without(links="5%", seed=seed)
            ways = {
                "routed": routing.reroute(damaged).routing,
                "routed_anew": library.route(damaged, routing.spec, routing.seed or 0),
            }
            rates.append(library.analysis.throughput(damaged, "all-to-all", ways[name], method="split").lower)
        band = row.bands[name]
        assert band is not None
        assert (band.low, band.high) == (min(rates), max(rates))
        # The optimal throughput over arbitrary paths is never below the throughput over the routing's paths.
        assert all(getattr(band, name) <= getattr(bound, name) for name in ("low", "median", "high"))


def test_a_routing_without_a_scheme_is_not_recomputed() -> None:
    fabric = library.Fabric("hyperx:shape=3x3")
    routing = library.Routing.from_next_hop(fabric, library.route(fabric, "minimal").next_hop)
    [row] = resilience(fabric, routing, shares=["5%"], kinds=["links"], seeds=1).rows
    assert "routed" in row.bands
    assert "routed_anew" not in row.bands


def test_a_fabric_that_a_scheme_cannot_recompute_is_a_dash() -> None:
    """Check rows that lack the throughput of a routing from scratch, because the scheme finds no path.

    If two of three leaves have no common spine after failures, no up-down path connects these two leaves.
    """
    fabric = library.Fabric("fattree:levels=2,radix=4,leaves=3")
    found = [resilience(fabric, "updown", shares=["34%"], seeds=[seed]).rows[0] for seed in range(12)]
    cut = [row for row in found if row.connected == 1 and row.bands["routed_anew"] is None]
    assert cut
    assert all(row.bands["routed"] is not None for row in cut)


def test_throughput_under_a_traffic_is_that_of_the_endpoints_left() -> None:
    fabric = library.Fabric("slimfly:q=5")
    routing = library.route(fabric, "spread:layers=3,aim=disjoint")
    found = resilience(fabric, routing, traffic="skewed", shares=["0%", "10%"], kinds=["switches"], seeds=[4, 5])
    assert found.traffic == library.traffic(fabric, "skewed").spec
    whole = library.analysis.throughput(fabric, "skewed", routing, method="split").lower
    band = found.rows[0].bands["routed_traffic"]
    assert band is not None
    assert (band.low, band.high) == (whole, whole)
    rates = []
    for seed in (4, 5):
        damaged = fabric.without(switches="10%", seed=seed)
        messages = library.traffic(damaged, "skewed", 4)
        assert len(messages) == damaged.num_endpoints
        rates.append(library.analysis.throughput(damaged, messages, routing.reroute(damaged).routing, method="split"))
    band = found.rows[1].bands["routed_traffic"]
    assert band is not None
    assert (band.low, band.high) == (min(rate.lower for rate in rates), max(rate.lower for rate in rates))


def test_spines_that_are_cut_off_matter_to_no_endpoint() -> None:
    """Check that metrics ignore a spine without cables: one path of two hops over the other spine joins the leaves."""
    fabric = library.Fabric.from_edges([[0, 2], [1, 2], [0, 3], [1, 3]], [0, 0, 1, 1])
    found = [resilience(fabric, shares=["50%"], kinds=["links"], seeds=[seed]).rows[0] for seed in range(8)]
    whole = [row for row in found if row.connected == 1]
    assert whole
    for row in whole:
        assert [band.median for name, band in row.bands.items() if band and name != "all_to_all"] == [2, 2, 1, 1]


def test_command(tulle: Cli, tmp_path: Path) -> None:
    arguments = ["resilience", "fattree:levels=3,radix=4", "--shares", "0%,50%", "--seeds", "2"]
    found = json.loads(tulle(*arguments, "--json").stdout)
    assert [row["connected"] for row in found["rows"] if row["share"] == 0] == [1, 1]
    assert found["rows"][1]["bands"]["diameter"] is None
    drawn = tulle(*arguments, "--routing", "minimal", "-o", "a.svg")
    output = drawn.stdout
    assert "rerouted" in output
    assert "routed anew: many entries change" in drawn.stderr
    both = json.loads(tulle(*arguments, "--routing", "minimal", "--traffic", "skewed", "--json").stdout)
    kept = [name for name in both["rows"][0]["bands"] if name.startswith("routed")]
    assert kept == ["routed", "routed_anew", "routed_traffic", "routed_anew_traffic"]
    assert " - " in output
    assert output == tulle(*arguments, "--routing", "minimal", "-o", "b.svg").stdout
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["--shares", "5"], "shares=5 is not a share; legal: 0% to below 100%, for example 5%"),
        (["--shares", "100%"], "shares=100% is not a share"),
        (["--kinds", "racks"], "kinds=racks is not a choice; legal: links, switches"),
        (["--seeds", "0"], "seeds=0 is out of range"),
        (["--pairs", "0"], "pairs=0 is out of range"),
        (["--hops", "0"], "max_hops=0 is out of range"),
        (["--traffic", "skewed"], "traffic=skewed without a routing"),
        (["--traffic", "nonsense", "--routing", "minimal"], "unknown traffic 'nonsense'"),
        (["--fail", "links=95%"], "or some of them are disconnected"),
    ],
)
def test_bad_input(tulle: Cli, arguments: list[str], error: str) -> None:
    done = tulle("resilience", "hyperx:shape=3x3", *arguments)
    assert done.returncode == 2
    assert error in done.stderr
    assert done.stderr.count("\n") == 1


def test_disjoint_paths_of_a_small_fabric_are_those_of_all_pairs() -> None:
    found = library.analysis.resilience("slimfly:q=5", shares="0%", kinds="links", seeds=1)
    band = found.rows[0].bands["disjoint_paths"]
    assert band is not None
    assert band.median == library.analysis.disjoint_paths("slimfly:q=5", 3, "exact").mean
    # A sample of as many pairs misses this value.
    sample = library.analysis.resilience("slimfly:q=5", shares="0%", kinds="links", seeds=1, pairs=1000)
    band = sample.rows[0].bands["disjoint_paths"]
    assert band is not None
    assert band.median != library.analysis.disjoint_paths("slimfly:q=5", 3, "exact").mean
