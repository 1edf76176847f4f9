"""Compare flow completion times in tulle and csg-htsim: NDP, Poisson arrivals, mixed flow sizes, fat tree of radix 8.

Run ``python benches/mixed_sizes.py path/to/htsim_ndp [load] [seed]``. Both simulators read the same connection matrix:
3000 flows of 9 KB to 2 MB between random endpoints. Sizes are log-uniform, rounded up to whole packets, because
csg-htsim sends only whole packets.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import tulle

FLOWS, ENDPOINTS, RATE, PAYLOAD = 3000, 128, 100e9, 9000


def matrix(load: float, seed: int) -> str:
    """Return a connection matrix. Start times are single-precision numbers, because csg-htsim reads them as such."""
    random = np.random.default_rng(seed)
    size = np.exp(random.uniform(np.log(2e3), np.log(2e6), FLOWS))
    size = (np.ceil(size / PAYLOAD) * PAYLOAD).astype(int)
    gap = size.mean() / (ENDPOINTS * RATE / 8 * load)
    start = (np.cumsum(random.exponential(gap, FLOWS)) * 1e12).astype(np.float32)
    source = random.integers(0, ENDPOINTS, FLOWS)
    destination = (source + random.integers(1, ENDPOINTS, FLOWS)) % ENDPOINTS
    rows = zip(source, destination, start, size, strict=True)
    lines = [f"{a}->{b} id {n} start {int(at)} size {bytes_}" for n, (a, b, at, bytes_) in enumerate(rows, 1)]
    return "\n".join([f"Nodes {ENDPOINTS}", f"Connections {FLOWS}", *lines, ""])


def main(htsim: str, load: float, seed: int) -> None:
    """Run tulle and csg-htsim; print means and 99th percentiles of flow completion times."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mixed.cm"
        path.write_text(matrix(load, seed))
        options = ["-nodes", "128", "-cwnd", "30", "-q", "15", "-strat", "perm", "-mtu", "9000", "-end", "100000"]
        command = [str(Path(htsim).resolve()), "-o", f"{folder}/log", "-tm", str(path), *options]
        printed = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout
        fabric = tulle.Fabric("fattree:levels=3,radix=8")
        messages = tulle.traffic(fabric, f"htsim:file={path}")
    result = tulle.simulate(
        fabric,
        tulle.route(fabric, "minimal"),
        messages,
        "ndp:window=30",
        "spray",
        rate="100Gbps",
        mtu="9064B",
        queue="trim:packets=14",
        seed=seed,
    )
    start, source = result.flows["start"] / 1e6, result.flows["source"]
    theirs = np.full(FLOWS, np.nan)
    for flow, end in re.findall(r"flow_id (\d+) finished at (\S+) ", printed):
        theirs[int(flow) - 1] = float(end)
    ends, ours = theirs, result.flows["finish"] / 1e6 - start
    theirs = theirs - start
    same = source[:, None] == source
    shared = (same & (start[:, None] < ends) & (ends[:, None] > start)).sum(axis=1) > 1
    for name, of in (("all", np.ones(FLOWS, dtype=bool)), ("share a source", shared), ("alone", ~shared)):
        mean, tail = (figure(ours[of]) / figure(theirs[of]) - 1 for figure in (np.mean, lambda x: np.percentile(x, 99)))
        print(
            f"{name:14} {of.sum():5} flows  "
            f"mean: csg-htsim {theirs[of].mean():7.2f} us, tulle {ours[of].mean():7.2f} us  "
            f"difference: mean {mean:+.2%}, p99 {tail:+.2%}"
        )


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else 0.4, int(sys.argv[3]) if len(sys.argv) > 3 else 1)
