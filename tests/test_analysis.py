"""Compare analyses of fabrics with networkx and closed forms."""

from __future__ import annotations

import json
import os
import pkgutil
import subprocess
import sys
from importlib import import_module
from itertools import islice
from types import ModuleType
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np
import pytest
from conftest import ROOT, Cli

import tulle as library
from tulle import Fabric, InputError, SpecError, _tulle, analysis, study
from tulle.analysis.metrics import entries, metric
from tulle.errors import StudyError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SPECS = [
    "slimfly:q=5",
    "dragonfly:p=2",
    "hyperx:shape=3x4",
    "jellyfish:switches=30,degree=4",
    "fattree:levels=3,radix=4",
]


@pytest.mark.parametrize("spec", SPECS)
def test_distances_against_networkx(spec: str) -> None:
    fabric = Fabric(spec, 1)
    graph: Any = fabric.to_networkx()
    found = analysis.distances(fabric)
    lengths = dict(nx.all_pairs_shortest_path_length(graph))
    for source in (0, 7):
        for target in range(fabric.num_switches):
            assert found.hops[source, target] == lengths[source][target]
            if source != target:
                assert found.counts[source, target] == len(list(nx.all_shortest_paths(graph, source, target)))
    pairs = found.pairs()
    members = len(np.unique(fabric.endpoint_switch))
    assert pairs[:, 2].sum() == members * (members - 1)
    assert found.mean_hops == pytest.approx(fabric.average_path_length)
    assert found.diameter == fabric.diameter
    adjacency = nx.to_numpy_array(graph, nodelist=range(fabric.num_switches)).astype(np.int64)
    assert (analysis.walks(fabric, 3) == np.linalg.matrix_power(adjacency, 3)).all()
    next_hops = analysis.next_hop_counts(fabric)
    degrees = adjacency.sum(axis=1)
    assert ((next_hops == 0) == np.eye(fabric.num_switches, dtype=bool)).all()
    assert (next_hops <= degrees[:, None]).all()
    sets = analysis.next_hops(fabric)
    assert (np.diff(sets.offsets).reshape(next_hops.shape) == next_hops).all()
    for source, target in ((0, 7), (7, 3), (2, 2)):
        first = {path[1] for path in nx.all_shortest_paths(graph, source, target) if len(path) > 1}
        channels = fabric.channels[sets.of(source, target)]
        assert (channels[:, 0] == source).all()
        assert channels[:, 1].tolist() == sorted(first)
    with pytest.raises(InputError, match="switch=-1 is out of range"):
        sets.of(-1, 0)


@pytest.mark.parametrize("spec", SPECS)
def test_connectivity_against_networkx(spec: str) -> None:
    fabric = Fabric(spec, 1)
    graph: Any = fabric.to_networkx()
    tree = analysis.flow_tree(fabric)
    pairs = np.array([[0, target] for target in range(1, fabric.num_switches)])
    expected = [nx.edge_connectivity(graph, 0, int(target)) for target in pairs[:, 1]]
    assert analysis.edge_connectivity(fabric, pairs).tolist() == expected
    assert tree.row(0).tolist() == [-1, *expected]
    assert tree.row(5)[0] == expected[4]
    assert tree.smallest == nx.edge_connectivity(graph)
    few = pairs[::7]
    assert analysis.rank_connectivity(fabric, few).tolist() == expected[::7]
    apart = np.array([pair for pair in few if not graph.has_edge(*map(int, pair))])
    vertices = [nx.node_connectivity(graph, int(a), int(b)) for a, b in apart]
    assert analysis.rank_connectivity(fabric, apart, disjoint="vertices").tolist() == vertices


