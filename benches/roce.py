"""Compare flow completion times in tulle and csg-htsim: RoCE with priority flow control on fat trees.

Run ``python benches/roce.py path/to/htsim_roce [radix] [permutations]``. Each flow has 223 full packets, because
csg-htsim sends only full packets. Both simulators run the same permutations, but hash flows to paths differently. The
results cover all flows of all permutations.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import numpy.typing as npt

import tulle

BYTES = 223 * 9000

Times = npt.NDArray[np.float64]


def matrix(endpoints: int, seed: int) -> str:
    """Return a connection matrix: a random permutation in which no endpoint sends to itself."""
    random = np.random.default_rng(seed)
    destination = random.permutation(endpoints)
    while (destination == np.arange(endpoints)).any():
        destination = random.permutation(endpoints)
    lines = [f"{a}->{b} id {a + 1} start 0 size {BYTES}" for a, b in enumerate(destination)]
    return "\n".join([f"Nodes {endpoints}", f"Connections {endpoints}", *lines, ""])


def of_htsim(program: Path, endpoints: int, connections: Path, seed: int) -> Times:
    """Completion times in µs."""
    options = f"-nodes {endpoints} -queue_type lossless_input -strat ecmp_host -paths 128 -q 100 -mtu 9000 -end 100000"
    command = [str(program), "-tm", str(connections), "-o", "log", "-seed", str(seed), *options.split()]
    done = subprocess.run(command, cwd=connections.parent, capture_output=True, text=True, check=True)
    times = [float(end) for end in re.findall(r"finished at (\S+) ", done.stdout)]
    assert len(times) == endpoints, f"{len(times)} of {endpoints} flows finished"
    return np.array(times)


def of_tulle(fabric: tulle.Fabric, routing: tulle.Routing, connections: Path, control: str, seed: int) -> Times:
    """Completion times in µs."""
    result = tulle.simulate(
        fabric,
        routing,
        f"htsim:file={connections}",
        "dcqcn:control=no",
        "ecmp",
        rate="100Gbps",
        mtu="9064B",
        queue=f"pfc:xoff=135KB,xon=108KB,mark=no,control={control}",
        seed=seed,
    )
    return np.asarray(result.flows["finish"] / 1e6)


def main(program: Path, radix: int, permutations: int) -> None:
    """Run all permutations in tulle and csg-htsim; print means with standard errors, and percentiles."""
    fabric = tulle.Fabric(f"fattree:levels=3,radix={radix}")
    routing, endpoints = tulle.route(fabric, "minimal"), fabric.num_endpoints
    times: dict[str, list[Times]] = {"csg-htsim": [], "tulle, control=data": [], "tulle, control=first": []}
    with tempfile.TemporaryDirectory() as folder:
        connections = Path(folder) / "permutation.cm"
        for seed in range(1, permutations + 1):
            connections.write_text(matrix(endpoints, seed))
            theirs, data, first = times.values()
            theirs.append(of_htsim(program, endpoints, connections, seed))
            data.append(of_tulle(fabric, routing, connections, "data", seed))
            first.append(of_tulle(fabric, routing, connections, "first", seed))
    wanted = np.concatenate(times["csg-htsim"])
    for name, of in times.items():
        means, every = [run.mean() for run in of], np.concatenate(of)
        figures = [f"mean {every.mean():.1f} ± {np.std(means, ddof=1) / np.sqrt(permutations):.1f} us"]
        figures += [f"p{q} {np.percentile(every, q):.1f} us" for q in (50, 99)]
        if name != "csg-htsim":
            figures += [f"mean {every.mean() / wanted.mean() - 1:+.2%}"]
            figures += [f"p{q} {np.percentile(every, q) / np.percentile(wanted, q) - 1:+.2%}" for q in (50, 99)]
        print(f"{endpoints} endpoints, {permutations} permutations  {name:20}  {'  '.join(figures)}")


if __name__ == "__main__":
    main(
        Path(sys.argv[1]).resolve(),
        int(sys.argv[2]) if len(sys.argv) > 2 else 8,
        int(sys.argv[3]) if len(sys.argv) > 3 else 60,
    )
