"""Throughput: certified bounds, methods against each other, papers' figures, errors."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

import tulle
from tulle.analysis import Demands, demands, throughput

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Cli


@pytest.fixture(scope="module")
def slim() -> tulle.Fabric:
    return tulle.Fabric("slimfly:q=5")


def test_solvers_agree_and_hold_to_their_bounds(slim: tulle.Fabric) -> None:
    routing = tulle.route(slim, "almost-minimal:layers=4", seed=1)
    wanted = demands(slim, "longest-matching:intensity=0.5", seed=1)
    exact = throughput(slim, wanted, routing, 1e-6, method="path-lp")
    assert exact.proven
    assert exact.lower <= exact.upper * (1 + 1e-12)
    near = throughput(slim, wanted, routing, "5%", method="path-pdlp")
    assert near.proven
    assert near.lower <= exact.upper * (1 + 1e-12)
    assert exact.lower <= near.upper * (1 + 1e-12)


def test_deployment_figure_9(slim: tulle.Fabric) -> None:
    # Layers, intensity, MAT (mean of three seeds) as resolved for deployment §6.4, within 10%.
    for scheme, layers, intensity, paper in [
        ("almost-minimal", 4, 0.5, 0.88),
        ("almost-minimal", 8, 0.5, 1.12),
        ("almost-minimal", 4, 0.9, 0.64),
        ("low-overlap", 32, 0.5, 0.99),
        ("low-overlap", 64, 0.9, 0.77),
    ]:
        found = [
            throughput(slim, f"longest-matching:intensity={intensity}", routing, seed=seed).lower
            for seed in (1, 2, 3)
            for routing in [tulle.route(slim, f"{scheme}:layers={layers}", seed)]
        ]
        assert np.mean(found) == pytest.approx(paper, rel=0.1), (scheme, layers, intensity)


def test_gateway_layers_carry_more(slim: tulle.Fabric) -> None:
    gains = []
    for seed in (1, 2, 3):
        wanted = demands(slim, "longest-matching:intensity=0.5", seed)
        found = [
            throughput(slim, wanted, tulle.route(slim, f"{s}:layers=4", seed)) for s in ("gateway", "almost-minimal")
        ]
        gains.append(found[0].lower / found[1].upper)
    assert np.mean(gains) >= 1.1


def test_demands_from_columns_and_matrices() -> None:
    line = tulle.Fabric.from_edges([(0, 1), (1, 2)], endpoint_switch=[0, 1, 2])
    matrix = [[0, 0, 2], [0, 5, 0], [0, 1, 0]]
    wanted = Demands.from_matrix(matrix)
    assert wanted == Demands(3, [2, 0, 0, 1], [1, 2, 2, 1], [1, 1.5, 0.5, 5])
    assert wanted.source.tolist() == [0, 2]
    assert wanted.destination.tolist() == [2, 1]
    assert wanted.amount.tolist() == [2, 1]
    # Two units over either cable toward switch 2: half of them fit, or three quarters where cables have 1.5.
    routing = tulle.route(line, "minimal")
    assert throughput(line, wanted, routing).lower == pytest.approx(0.5)
    assert throughput(line, wanted, routing, capacity=1.5).lower == pytest.approx(0.75)
    assert throughput(line, wanted, routing, capacity=[1, 1, 0.4, 1]).upper == pytest.approx(0.2)


def test_path_sets_are_paths_too(slim: tulle.Fabric) -> None:
    wanted = demands(slim, "permutation", seed=1)
    minimal = throughput(slim, wanted, tulle.route(slim, "minimal"))
    shortest = throughput(slim, wanted, tulle.route(slim, "ksp:k=1"))
    more = throughput(slim, wanted, tulle.route(slim, "edksp:k=4"))
    assert minimal.lower == pytest.approx(shortest.lower)
    assert more.lower > minimal.upper


def test_nonsense_is_refused_in_one_line(slim: tulle.Fabric) -> None:
    routing = tulle.route(slim, "minimal")
    other = tulle.route(tulle.Fabric("slimfly:q=3"), "minimal")
    cases: list[tuple[str, Callable[[], object]]] = [
        ("no demand between switches", lambda: Demands(3, [0], [0], [1])),
        ("the demand of switch 0 toward 1 is -1", lambda: Demands(3, [0], [1], [-1])),
        ("capacity of channel 0 is -1", lambda: throughput(slim, "permutation", routing, capacity=-1)),
        ("capacity has shape", lambda: throughput(slim, "permutation", routing, capacity=[1, 2])),
        ("gap=0 is out of range", lambda: throughput(slim, "permutation", routing, 0)),
        ("gap=wide is not a number", lambda: throughput(slim, "permutation", routing, "wide")),
        ("unknown method 'simplex'", lambda: throughput(slim, "permutation", routing, method="simplex")),
        ("legal: one made for this fabric", lambda: throughput(slim, "permutation", other)),
        ("unknown traffic 'longest'", lambda: throughput(slim, "longest", routing)),
    ]
    for message, call in cases:
        with pytest.raises(tulle.TulleError, match=message) as error:
            call()
        assert "\n" not in str(error.value)


def test_command_line(tulle: Cli) -> None:
    arguments = ("throughput", "slimfly:q=5", "gateway:layers=4", "longest-matching:intensity=0.5", "--seed", "1")
    fields = json.loads(tulle(*arguments, "--json").stdout)
    assert fields["lower"] <= fields["upper"] <= fields["lower"] * 1.01
    assert fields["method"] == "path-lp"
    assert fields["seconds"] > 0
    assert "method" in tulle(*arguments).stdout
    for options, words in [
        (("minimal", "permutation", "--gap", "no"), "gap=no is not a number"),
        (("minimal", "permutation", "--method", "magic"), "unknown method 'magic'"),
        (("minimal", "permutation", "extra"), "4 arguments; legal: SPEC [ROUTING] TRAFFIC"),
    ]:
        refused = tulle("throughput", "slimfly:q=5", *options)
        assert refused.returncode == 2
        assert words in refused.stderr
        assert refused.stderr.count("\n") == 1
