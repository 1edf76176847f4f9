"""Test the computation of throughput: certified bounds, agreement of methods, values of papers, and errors."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import highspy
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

import tulle
from tulle.analysis import METHODS, Demands, demands, throughput

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Cli
    from numpy.typing import NDArray


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
    # A row has the routing scheme, number of layers, traffic intensity, and the maximum achievable throughput
    # (MAT) of Blach et al. (NSDI24), §6.4. The mean of three seeds must be within 10% of the MAT.
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


def test_spread_layers_carry_more(slim: tulle.Fabric) -> None:
    gains = []
    for seed in (1, 2, 3):
        wanted = demands(slim, "longest-matching:intensity=0.5", seed)
        found = [
            throughput(slim, wanted, tulle.route(slim, s, seed))
            for s in ("spread:layers=4,aim=disjoint", "almost-minimal:layers=4")
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
    # A demand of two units crosses a cable of capacity 1, so the throughput is 1/2. With capacity 1.5, the throughput
    # is 3/4.
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


@pytest.mark.parametrize("q", [5, 7, 8, 9, 11])
def test_orbits_give_the_closed_form_of_slim_fly(q: int) -> None:
    # If each switch sends one unit in total, the throughput is (2q² − 1) / (3q − 2) for all prime powers q.
    found = throughput(tulle.Fabric(f"slimfly:q={q},p=1"), "all-to-all", gap=1e-6, method="orbit-lp")
    assert found.proven
    assert found.lower == pytest.approx((2 * q * q - 1) / (3 * q - 2), rel=1e-6)


@pytest.mark.parametrize(
    "spec",
    [
        "torus:shape=3x4",
        "dragonfly:p=2",
        "hypercube:dimensions=4",
        "hyperx:shape=3x3",
        "polarfly:q=3",
        "mesh:shape=3x3",
        "mlfm:h=3",
        "fattree:levels=2,radix=4",
        "jellyfish:switches=12,degree=3",
    ],
)
def test_orbits_agree_with_the_edge_program(spec: str) -> None:
    fabric = tulle.Fabric(spec)
    orbits, edges = (throughput(fabric, "all-to-all", gap=1e-6, method=method) for method in ("orbit-lp", "edge-lp"))
    assert orbits.proven
    assert edges.proven
    assert orbits.lower == pytest.approx(edges.lower, rel=1e-6)
    assert throughput(fabric, "all-to-all", method="hops").upper >= edges.lower


def test_unit_pair_demands_of_hoffman_singleton(slim: tulle.Fabric) -> None:
    wanted = Demands.from_matrix(1 - np.eye(50))
    assert throughput(slim, wanted, gap=1e-6, method="edge-lp").lower == pytest.approx(1 / 13, rel=1e-6)


def test_weights_hold_the_optimum_of_random_instances() -> None:
    rng = np.random.default_rng(1)
    for instance in range(80):
        fabric = tulle.Fabric("jellyfish:switches=8,degree=3,p=1", seed=instance)
        matrix = rng.random((8, 8)) * (rng.random((8, 8)) < 0.4)
        matrix[0, 1] = 1
        wanted = Demands.from_matrix(matrix)
        capacity = rng.uniform(0.5, 2, 2 * fabric.num_cables)
        exact = throughput(fabric, wanted, gap=1e-6, method="edge-lp", capacity=capacity)
        found = throughput(fabric, wanted, gap=0.02, method="weights", capacity=capacity)
        assert exact.proven
        assert found.proven
        assert found.lower <= exact.upper * (1 + 1e-9)
        assert exact.lower <= found.upper * (1 + 1e-9)
        routing = tulle.route(fabric, "ksp:k=3")
        exact = throughput(fabric, wanted, routing, gap=1e-6, method="path-lp", capacity=capacity)
        found = throughput(fabric, wanted, routing, gap=0.02, method="path-weights", capacity=capacity)
        assert found.proven
        assert found.lower <= exact.upper * (1 + 1e-9)
        assert exact.lower <= found.upper * (1 + 1e-9)


def test_worst_cases_under_minimal_routing(slim: tulle.Fabric) -> None:
    # Kathareios et al. (SC15), §4.2: all endpoints of one switch send to endpoints of another switch, and
    # only one minimal path connects the two switches. The throughput is 1/h for an MLFM and 1/k for an OFT.
    for spec in ("mlfm:h=4", "oft:k=4"):
        fabric = tulle.Fabric(spec)
        routing = tulle.route(fabric, "minimal")
        to = next(t for t in range(1, 99) if len(routing.next_hops(0, 0, t)) == 1)
        wanted = Demands(fabric.num_switches, [0], [to], [4])
        assert throughput(fabric, wanted, routing, method="split").lower == pytest.approx(1 / 4)
    # On a Slim Fly, the paths a → b → c and d → a → b of two pairs of switches share a channel. With p endpoints per
    # switch, the throughput is 1/(2p).
    a, b = slim.channels[0]
    (c, d) = (next(x for x in slim.channels[slim.channels[:, 0] == y, 1] if x not in (a, b)) for y in (b, a))
    wanted = Demands(50, [a, d], [c, b], [4, 4])
    assert throughput(slim, wanted, tulle.route(slim, "minimal"), method="split").lower == pytest.approx(1 / 8)


def test_flattened_clos_table_3() -> None:
    fabric = tulle.Fabric("flattenedclos:switches=144,ports=32,layers=4,p=8", seed=1)
    for scheme, traffic, least, most in [
        ("virtual-updown", "all-to-all", 1.47, 1.54),
        ("virtual-updown", "longest-matching:of=switches", 0.52, 0.57),
        ("edst-paths", "longest-matching:of=switches", 0.16, 0.185),
    ]:
        found = throughput(fabric, traffic, tulle.route(fabric, scheme, 1), seed=1)
        assert found.proven
        assert least <= found.lower <= found.upper <= most, (scheme, traffic)


def test_subflows_of_jellyfish() -> None:
    # Eq. (1) of "Multi-path routing in the Jellyfish network" for RRG(36, 24, 16): values are within 0.03 of the paper,
    # and the schemes have the same order as in the paper.
    wanted = {"permutation": {"rksp": 0.82, "redksp": 0.83}, "random:destinations=50": {"ksp": 0.815, "rksp": 0.91}}
    for traffic, resolved in wanted.items():
        rates: dict[str, list[float]] = {scheme: [] for scheme in ("ksp", "rksp", "edksp", "redksp")}
        for seed in range(3):
            fabric = tulle.Fabric("jellyfish:switches=36,degree=16,p=8", seed)
            for scheme, found in rates.items():
                routing = tulle.route(fabric, f"{scheme}:k=8", seed)
                for instance in range(5):
                    load = tulle.traffic(fabric, traffic, 10 * seed + instance)
                    found.append(float(tulle.analysis.subflow_rates(fabric, load, routing).sum()) / 288)
        means = {scheme: np.mean(found) for scheme, found in rates.items()}
        for scheme, rate in resolved.items():
            assert means[scheme] == pytest.approx(rate, abs=0.03), (traffic, scheme)
        assert means["ksp"] < means["edksp"] < min(means["rksp"], means["redksp"])
        if traffic == "permutation":
            assert means["rksp"] < means["redksp"]


def test_small_programs_are_solved_to_a_vertex() -> None:
    """Check that the two bounds of small linear programs are equal, because the simplex method solves them exactly."""
    for fabric, routing in (
        ("jellyfish:switches=20,degree=5,p=2", "redksp:k=4"),
        ("hyperx:shape=3x3", None),
        ("jellyfish:switches=36,degree=16,p=8", "minimal"),
    ):
        found = throughput(fabric, "permutation", routing, seed=1)
        assert 0 <= found.gap < 1e-12, found


def test_the_solver_prints_nothing(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    """Check that nothing is printed if the solver prints a line when callbacks are enabled, as HiGHS 1.16 does."""
    enable = highspy.Highs.enableCallbacks

    def speak_and_enable(solver: highspy.Highs) -> None:
        if solver.getOptionValue("output_flag")[1]:
            os.write(1, b"Running HiGHS\n")
        enable(solver)  # type: ignore[no-untyped-call]

    monkeypatch.setattr(highspy.Highs, "enableCallbacks", speak_and_enable)
    throughput("jellyfish:switches=20,degree=5,p=2", "permutation", "redksp:k=4", seed=1)
    assert capfd.readouterr() == ("", "")
    highspy.Highs()  # type: ignore[no-untyped-call]
    assert capfd.readouterr().out.startswith("Running HiGHS")


def optimum(
    fabric: tulle.Fabric,
    wanted: Demands,
    capacity: NDArray[np.float64],
    ways: Callable[[int, int], list[NDArray[np.int32]]] | None,
) -> float:
    """Return the throughput from an independent linear program, solved by scipy's dual simplex method.

    If `ways` is given, it returns the paths of a pair of switches, and the program has one flow per path. Without
    `ways`, traffic may use any path, and the program has one flow per source and channel.
    """
    channels, switches = fabric.channels, fabric.num_switches
    if ways is None:
        sources = np.unique(wanted.source)
        columns = len(sources) * len(channels) + 1
        balance = np.zeros((len(sources), switches, columns))
        load = np.zeros((len(channels), columns))
        for i, source in enumerate(sources):
            for channel, (a, b) in enumerate(channels):
                at = i * len(channels) + channel
                balance[i, a, at] -= 1
                balance[i, b, at] += 1
                load[channel, at] = 1
            for of, to, amount in zip(wanted.source, wanted.destination, wanted.amount, strict=True):
                if of == source:
                    balance[i, to, -1] -= amount
                    balance[i, source, -1] += amount
        equal = balance.reshape(-1, columns)
    else:
        paths = [ways(int(s), int(t)) for s, t in zip(wanted.source, wanted.destination, strict=True)]
        columns = sum(map(len, paths)) + 1
        equal, load, at = np.zeros((len(paths), columns)), np.zeros((len(channels), columns)), 0
        for pair, own in enumerate(paths):
            equal[pair, -1] = -wanted.amount[pair]
            for path in own:
                equal[pair, at] = 1
                load[path, at] = 1
                at += 1
    goal = np.zeros(columns)
    goal[-1] = -1
    solved = linprog(goal, load, capacity, equal, np.zeros(len(equal)), method="highs-ds")
    assert solved.status == 0
    return float(-solved.fun)


@settings(max_examples=25, deadline=None, derandomize=True)
@given(seed=st.integers(0, 2**32), degree=st.sampled_from([3, 4]), all_to_all=st.booleans())
def test_methods_give_valid_bounds_only(seed: int, degree: int, *, all_to_all: bool) -> None:
    rng = np.random.default_rng(seed)
    fabric = tulle.Fabric(f"jellyfish:switches=8,degree={degree},p=2", seed)
    capacity = np.ones(8 * degree) if all_to_all else rng.uniform(0.1, 2, 8 * degree)
    matrix = rng.random((8, 8)) * (rng.random((8, 8)) < 0.5)
    matrix[0, 1] = 1
    wanted = demands(fabric, "all-to-all") if all_to_all else Demands.from_matrix(matrix)
    layers, paths = tulle.route(fabric, "balanced:layers=3", seed), tulle.route(fabric, "rksp:k=3", seed)
    for method in METHODS:
        if method.startswith("orbit-") and not all_to_all:
            continue
        free = method in ("edge-lp", "orbit-lp", "orbit-weights", "weights", "hops")
        for routing in [None] if free else [layers, paths]:
            true = optimum(fabric, wanted, capacity, None if routing is None else routing.paths)
            found = throughput(fabric, wanted, routing, "5%", method=method, capacity=None if all_to_all else capacity)
            assert found.lower <= true * (1 + 1e-7), method
            # The method `split` distributes traffic evenly over paths, so it gives only a lower bound of the optimum.
            assert method == "split" or true <= found.upper * (1 + 1e-7), method
            assert found.proven or method in ("hops", "path-pdlp"), method


@pytest.mark.parametrize(
    ("fabric", "routing", "method"),
    [("slimfly:q=9", [], "edge-lp"), ("slimfly:q=11", ["random:layers=4,rho=0.7"], "path-lp")],
)
def test_ctrl_c_ends_a_linear_program(tmp_path: Path, fabric: str, routing: list[str], method: str) -> None:
    command = [str(Path(sys.executable).with_name("tulle")), "throughput", fabric, *routing, "all-to-all"]
    # Without Ctrl-C, each of these linear programs takes tens of seconds.
    with subprocess.Popen(
        [*command, "--method", method, "--gap", "1e-9"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=3)
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=300)
    assert (process.returncode, out, error) == (130, "", "tulle: stopped\n")


def test_progress_ends_a_linear_program(slim: tulle.Fabric) -> None:
    def stop(rounds: int, lower: float, upper: float) -> None:
        assert (rounds, lower, upper) == (0, 0, np.inf)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        throughput(slim, "all-to-all", method="edge-lp", progress=stop)


def test_nonsense_is_refused_in_one_line(slim: tulle.Fabric) -> None:
    routing = tulle.route(slim, "minimal")
    split = tulle.Fabric.from_edges([(0, 1), (2, 3)], endpoint_switch=1)
    other = tulle.route(tulle.Fabric("slimfly:q=3"), "minimal")
    cases: list[tuple[str, Callable[[], object]]] = [
        ("no demand between switches", lambda: Demands(3, [0], [0], [1])),
        ("the demand of switch 0 toward 1 is -1", lambda: Demands(3, [0], [1], [-1])),
        ("capacity of channel 0 is -1", lambda: throughput(slim, "permutation", routing, capacity=-1)),
        ("capacity has shape", lambda: throughput(slim, "permutation", routing, capacity=[1, 2])),
        ("gap=0 is out of range", lambda: throughput(slim, "permutation", routing, 0)),
        ("gap=wide is not a number", lambda: throughput(slim, "permutation", routing, "wide")),
        ("unknown method 'simplex'", lambda: throughput(slim, "permutation", routing, method="simplex")),
        ("does not work with a routing", lambda: throughput(slim, "permutation", routing, method="weights")),
        ("does not work without a routing", lambda: throughput(slim, "permutation", method="path-lp")),
        ("orbit-lp: the traffic is permutation", lambda: throughput(slim, "permutation", method="orbit-lp")),
        ("no path connects switches 0 and 2", lambda: throughput(split, Demands(4, [0], [2], [1]))),
        ("legal: a routing made for this fabric", lambda: throughput(slim, "permutation", other)),
        ("did you mean longest-matching:of=switches", lambda: throughput(slim, "near-worst", routing)),
        ("no path connects switches 0 and 2", lambda: throughput(split, "all-to-all", method="edge-lp")),
        ("no path connects switches 0 and 2", lambda: throughput(split, "all-to-all", method="weights")),
        ("no path connects switches 0 and 2", lambda: throughput(split, "all-to-all", method="orbit-lp")),
        ("no path connects switches 0 and 2", lambda: throughput(split, "all-to-all", method="hops")),
        ("every capacity is 0", lambda: throughput(slim, "permutation", routing, capacity=0)),
        ("channel 0 has capacity -1.0", lambda: throughput(slim, "permutation", routing, method="split", capacity=-1)),
        ("unknown traffic 'longest'", lambda: throughput(slim, "longest", routing)),
    ]
    for message, call in cases:
        with pytest.raises(tulle.TulleError, match=message) as error:
            call()
        assert "\n" not in str(error.value)


def test_command_line(tulle: Cli) -> None:
    arguments = (
        "throughput",
        "slimfly:q=5",
        "spread:layers=4,aim=disjoint",
        "longest-matching:intensity=0.5",
        "--seed",
        "1",
    )
    fields = json.loads(tulle(*arguments, "--json").stdout)
    assert fields["lower"] <= fields["upper"] <= fields["lower"] * 1.01
    assert fields["method"] == "path-lp"
    assert fields["seconds"] > 0
    assert fields["best_split"] == fields["lower"]
    printed = tulle(*arguments).stdout
    assert "best_split  1." in printed
    assert "even_split  0." in printed
    split = json.loads(tulle(*arguments, "--method", "split", "--json").stdout)
    assert not {"best_split", "even_split"} & set(split)
    assert split["lower"] == fields["even_split"] < fields["lower"]
    for options, words in [
        (("minimal", "permutation", "--gap", "no"), "gap=no is not a number"),
        (("minimal", "permutation", "--method", "magic"), "unknown method 'magic'"),
        (("minimal", "permutation", "extra"), "4 arguments; legal: SPEC [ROUTING] TRAFFIC"),
    ]:
        refused = tulle("throughput", "slimfly:q=5", *options)
        assert (refused.returncode, refused.stdout) == (2, "")
        assert words in refused.stderr
        assert refused.stderr.count("\n") == 1


def test_undeliverable_traffic_is_one_line_on_the_command_line(tulle: Cli, tmp_path: Path) -> None:
    (tmp_path / "split.csv").write_text("a,b\n0,1\n2,3\n")
    (tmp_path / "nodes.csv").write_text("node,switch\n0,0\n1,1\n2,2\n3,3\n")
    split = "file:edges=split.csv,nodes=nodes.csv"
    for arguments, words in [
        ((split, "all-to-all"), "no path connects switches 0 and 2"),
        ((split, "all-to-all", "--method", "weights"), "no path connects switches 0 and 2"),
        (("star:endpoints=4", "all-to-all"), "all-to-all has no demand between switches"),
        (("star:endpoints=4", "permutation"), "has no demand between switches"),
        (("slimfly:q=5", "near-worst"), "did you mean longest-matching:of=switches?"),
        (("slimfly:q=5", "random:destinations=50,of=switches"), "destinations=50 is too large for 50 switches"),
    ]:
        refused = tulle("throughput", *arguments)
        assert (refused.returncode, refused.stdout) == (2, ""), arguments
        assert words in refused.stderr
        assert refused.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("spec", "gap", "method"),
    [
        # A random graph has no symmetry. So a linear program over orbits of channels is not smaller than one over all
        # channels.
        ("jellyfish:switches=36,degree=16,p=8", 0.01, "weights"),
        ("jellyfish:switches=36,degree=16,p=8", 1e-4, "edge-lp"),
        ("slimfly:q=5", 0.01, "orbit-lp"),
        ("fattree:levels=3,radix=4", 0.01, "orbit-lp"),
        # A Dragonfly has at least five orbits.
        ("dragonfly:p=2", 0.01, "weights"),
    ],
)
def test_all_to_all_takes_the_method_that_costs_least(spec: str, gap: float, method: str) -> None:
    found = throughput(tulle.Fabric(spec, 1), "all-to-all", gap=gap)
    assert (found.method, found.proven) == (method, True)


@pytest.mark.parametrize(
    "spec", ["slimfly:q=5", "dragonfly:p=2", "fattree:levels=3,radix=4", "xpander:degree=4", "torus:shape=3x4"]
)
def test_invariants_never_give_too_many_orbits(spec: str) -> None:
    from tulle import _tulle
    from tulle.analysis.concurrent_flow import symmetry

    fabric = tulle.Fabric(spec, 1)
    demands = tulle.analysis.demands(fabric, "all-to-all")
    flow = _tulle.edge_flow(fabric._core, demands._core, None, symmetry.generators(fabric))
    edge = len(flow.orbits()[0]) + len(set(range(fabric.num_switches)) - set(fabric.endpoint_switch.tolist()))
    assert 1 <= symmetry.least_orbits(fabric) <= edge


@pytest.mark.parametrize("traffic", ["uniform", "uniform:duration=100us", "uniform:arrivals=10,sizes=websearch"])
def test_uniform_traffic_means_expected_demands(slim: tulle.Fabric, traffic: str) -> None:
    expected = demands(slim, "all-to-all")
    assert demands(slim, traffic) == demands(slim, traffic, 1) == expected
    routing = tulle.route(slim, "minimal")
    rows = [
        tulle.analysis.resilience(slim, routing, traffic=each, shares="5%", kinds="links", seeds=2).rows
        for each in (traffic, "all-to-all")
    ]
    assert rows[0] == rows[1]
    # A generated workload has the demands of its messages.
    assert demands(slim, tulle.traffic(slim, traffic)) != expected


def test_bad_parameters_of_uniform_are_errors_in_demands(slim: tulle.Fabric) -> None:
    with pytest.raises(tulle.SpecError, match="arrivals=0 is not a positive number"):
        demands(slim, "uniform:arrivals=0")
    with pytest.raises(tulle.SpecError, match="unknown traffic 'uniformly'"):
        demands(slim, "uniformly:arrivals=0")


@pytest.mark.parametrize(("separator", "number"), [(",", repr), (";", repr), ("\t", repr), (" ", "{:.18e}".format)])
def test_a_matrix_in_a_file_gives_its_demands(separator: str, number: Callable[[float], str], tmp_path: Path) -> None:
    fabric = tulle.Fabric("slimfly:q=3,p=2")
    random = np.random.default_rng(1)
    between = random.random((fabric.num_endpoints,) * 2).round(2)
    at = fabric.endpoint_switch
    expected = np.zeros((fabric.num_switches,) * 2)
    for source, destination in np.ndindex(between.shape):
        expected[at[source], at[destination]] += between[source, destination]
    path = tmp_path / "tm.csv"
    # The diagonal is traffic inside a switch, which is omitted.
    for matrix in (between, expected):
        path.write_text("# demands\n" + "".join(separator.join(map(number, row.tolist())) + "\n" for row in matrix))
        found = tulle.analysis.demands(fabric, f"file:matrix={path}")
        wanted = tulle.analysis.Demands.from_matrix(expected)
        assert found.spec == f"file:matrix={path}"
        assert (found.source.tolist(), found.destination.tolist()) == (
            wanted.source.tolist(),
            wanted.destination.tolist(),
        )
        assert found.amount == pytest.approx(wanted.amount)
    throughputs = [tulle.analysis.throughput(fabric, each, "minimal").lower for each in (f"file:matrix={path}", wanted)]
    assert throughputs[0] == pytest.approx(throughputs[1])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0,1\n1,0\n", "a matrix of 2 × 2 values; legal for slimfly:q=3,p=3: 54 × 54 (between endpoints) or 18 × 18"),
        ("0,1\n1\n", ":2: 1 values; legal: 2, as in the first row"),
        (",a\na,1\n", ":1: '' is not a demand; legal: demands in units of a link's rate, 0 or more, without names"),
        ("# x\n0,-1\n", ":2: '-1' is not a demand"),
        ("0 nan\n", ":1: 'nan' is not a demand"),
        ("", "a matrix of 0 × 0 values"),
        ("\n".join([",".join("0" * 18)] * 18), "has no demand between switches"),
    ],
)
def test_bad_matrices_are_one_line(text: str, message: str, tulle: Cli, tmp_path: Path) -> None:
    (tmp_path / "tm.csv").write_text(text)
    printed = tulle("throughput", "slimfly:q=3", "file:matrix=tm.csv")
    assert (printed.returncode, printed.stdout, printed.stderr.count("\n")) == (2, "", 1)
    assert message in printed.stderr


def test_a_matrix_that_is_read_as_messages_has_a_hint(tulle: Cli, tmp_path: Path) -> None:
    for text, has_hint in (("0,1,2\n1,0,1\n1,2,0\n", True), ("0,1,2\n1,0,1\n", False), ("a,b\n0,1\n", False)):
        (tmp_path / "tm.csv").write_text(text)
        error = tulle("throughput", "clique:degree=2", "file:tm.csv").stderr
        assert error.count("\n") == 1
        hint = "; the file has a matrix of 3 × 3 values: tulle throughput reads file:matrix=tm.csv\n"
        assert (hint in error) == has_hint


def test_a_study_reads_a_matrix_beside_it(tmp_path: Path) -> None:
    (tmp_path / "tm.csv").write_text("0,1,0\n1,0,0\n0,0,0\n")
    case = 'fabric = "clique:degree=2"\ntraffic = "file:matrix=tm.csv"'
    text = f'name = "m"\ntitle = "m"\nmeasurement = "throughput"\nseeds = [1]\n[[case]]\nname = "a"\n{case}\n'
    (tmp_path / "m.toml").write_text(text)
    done = tulle.study.run(tmp_path / "m.toml", tmp_path / "out")
    assert done.results[0].figures["lower"].mean == pytest.approx(2, rel=0.01)
    # A changed matrix is another run.
    (tmp_path / "tm.csv").write_text("0,2,0\n1,0,0\n0,0,0\n")
    again = tulle.study.run(tmp_path / "m.toml", tmp_path / "out")
    assert again.results[0].figures["lower"].mean == pytest.approx(1, rel=0.01)


@pytest.mark.parametrize(
    "command", [("simulate", "-r", "minimal", "-t"), ("exchange", "-t"), ("flit", "-t"), ("stress", "minimal")]
)
def test_other_commands_refuse_a_matrix(command: tuple[str, ...], tulle: Cli) -> None:
    name, *options = command
    printed = tulle(name, "slimfly:q=3", *options, "file:matrix=tm.csv")
    message = "tulle: file:matrix=tm.csv: a traffic matrix has no messages; legal: traffic with messages, for example"
    assert (printed.returncode, printed.stderr[: len(message)]) == (2, message)


@pytest.mark.parametrize("gap", ["5", "1.01", "101%", "0", "-1%"])
def test_a_gap_is_at_most_everything(gap: str) -> None:
    legal = "legal: above 0 and at most 1 (100%), for example 0.01 or 1%"
    with pytest.raises(tulle.SpecError, match=re.escape(f"gap={gap} is out of range; {legal}")):
        tulle.analysis.throughput("slimfly:q=3", "all-to-all", gap=gap)
    assert tulle.analysis.throughput("slimfly:q=3", "all-to-all", gap="100%").proven
