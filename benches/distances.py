"""Compare tulle's distances and path diversity with numpy, networkx and networkit.

Run ``.venv/bin/python benches/distances.py``. All libraries run in turn on one thread, three times; the script prints
medians of processor time. If a library is too slow for the whole task, its time is extrapolated from a sample. numpy
squares the adjacency matrix, which works only for diameter 2. networkit is left out if it is not installed (``pip
install networkit``). ``--table4`` measures only FatPaths Table IV: counts of disjoint paths, and path interference.
"""

from __future__ import annotations

import os

os.environ["RAYON_NUM_THREADS"] = "1"
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.environ["MKL_NUM_THREADS"] = "1"

import sys
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from statistics import median
from time import process_time
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np

import tulle
from tulle import analysis, study

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

TURNS = 3
SOURCES = 5
PAIRS = 20
STUDIES = Path(__file__).parent.parent / "studies/fatpaths"
TABLE_4 = (STUDIES / "table-4.toml", STUDIES / "table-4-interference.toml")


def seconds(work: Callable[[], object]) -> float:
    """Seconds of processor time."""
    start = process_time()
    work()
    return process_time() - start


def compare(what: str, works: Mapping[str, tuple[Callable[[], object], float]]) -> None:
    """Run the libraries in turn; print the time of each library and its ratio to tulle's time.

    A library that is slow computes only a sample. Its time is multiplied by a factor, which gives the time of the whole
    task.
    """
    runs = [{name: factor * seconds(work) for name, (work, factor) in works.items()} for _ in range(TURNS)]
    times = {name: median(run[name] for run in runs) for name in works}
    rest = ", ".join(f"{name} {time:.3g} s ({time / times['tulle']:.3g}x)" for name, time in times.items())
    print(f"{what}: {rest}", flush=True)


