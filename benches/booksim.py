"""Compare tulle's latency and accepted load with those of BookSim2, with BookSim2's default parameters.

Run ``python benches/booksim.py path/to/booksim [cycles] [seeds]``. The networks are an 8×8 mesh with 2 and 16 virtual
channels, a 9×9 torus with 2 and 4 virtual channels, a Slim Fly with q = 5 and a flattened butterfly. The rings of the
torus have odd length, so that one direction is always shorter; between directions of equal length, BookSim2 chooses at
random. Traffic is uniform, at loads below 80% of saturation and at load 1. Both simulators warm up for ``cycles``
cycles (default 2000) and then measure three times as long. Results are means over ``seeds`` seeds (default 2).
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import tulle

if TYPE_CHECKING:
    from tulle.flit.configuration import OpenLoopSettings


class Network(NamedTuple):
    """A network, with its parameters for BookSim2 and for tulle."""

    name: str
    theirs: str
    fabric: str
    vcs: int
    settings: OpenLoopSettings
    loads: tuple[float, ...]


LATENCY = 10
MESH = "topology = mesh; k = 8; n = 2; routing_function = dor;"
BUTTERFLY = "topology = flatfly; k = 8; n = 2; c = 4; x = 8; y = 8; xr = 2; yr = 2; routing_function = ran_min;"
TORUS = "topology = torus; k = 9; n = 2; routing_function = dim_order;"
SLIM_FLY = "topology = anynet; network_file = anynet; routing_function = min;"
ORDERED: OpenLoopSettings = {"selector": "dimension-order", "link_latency": 1}
DATELINES: OpenLoopSettings = {**ORDERED, "policy": "datelines"}
SHORTEST: OpenLoopSettings = {"link_latency": LATENCY, "may_deadlock": True}
NETWORKS = [
    Network("mesh, 2 VCs", MESH, "mesh:shape=8x8,p=1", 2, ORDERED, (0.05, 0.1, 0.15, 0.2, 0.23)),
    Network("mesh, 16 VCs", MESH, "mesh:shape=8x8,p=1", 16, ORDERED, (0.1, 0.2, 0.29)),
    Network("torus, 2 VCs", TORUS, "torus:shape=9x9,p=1", 2, DATELINES, (0.05, 0.1, 0.14)),
    Network("torus, 4 VCs", TORUS, "torus:shape=9x9,p=1", 4, DATELINES, (0.1, 0.2, 0.27)),
    Network("Slim Fly", SLIM_FLY, "slimfly:q=5,p=4", 16, SHORTEST, (0.1, 0.3, 0.5)),
    Network("flattened butterfly", BUTTERFLY, "hyperx:shape=8x8,p=4", 16, ORDERED, (0.1, 0.3, 0.5, 0.65)),
]


def anynet(fabric: tulle.Fabric) -> str:
    """Return the network as text for BookSim, with one line per switch.

    A line lists the switch's endpoints (link latency 1 cycle), and its neighbours with their link latencies in cycles.
    """
    lines = [f"router {switch}" for switch in range(fabric.num_switches)]
    for endpoint, switch in enumerate(fabric.endpoint_switch):
        lines[switch] += f" node {endpoint}"
    for a, b in fabric.edges:
        lines[a] += f" router {b} {LATENCY}"
        lines[b] += f" router {a} {LATENCY}"
    return "\n".join([*lines, ""])


def of_booksim(program: Path, network: Network, load: float, cycles: int, seed: int) -> tuple[float, float]:
    """Return BookSim's mean packet latency in cycles and its accepted load.

    At load 1, BookSim measures throughput and does not drain the network.
    """
    mode = "throughput" if load == 1 else "latency"
    config = (
        f"{network.theirs} use_noc_latency = 0; num_vcs = {network.vcs}; traffic = uniform; injection_rate = {load};"
        f"sim_type = {mode}; latency_thres = 1e9; warmup_periods = 1; sample_period = {cycles}; max_samples = 4;"
        f"seed = {seed};"
    )
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "config").write_text(config)
        (Path(folder) / "anynet").write_text(anynet(tulle.Fabric(network.fabric)))
        command = [str(program), "config"]
        printed = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False).stdout
    overall = printed.partition("Overall Traffic Statistics")[2]
    latency, accepted = (
        float(re.findall(rf"{name} average = (\S+)", overall)[0]) for name in ("Packet latency", "Accepted packet rate")
    )
    return latency, accepted


def of_tulle(network: Network, load: float, cycles: int, seed: int) -> tuple[float, float]:
    """Return tulle's mean packet latency in cycles and its accepted load."""
    settings: OpenLoopSettings = {
        "policy": "free",
        **network.settings,
        "router": f"input-queued:vcs={network.vcs},buffer=8,speedup=1,route=1,credit=0,allocator=islip",
        "warmup": cycles,
        "window": 3 * cycles,
        "drain": 0 if load == 1 else 100_000,
    }
    result = tulle.simulate_flits(network.fabric, "minimal", load=load, seed=seed, **settings)
    return result.latency_mean or np.nan, result.accepted


def main(program: Path, cycles: int, seeds: int) -> None:
    """Run every case in BookSim2 and in tulle; print one row per load, and the largest differences between the two."""
    worst = {"latency": 0.0, "accepted": 0.0}
    for network in NETWORKS:
        for load in (*network.loads, 1.0):
            which = "accepted" if load == 1 else "latency"
            at, numbers = list(worst).index(which), range(1, seeds + 1)
            theirs = np.mean([of_booksim(program, network, load, cycles, seed)[at] for seed in numbers])
            ours = np.mean([of_tulle(network, load, cycles, seed)[at] for seed in numbers])
            apart = float(ours / theirs - 1)
            worst[which] = max(worst[which], apart, key=abs)
            row = f"{network.name:20} load {load:4}  {which:8}  BookSim2 {theirs:8.4f}  tulle {ours:8.4f}  {apart:+.2%}"
            print(row, flush=True)
    print("furthest apart: " + ", ".join(f"{which} {apart:+.2%}" for which, apart in worst.items()))


if __name__ == "__main__":
    main(
        Path(sys.argv[1]).resolve(),
        int(sys.argv[2]) if len(sys.argv) > 2 else 2000,
        int(sys.argv[3]) if len(sys.argv) > 3 else 2,
    )