def test_disjoint_paths() -> None:
    fabric = Fabric("slimfly:q=5")
    every = analysis.disjoint_paths(fabric, 3, "exact")
    assert every.histogram() == {1: 175, 7: 1050}
    assert (every.tail(0.01), every.tail(1), every.proved, every.network_radix) == (1, 7, 1.0, 7)
    assert every.mean == pytest.approx((175 + 7 * 1050) / 1225)
    assert every.upper is not None
    assert (every.upper == every.count).all()
    some = analysis.disjoint_paths(fabric, 4, "exact", pairs=every.pairs[:50])
    assert (some.pairs == every.pairs[:50]).all()
    assert (some.count >= every.count[:50]).all()
    greedy = analysis.disjoint_paths(fabric, 3, pairs=200, seed=3)
    assert greedy.upper is None
    assert greedy.proved is None
    assert (greedy.pairs == analysis.disjoint_paths(fabric, 2, pairs=200, seed=3).pairs).all()
    assert set(greedy.count.tolist()) <= set(range(8))
    # The Slim Fly with q = 5 has girth 5, so each pair of switches has one shortest path.
    assert analysis.disjoint_paths(fabric, "shortest", "exact", pairs=100).histogram() == {1: 100}
    # The set `inside` contains switch 0 and six of its seven neighbours.
    neighbours = fabric.channels[fabric.channels[:, 0] == 0, 1]
    inside = [0, *neighbours[1:].tolist()]
    outside = sorted(set(range(50)) - set(inside))
    assert analysis.disjoint_paths_between(fabric, inside, outside, 1, "exact") == (37, 37)


def test_shortest_disjoint_paths_far_apart() -> None:
    """Check counts of disjoint shortest paths on long rings, and the error for distances above 254 hops."""
    ring = np.arange(402)
    fabric = Fabric.from_edges(np.stack([ring, (ring + 1) % 402], axis=1))
    for mode in ("greedy", "exact"):
        found = analysis.disjoint_paths(fabric, "shortest", mode, pairs=[[0, 201], [0, 100], [3, 4]])
        assert found.count.tolist() == [2, 1, 1]
    ring = np.arange(600)
    fabric = Fabric.from_edges(np.stack([ring, (ring + 1) % 600], axis=1))
    with pytest.raises(InputError, match=r"switches 0 and 300 are more than 254 hops apart"):
        analysis.disjoint_paths(fabric, "shortest", pairs=[[0, 300]])


def test_cables_crossed_at_several_hops_are_cut_once() -> None:
    """Check cuts on a Dragonfly, where a cable between two groups can be the first, second or third hop of a path."""
    found = analysis.disjoint_paths(Fabric("dragonfly:p=4"), 4, "exact", pairs=2000, seed=1)
    assert found.cut is not None
    assert (found.cut >= found.count).all()
    assert (found.cut == found.count).mean() > 0.95


def test_measures() -> None:
    clique = Fabric("clique:degree=9")
    for mode in ("greedy", "exact"):
        half = analysis.measures(clique, 5, 2, mode, draws=2, seed=3)
        assert (half.alone, half.reachability, half.together, half.cut, half.interference) == (45, 45, 25, 25, 20)
        assert half.lower <= 25.0001
        assert half.upper >= 24.9999
        assert half.upper / half.lower < 1.06
    # All means are over the same pairs of switches, so inequalities for single pairs also hold for the means.
    fabric = Fabric("slimfly:q=5")
    two = analysis.measures(fabric, 2, 3, "exact", draws=4, seed=1)
    assert two == analysis.measures(fabric, 2, 3, "exact", draws=4, seed=1)
    assert two.together <= two.reachability <= 4 * fabric.network_radix
    assert two.together <= two.cut
    assert two.lower <= two.cut * 1.0001
    one = analysis.measures(fabric, 1, 64, "exact", draws=3)
    assert (one.alone, one.cut, one.interference) == (7, 7, 0)
    assert one.lower == pytest.approx(7, rel=1e-4)
    for arguments, message in [
        ((26,), "pairs=26 is out of range; legal: 1 to 25, half of the switches"),
        ((0,), "pairs=0 is out of range"),
        ((3, 3, "exact", 0), "draws=0 is out of range"),
    ]:
        with pytest.raises(InputError, match=message):
            analysis.measures(fabric, *arguments)  # type: ignore[arg-type]


