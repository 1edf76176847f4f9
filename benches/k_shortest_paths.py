"""Compare the times of tulle and networkx for the k shortest paths per pair of switches.

Run ``.venv/bin/python benches/k_shortest_paths.py``. tulle routes all pairs on one thread. networkx routes a sample
of pairs. tulle and networkx run in turn, three times; medians are shown.
"""

from __future__ import annotations

import os

os.environ["RAYON_NUM_THREADS"] = "1"

from itertools import islice
from statistics import median
from time import process_time

import networkx as nx
import numpy as np

import tulle

K = 8
PAIRS = 300
FABRIC = "jellyfish:switches=720,degree=19,p=5"


def ours(fabric: tulle.Fabric, spec: str) -> float:
    """Return tulle's processor seconds per pair."""
    start = process_time()
    tulle.route(fabric, spec, seed=1)
    return (process_time() - start) / (fabric.num_switches * (fabric.num_switches - 1))


def theirs(graph: nx.Graph[int], pairs: list[tuple[int, int]]) -> float:
    """Return networkx's processor seconds per pair."""
    start = process_time()
    for source, destination in pairs:
        if len(list(islice(nx.shortest_simple_paths(graph, source, destination), K))) < K:
            raise RuntimeError(f"fewer than {K} paths from {source} to {destination}")
    return (process_time() - start) / len(pairs)


def main() -> None:
    """Print one line per routing scheme."""
    fabric = tulle.Fabric(FABRIC, seed=1)
    graph = nx.Graph(fabric.edges.tolist())
    rng = np.random.default_rng(1)
    drawn = rng.integers(fabric.num_switches, size=(2 * PAIRS, 2))
    pairs = [(int(a), int(b)) for a, b in drawn if a != b][:PAIRS]
    for spec in (f"ksp:k={K}", f"redksp:k={K}"):
        runs = [(ours(fabric, spec), theirs(graph, pairs)) for _ in range(3)]
        mine, other = (median(run[side] for run in runs) for side in (0, 1))
        print(f"{fabric.spec} {spec}: {mine * 1e6:.2f} us per pair, networkx {other * 1e6:.0f} us: {other / mine:.0f}x")


if __name__ == "__main__":
    main()
