"""Too little memory: MemoryError in one line, or success, and never the end of the process."""

from __future__ import annotations

import resource
import subprocess
import sys

import pytest

import tulle

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits of the address space are Linux'")

# Limits the address space to so many MiB more than the interpreter has with everything loaded, then makes the call.
SCRIPT = """
import resource, sys
import numpy, scipy.sparse, highspy, tulle, tulle.analysis
small = tulle.Fabric("slimfly:q=3")
tulle.flit(small, tulle.route(small, "minimal"), "uniform", load=0.1, vcs=2, warmup=10, window=10)
tulle.analysis.throughput(small, "all-to-all", method="edge-lp")
used = next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmSize"))
limit = used * 1024 + (int(sys.argv[1]) << 20)
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
try:
    exec(sys.argv[2])
except MemoryError as error:
    print(error)
    sys.exit(2)
"""

CALLS = {
    "fabric": 'tulle.Fabric("jellyfish:switches=100000,degree=32")',
    "tables": 'tulle.route(tulle.Fabric("torus:shape=50x40"), "random:layers=20,rho=0.8")',
    "paths": 'tulle.route(tulle.Fabric("torus:shape=20x20"), "ksp:k=4").path_columns()',
    "distances": 'tulle.Fabric("torus:shape=90x90"); tulle.analysis.distances(tulle.Fabric("torus:shape=90x90"))',
    "traffic": 'tulle.traffic(tulle.Fabric("slimfly:q=13"), "all-to-all:bytes=1KB")',
    "packets": 'tulle.simulate(small, "minimal", "all-to-all:bytes=1MB", threads=2, until="20us")',
    "flits": 'tulle.flit(small, tulle.route(small, "minimal"), "uniform", load=0.1, vcs=2, window=50, threads=2)',
    "linear program": 'tulle.analysis.throughput(tulle.Fabric("slimfly:q=5"), "all-to-all", method="edge-lp")',
    "weights": 'tulle.analysis.throughput(tulle.Fabric("slimfly:q=7"), "all-to-all", method="weights", gap=0.3)',
}


def limited(call: str, mebibytes: int) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", SCRIPT, str(mebibytes), call]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.parametrize("name", CALLS)
def test_never_an_abort(name: str) -> None:
    for mebibytes in (1, 10, 40):
        ended = limited(CALLS[name], mebibytes)
        assert ended.returncode in (0, 2), (mebibytes, ended.returncode, ended.stderr)
        assert ended.stdout.count("\n") == (ended.returncode == 2), ended.stdout
        assert ended.stderr == ""


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("fabric", "the fabric jellyfish:switches=100000,degree=32,p=16 needs 155.2 MB, and "),
        ("tables", "random:layers=20,rho=0.8,sampling=exact,acyclic=false over 2000 switches needs 160.0 MB, and "),
        ("distances", "hop distances of 8100 times 8100 needs 65.6 MB, and "),
    ],
)
def test_need_and_limit_are_named(name: str, said: str) -> None:
    ended = limited(CALLS[name], 50)
    assert ended.returncode == 2
    assert ended.stdout.startswith(said)
    assert ended.stdout.endswith(" is left (limit of the address space)\n")


def test_a_process_goes_on_afterwards() -> None:
    script = f"""
for _ in range(3):
    try:
        {CALLS["distances"]}
        raise SystemExit("enough memory")
    except tulle.OutOfMemoryError:
        pass
assert tulle.route(small, "minimal").num_layers == 1
"""
    ended = limited(script, 50)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_the_command_line_says_so_in_one_line() -> None:
    command = [sys.executable, "-m", "tulle", "fabric", "jellyfish:switches=1000000,degree=64"]
    limit = 1 << 30

    def little() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, preexec_fn=little)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith("tulle: the fabric jellyfish:switches=1000000,degree=64,p=32 needs 3.1 GB, and ")
    assert ended.stderr.count("\n") == 1


def test_hopeless_sizes_are_refused_at_once() -> None:
    # A table of this needs more than any machine has; the fabric itself is small.
    fabric = tulle.Fabric.from_edges([(0, 1)], num_switches=5_000_000)
    with pytest.raises(MemoryError, match=r"needs 50\.0 TB, and .* is left"):
        tulle.route(fabric, "minimal")