def test_interference() -> None:
    clique = Fabric("clique:degree=20")
    for mode in ("greedy", "exact"):
        found = analysis.interference(clique, 2, mode, 50)
        assert (found.mean, found.tail(0.999), found.value.shape) == (2.0, 2, (50,))
    small = analysis.interference(Fabric("clique:degree=4"), 2, "exact", None)
    assert len(small.value) == 5 * 4 * 3 * 2 // 4
    # The expected interference follows the definition, which counts disjoint paths between sets of switches.
    fabric = Fabric("slimfly:q=5")
    found = analysis.interference(fabric, 3, "exact", 20, seed=2)
    for (a, b, c, d), value in islice(zip(found.quadruples.tolist(), found.value.tolist(), strict=True), 20):
        counts = [analysis.disjoint_paths_between(fabric, [a, c], to, 3, "exact")[0] for to in ([b], [d], [b, d])]
        assert value == counts[0] + counts[1] - counts[2]


def test_load() -> None:
    fabric = Fabric("slimfly:q=5")
    assert analysis.edge_density(fabric) == (175 + 200) / 200
    assert analysis.total_network_load(fabric) == pytest.approx(350 / (91 / 49))
    assert analysis.total_network_load(fabric, mean_hops=3.5) == 100
    load = library.Workload([0, 1, 2, 0, 4], [4, 5, 1, 8, 0], 1)
    # Each switch has four endpoints. Switch 0 sends two messages to switch 1, one to switch 2 and one to itself.
    # Switch 1 sends one message to switch 0.
    assert analysis.collisions(fabric, load).tolist() == [50 * 49 - 3, 2, 1]
    assert analysis.collisions(fabric, [load, load]).tolist() == [50 * 49 - 3, 0, 2, 0, 1]


def test_spectrum() -> None:
    # The Hoffman–Singleton graph has the eigenvalues 7, 2 and −3.
    found = analysis.spectrum(Fabric("slimfly:q=5"))
    assert (found.largest, found.second, found.least) == pytest.approx((7, 2, -3))
    assert (found.gap, found.algebraic_connectivity, found.expansion_lower) == pytest.approx((5, 5, 2.5))
    assert found.expansion_lower <= found.expansion_upper <= 7
    # The cut between two halves of a hypercube has expansion 1. With more than 400 switches, the iterative solver runs.
    found = analysis.spectrum(Fabric("hypercube:dimensions=9"))
    assert (found.largest, found.second, found.least) == pytest.approx((9, 7, -9))
    assert found.expansion_lower == pytest.approx(1)
    assert found.expansion_upper >= 1
    graph: Any = Fabric("jellyfish:switches=30,degree=4", 1).to_networkx()
    here = analysis.spectrum(Fabric("jellyfish:switches=30,degree=4", 1)).algebraic_connectivity
    assert here == pytest.approx(float(np.sort(nx.laplacian_spectrum(graph))[1]))


def test_bisection() -> None:
    # The bisection of a hypercube with n switches has n/2 cables, which equals the spectral lower bound.
    found = analysis.bisection(Fabric("hypercube:dimensions=6"), tries=10)
    assert found.cut == 32
    assert found.lower == pytest.approx(32)
    assert found.weights[0] == found.weights[1]
    slimfly = analysis.bisection(Fabric("slimfly:q=7"), tries=10, seed=1)
    assert slimfly.lower <= slimfly.cut
    assert slimfly.half.sum() == 49
    assert (slimfly.half == analysis.bisection(Fabric("slimfly:q=7"), tries=10, seed=1).half).all()
    # In a fat tree, only edge switches have endpoints. Both halves have the same number of endpoints, but the numbers
    # of switches can differ.
    tree = analysis.bisection(Fabric("fattree:levels=3,radix=8"), tries=10)
    assert (tree.weights, tree.lower) == ((64, 64), 0)
    assert tree.per_endpoint == 2 * tree.cut / 128


