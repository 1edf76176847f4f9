"""Check flow completion times in the file format of HPCC's ns-3 simulator."""

from pathlib import Path

import numpy as np
import pytest
from conftest import Cli

import tulle


def test_lines(tmp_path: Path) -> None:
    fabric = tulle.Fabric("clique:degree=299,p=1")
    pairs = [(0, 299), (1, 0), (0, 299), (5, 299)]
    source, destination = np.array(pairs).T
    load = tulle.Workload(source, destination, [100, 9000, 8936, 1], [0, 0, 10**9, 2 * 10**9])
    result = tulle.simulate(fabric, tulle.route(fabric, "minimal"), load)
    path = tmp_path / "deep" / "fct.txt"
    result.write_fct(path)
    # Packets and their acknowledgements cross three links of 10 Gb/s and 1 us each. A link sends 164 bytes in 131.2 ns
    # and 64 bytes in 51.2 ns. The last flow starts after all other flows have ended. The second and third bytes of an
    # address are the endpoint's number: 0b012b01 is endpoint 299 = 256 + 43.
    times = [3 * (131.2 + 51.2 + 2000), 2 * 7200 + 7200 + 102.4 + 3 * (51.2 + 2000), 3 * (7200 + 51.2 + 2000)]
    times.append(3 * (52 + 51.2 + 2000))
    assert path.read_text().splitlines() == [
        f"0b000001 0b012b01 10000 100 100 0 {int(times[0])} {int(times[0])}",
        f"0b000101 0b000001 10000 100 9000 0 {int(times[1])} {int(times[1])}",
        f"0b000001 0b012b01 10001 100 8936 1000000 {int(times[2])} {int(times[2])}",
        f"0b000501 0b012b01 10000 100 1 2000000 {int(times[3])} {int(times[3])}",
    ]
    with pytest.raises(tulle.FileError):
        result.write_fct("/dev/null/fct.txt")


def test_command(tulle: Cli, tmp_path: Path) -> None:
    arguments = ["simulate", "slimfly:q=5", "--traffic", "permutation:bytes=64KiB", "--fct", str(tmp_path / "fct.txt")]
    printed = tulle(*arguments, "--until", "70us", "--json")
    assert printed.returncode == 0
    rows = np.loadtxt(tmp_path / "fct.txt", dtype=str)
    # The file lists only completed flows, in order of completion. No flow is faster than it would be on an idle
    # network.
    assert 0 < len(rows) < 200
    start, fct, alone = rows[:, 5:].astype(int).T
    assert (np.diff(start + fct) >= 0).all()
    assert (fct >= alone).all()