def squared(fabric: tulle.Fabric) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return hop counts and numbers of shortest paths of all pairs in a graph of diameter 2."""
    switches = fabric.num_switches
    adjacency = np.zeros((switches, switches), dtype=np.float32)
    adjacency[fabric.channels[:, 0], fabric.channels[:, 1]] = 1
    two = adjacency @ adjacency
    hops = np.where(adjacency > 0, 1, 2).astype(np.uint8)
    counts = np.where(adjacency > 0, adjacency, two).astype(np.uint32)
    np.fill_diagonal(hops, 0)
    np.fill_diagonal(counts, 1)
    return hops, counts


def networkx_counts(graph: nx.Graph[int], source: int) -> list[int]:
    """Return the numbers of shortest paths from one source to all switches."""
    before, hops = nx.predecessor(graph, source, return_seen=True)
    counts = {source: 1}
    for switch in sorted(hops, key=hops.__getitem__):
        if switch != source:
            counts[switch] = sum(counts[at] for at in before[switch])
    return [counts[at] for at in range(len(graph))]


def lengths(fabric: tulle.Fabric, graph: nx.Graph[int]) -> None:
    """Compare the libraries' times for lengths and numbers of shortest paths of all pairs."""
    ours = analysis.distances(fabric)
    hops, counts = squared(fabric)
    if not ((hops == ours.hops).all() and (counts == ours.counts).all()):
        raise RuntimeError("numpy's lengths or counts differ from tulle's")
    if networkx_counts(graph, 1) != ours.counts[1].tolist():
        raise RuntimeError("networkx's counts differ from tulle's")
    works: dict[str, tuple[Callable[[], object], float]] = {
        "tulle": (lambda: analysis.distances(fabric), 1),
        "numpy": (lambda: squared(fabric), 1),
        "networkx": (
            lambda: [networkx_counts(graph, source) for source in range(SOURCES)],
            fabric.num_switches / SOURCES,
        ),
    }
    kit = networkit(fabric)
    if kit is not None:
        module, theirs = kit

        def run() -> None:
            for source in range(fabric.num_switches // 10):
                search = module.distance.BFS(theirs, source, storePaths=True)
                search.run()
                search.getDistances()
                # networkit returns the number of paths of one target per call; it has no call for all targets.
                [search.numberOfPaths(target) for target in range(fabric.num_switches)]

        works["networkit"] = (run, fabric.num_switches / (fabric.num_switches // 10))
    compare(f"{fabric.spec} lengths and counts, all pairs", works)


def connectivity(fabric: tulle.Fabric, graph: nx.Graph[int]) -> None:
    """Compare the libraries' times for the edge connectivity of all pairs.

    For S switches, all values follow from S − 1 maximum flows. tulle computes all of these flows. networkx and
    networkit compute only a few of them, and their time is extrapolated.
    """
    pairs = [(0, int(at)) for at in np.linspace(1, fabric.num_switches - 1, PAIRS)]
    expected = [nx.edge_connectivity(graph, *pair) for pair in pairs[:3]]
    if analysis.edge_connectivity(fabric, pairs[:3]).tolist() != expected:
        raise RuntimeError("networkx's edge connectivity differs from tulle's")
    works: dict[str, tuple[Callable[[], object], float]] = {
        "tulle": (lambda: analysis.flow_tree(fabric), 1),
        "networkx": (lambda: [nx.edge_connectivity(graph, *pair) for pair in pairs[:3]], (fabric.num_switches - 1) / 3),
    }
    kit = networkit(fabric)
    if kit is not None:
        module, theirs = kit

        def run() -> None:
            for pair in pairs:
                module.flow.EdmondsKarp(theirs, *pair).run()

        works["networkit"] = (run, (fabric.num_switches - 1) / PAIRS)
    compare(f"{fabric.spec} {fabric.num_switches - 1} maximum flows", works)


def networkit(fabric: tulle.Fabric) -> tuple[Any, Any] | None:
    """Return the module networkit and the fabric as a networkit graph, or None if the module is not installed."""
    try:
        import networkit as module
    except ModuleNotFoundError:
        return None
    module.setNumberOfThreads(1)
    graph = module.Graph(fabric.num_switches)
    for a, b in fabric.edges.tolist():
        graph.addEdge(a, b)
    graph.indexEdges()
    return module, graph


def table_4() -> None:
    """Print the times for the rows of FatPaths Table IV, each with one seed."""
    totals = {"greedy": 0.0, "exact": 0.0}
    for path in TABLE_4:
        plan = study.plan(study.load(path))
        for run in (run for run in plan.runs if run.seed == 1):
            time = seconds(lambda: plan.measurement.measure(run.parameters, run.seed, lambda _: None))  # noqa: B023
            mode = "exact" if "mode=exact" in run.parameters.model_dump()["metric"] else "greedy"
            print(f"{path.stem} {run.case}, {mode}: {time:.2f} s", flush=True)
            totals[mode] += time
    print(f"Table IV, counts of paths and interference: greedy {totals['greedy']:.1f} s, exact {totals['exact']:.1f} s")


def main() -> None:
    """Prints a line per comparison."""
    if "--table4" not in sys.argv[1:]:
        if networkit(tulle.Fabric("clique:degree=3")) is None:
            print("networkit is not installed: left out")
        for spec in ("slimfly:q=19", "slimfly:q=43"):
            fabric = tulle.Fabric(spec)
            graph: nx.Graph[int] = nx.Graph(fabric.edges.tolist())
            exact = {"tulle": (lambda: analysis.disjoint_paths(fabric, 3, "exact"), 1.0)}  # noqa: B023
            compare(f"{fabric.spec} exact disjoint paths of up to 3 hops, all pairs", exact)
            lengths(fabric, graph)
            if spec == "slimfly:q=19":
                connectivity(fabric, graph)
    table_4()
    # Kibibytes on Linux, bytes on macOS.
    unit = 1 if sys.platform == "darwin" else 1024
    print(f"peak memory: {getrusage(RUSAGE_SELF).ru_maxrss * unit / 2**20:.0f} MiB")


if __name__ == "__main__":
    main()