def test_errors() -> None:
    fabric = Fabric("clique:degree=4")
    apart = Fabric.from_edges([[0, 1], [2, 3]], 1)
    cases: list[tuple[Callable[[], object], str]] = [
        (lambda: analysis.disjoint_paths(fabric, 0), "max_hops=0 is out of range; legal: 1 to 64"),
        (lambda: analysis.disjoint_paths(fabric, pairs=[[1, 1]]), "switch=1 is on both sides of a pair"),
        (lambda: analysis.disjoint_paths(fabric, pairs=[[0, 9]]), "switch=9 is unknown; legal: 0 to 4"),
        (lambda: analysis.disjoint_paths(fabric, pairs=[[0, -1]]), "pairs: switch ids are -1 to 0; legal: 0 to 4"),
        (lambda: analysis.disjoint_paths(apart), "it is not connected"),
        (lambda: analysis.distances(apart), "no path of up to 254 hops from switch 0 to switch 2"),
        (lambda: analysis.interference(fabric, quadruples=[[0, 1, 2, 1]]), "switch=1 occurs twice"),
        (lambda: analysis.flow_tree(apart), "it is not connected"),
        (lambda: analysis.edge_connectivity(fabric, [[2, 2]]), "switch=2 is on both sides"),
        (lambda: analysis.rank_connectivity(fabric, [[0, 1]], 0), "max_hops=0"),
        (lambda: analysis.spectrum(apart), "it is not connected"),
        (lambda: analysis.bisection(apart), "it is not connected"),
        (lambda: analysis.total_network_load(apart), "it is not connected"),
        (lambda: analysis.edge_density(Fabric.from_edges([[0, 1]])), "has no endpoints"),
        (lambda: analysis.collisions(fabric, library.Workload([0], [999], 1)), "destination 999 is unknown"),
        (lambda: analysis.interference(Fabric("clique:degree=2")), "3 switches to measure"),
    ]
    for call, fragment in cases:
        with pytest.raises(InputError) as error:
            call()
        assert fragment in str(error.value)
        assert "\n" not in str(error.value)
    with pytest.raises(SpecError, match="legal: greedy, exact"):
        analysis.disjoint_paths(fabric, mode="best")  # type: ignore[arg-type]


def test_names_stay_what_they_are() -> None:
    """Check that the import of a module of `tulle.analysis` does not hide the function with the module's name."""
    for module in pkgutil.walk_packages(analysis.__path__, "tulle.analysis."):
        import_module(module.name)
    assert not any(isinstance(getattr(analysis, name), ModuleType) for name in analysis.__all__)


@pytest.mark.parametrize("entry", entries(), ids=lambda entry: entry["name"])
def test_metrics(entry: Any, tulle: Cli, tmp_path: Path) -> None:
    for example in entry["examples"]:
        canonical, measure = metric(example).parse(example)
        assert metric(canonical).parse(canonical)[0] == canonical
        found = measure(Fabric("slimfly:q=5"), 1)
        assert json.dumps(dict(found.values), allow_nan=False)
    printed = tulle("analyze", "slimfly:q=5", entry["examples"][0], "--json", "--seed", "1", "-o", "rows.csv")
    assert printed.returncode == 0, printed.stderr
    fields = json.loads(printed.stdout)
    assert (fields["fabric"], fields["seed"]) == ("slimfly:q=5,p=4", 1)
    assert (tmp_path / "rows.csv").exists() == ("rows" in fields) == (found.rows is not None)


def test_metric_specs_are_read_strictly() -> None:
    for spec, fragment in [
        ("distance", "unknown metric 'distance'; did you mean distances?"),
        ("disjoint-paths:hops=0", "hops=0 is out of range; legal: 1 to 64"),
        ("disjoint-paths:hops=three", "hops=three is not a whole number; legal: 1 to 64"),
        ("disjoint-paths:hop=3", "unknown parameter 'hop=3'; did you mean hops?"),
        ("disjoint-paths:hops=3,hops=4", "hops= is given twice"),
        ("spectrum:x=1", "it takes none"),
        ("disjoint-paths:", "nothing follows the colon"),
        ("interference:mode=best", "legal: greedy, exact"),
        ("collisions:traffic=all", "unknown traffic 'all'"),
    ]:
        with pytest.raises(SpecError) as error:
            metric(spec).parse(spec)
        assert fragment in str(error.value)
        assert "\n" not in str(error.value)


def test_command_line_errors(tulle: Cli) -> None:
    for arguments, fragment in [
        (["slimfly:q=5", "disjoint-paths:hops=0"], "hops=0 is out of range; legal: 1 to 64"),
        (["slimfly:q=5", "distances", "--fail", "links=170", "--seed", "1"], "legal: a connected fabric"),
    ]:
        printed = tulle("analyze", *arguments)
        assert (printed.returncode, printed.stdout) == (2, "")
        assert fragment in printed.stderr
        assert printed.stderr.count("\n") == 1


def test_same_bytes_for_any_threads() -> None:
    script = (
        "import tulle; f = tulle.Fabric('jellyfish:switches=60,degree=6', 2); a = tulle.analysis;"
        "print(a.interference(f, 4, 'exact', 100, 5).value.tolist(), a.disjoint_paths(f, 4, pairs=100).count.tolist())"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", script],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "RAYON_NUM_THREADS": threads},
        ).stdout
        for threads in ("1", "4")
    }
    assert len(printed) == 1


def test_studies(tmp_path: Path) -> None:
    """Run small studies of `analyze` and `throughput`; test_study_incremental.py plans the repository's studies."""
    analyze = {
        "paths": 'metric = "disjoint-paths:hops=3"\npairs = 200\nmode = "exact"',
        "interference": 'metric = "interference"\nquadruples = 50',
        "collisions": 'metric = "collisions:pattern=stencil"',
        "density": 'metric = "density"',
        "measures": 'metric = "measures:hops=2"',
    }
    throughput = 'routing = "minimal"\ntraffic = "permutation:bytes=1B"\nstress = 2000'
    for name, case in {**analyze, "throughput": throughput}.items():
        path = tmp_path / f"{name}.toml"
        measurement = "analyze" if name in analyze else name
        head = f'name = "{name}"\nmeasurement = "{measurement}"\nplots = []\n'
        text = f'{head}[[case]]\nname = "case"\nfabric = "slimfly:q=5"\n'
        path.write_text(f"{text}{case}\n")
        done = study.run(study.plan(study.load(path)), tmp_path / "runs", threads=1)
        assert (done.directory / "summary.json").exists()
        if name == "throughput":
            assert (done.results[0].figures["worse"].mean or 0) > 1
    path.write_text(
        'name = "s"\nmeasurement = "throughput"\n[[case]]\nname = "case"\nfabric = "slimfly:q=5"\n'
        'traffic = "all-to-all"\nstress = 5\n'
    )
    with pytest.raises(StudyError, match="stress=5 needs a routing and messages; legal: a routing"):
        study.plan(study.load(path))


@pytest.mark.parametrize(
    ("table", "sample", "tolerances"),
    [
        ("table-4", "pairs", {"mean_share": 0.01, "tail_share": 0.02}),
        ("table-4-interference", "quadruples", {"mean_share": 0.015}),
    ],
)
def test_fatpaths_table_iv(table: str, sample: str, tolerances: dict[str, float]) -> None:
    """Check the quickly computed rows of FatPaths' Table IV against the paper.

    Means may differ from the paper by 1 percentage point, tails by 2, and path interference by 1.5.
    """
    plan = study.plan(study.load(ROOT / f"studies/fatpaths/{table}.toml"))
    first = [run for run in plan.runs if run.seed == 1 and "exact" not in run.point.values()]
    quick = [run for run in first if run.case in ("SF", "HX", "SF-JF")]
    assert len(quick) == 3
    for run in quick:
        name, arguments = _tulle.split_spec(run.parameters.model_dump()["metric"])
        spec = _tulle.join_spec(name, [(key, "3000" if key == sample else value) for key, value in arguments])
        parameters = run.parameters.model_copy(update={"metric": spec})
        figures = plan.measurement.measure(parameters, run.seed, lambda _: None).figures
        reference = plan.reference(run.case, run.point)
        assert reference is not None
        for key, tolerance in tolerances.items():
            assert figures[key] == pytest.approx(reference.paper[key], abs=tolerance), (run.case, key)
