"""Check that work that does not fit into memory gives a one-line error with the needed and the available memory."""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import tulle

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="address-space limits exist on Linux only")

# The script prepares the call's arguments and starts all threads. Then it limits the additional address space to
# `mebibytes`, and makes the call.
SCRIPT = """
import resource, sys
import numpy, tulle, tulle.analysis
prepare, call, mebibytes = sys.argv[1:]
tulle.analysis.distances(tulle.Fabric("slimfly:q=3"))
exec(prepare)
used = next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmSize"))
limit = used * 1024 + (int(mebibytes) << 20)
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
try:
    exec(call)
except MemoryError as error:
    print(error)
    sys.exit(2)
"""

# For each kind of work: the preparation, the call, and the beginning of the call's error message.
CALLS = {
    "fabric": ("", 'tulle.Fabric("jellyfish:switches=100000,degree=32")', "the fabric jellyfish:switches=100000,"),
    "edges": (
        "ends = numpy.arange(4_000_000) % 999_983; edges = numpy.stack([ends, ends + 1], 1)",
        "tulle.Fabric.from_edges(edges, num_switches=1_000_000)",
        "edges: switch needs 32.0 MB, ",
    ),
    "tables": (
        'f = tulle.Fabric("torus:shape=50x40")',
        'tulle.route(f, "random:layers=20,rho=0.8")',
        "random:layers=20,",
    ),
    "path sets": (
        'f = tulle.Fabric("torus:shape=32x32")',
        'tulle.route(f, "ksp:k=2")',
        "ksp over 1024 switches needs ",
    ),
    "paths as columns": (
        'f = tulle.Fabric("torus:shape=20x20"); r = tulle.route(f, "ksp:k=4")',
        "r.path_columns()",
        "the paths of ksp:k=4 as columns needs ",
    ),
    "all-to-all": (
        'f = tulle.Fabric("slimfly:q=13")',
        'tulle.traffic(f, "all-to-all:bytes=1KB")',
        "the workload all-to-all of 11421020 messages needs ",
    ),
    "collectives": (
        'f = tulle.Fabric("slimfly:q=7")',
        'tulle.traffic(f, "allreduce:bytes=1MB")',
        "the workload allreduce of ",
    ),
    "training": ('f = tulle.Fabric("slimfly:q=7")', 'tulle.traffic(f, "resnet152")', "the workload resnet152 of "),
    "stencil": (
        'f = tulle.Fabric("slimfly:q=7")',
        'tulle.traffic(f, "stencil:bytes=1KB,iterations=2000")',
        "the workload stencil of ",
    ),
    "arrivals": (
        'f = tulle.Fabric("slimfly:q=7")',
        'tulle.traffic(f, "uniform:arrivals=10000000,duration=1ms,bytes=1KB")',
        "the workload uniform of ",
    ),
    "distances": (
        'f = tulle.Fabric("torus:shape=90x90")',
        "tulle.analysis.distances(f)",
        "hops and numbers of shortest",
    ),
    "disjoint paths": (
        'f = tulle.Fabric("torus:shape=50x50")',
        'tulle.analysis.disjoint_paths(f, max_hops=2, mode="exact")',
        "3123750 pairs needs 25.0 MB",
    ),
    "next hops": ('f = tulle.Fabric("torus:shape=60x60")', "tulle.analysis.next_hops(f)", "next hops between 3600 "),
    "packets": (
        'f = tulle.Fabric("slimfly:q=7"); t = tulle.traffic(f, "all-to-all:bytes=10KB")',
        'tulle.simulate(f, "minimal", t, threads=2, until="10us")',
        "the state of 345156 flows and 2254 ports in 2 partitions needs ",
    ),
    "flits": (
        'f = tulle.Fabric("slimfly:q=19"); r = tulle.route(f, "minimal")',
        'tulle.simulate_flits(f, r, "uniform", load=0.5, vcs=4, warmup=10, window=10)',
        "the state of 722 routers and 20938 channels needs ",
    ),
}

# An error message must state the needed memory and the limit.
WORDS = re.compile(r"[^\n]+ needs? [\d.]+ [kMGT]?B[^\n]+ \((limit of the address space|refused by the system)\)\n")


def outcome(prepare: str, call: str, mebibytes: int = 16) -> tuple[int, str]:
    """Make a call in a process with limited address space; return the exit code and the output."""
    command = [sys.executable, "-c", SCRIPT, prepare, call, str(mebibytes)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert ended.stderr == ""
    return ended.returncode, ended.stdout


@pytest.mark.parametrize("name", CALLS)
def test_large_work_is_refused_with_need_and_limit(name: str) -> None:
    prepare, call, message = CALLS[name]
    code, words = outcome(prepare, call)
    assert code == 2
    assert WORDS.fullmatch(words), words
    assert words.startswith(message)


def test_a_process_goes_on_afterwards() -> None:
    call = """
for _ in range(3):
    try:
        tulle.analysis.distances(large)
        raise SystemExit("enough memory")
    except tulle.OutOfMemoryError:
        pass
assert tulle.route(tulle.Fabric("slimfly:q=3"), "minimal").num_layers == 1
"""
    assert outcome('large = tulle.Fabric("torus:shape=90x90")', call) == (0, "")


def test_a_solver_begins_only_where_its_thread_fits() -> None:
    script = """
import resource, tulle
from tulle.analysis.concurrent_flow.highs import Program, solve
import highspy, numpy as np
tulle.Fabric("slimfly:q=3")
one = np.ones(1, np.int32)
program = Program(np.array([0, 1], np.int32), 0 * one, 1.0 * one, 1.0 * one, 0)
used = next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmSize"))
limit = used * 1024 + (24 << 20)
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
try:
    solve(program, "ipm")
except tulle.OutOfMemoryError as error:
    print(error)
"""
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.startswith("a linear program of 1 columns, 1 rows and 1 entries needs 134.2 MB, and ")


def test_the_command_line_says_so_in_one_line() -> None:
    command = [sys.executable, "-m", "tulle", "fabric", "jellyfish:switches=1000000,degree=64"]
    limit = 1 << 30

    def little() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, preexec_fn=little)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith("tulle: the fabric jellyfish:switches=1000000,degree=64,p=32 needs 3.1 GB, and ")
    assert ended.stderr.endswith(" of 1.1 GB is left (limit of the address space)\n")
    assert ended.stderr.count("\n") == 1


def test_hopeless_sizes_are_refused_at_once() -> None:
    # The fabric needs little memory, but its forwarding table needs 50 TB.
    fabric = tulle.Fabric.from_edges([(0, 1)], num_switches=5_000_000)
    with pytest.raises(MemoryError, match=r"needs 50\.0 TB, and .* is left"):
        tulle.route(fabric, "minimal")


def limited(mebibytes: int, *arguments: str, path: str = "") -> tuple[int, str]:
    """Run a command with limited address space; return its exit code and its standard error."""
    limit = mebibytes << 20
    ended = subprocess.run(
        [sys.executable, "-m", "tulle", *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, "PYTHONPATH": path} if path else None,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
    )
    return ended.returncode, ended.stderr


def test_a_library_that_does_not_load_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "numpy.py").write_text('raise ImportError("a symbol is\\nundefined")\n')
    words = "tulle: a library does not load: a symbol is undefined\n"
    assert limited(1 << 20, "route", "slimfly:q=3", "minimal", path=str(tmp_path)) == (1, words)


def test_a_broken_installed_library_is_not_called_missing(tmp_path: Path) -> None:
    (tmp_path / "igraph.py").write_text('raise ImportError("a symbol is undefined")\n')
    arguments = ("throughput", "slimfly:q=3", "all-to-all", "--method", "orbit-lp")
    words = "tulle: a library does not load: a symbol is undefined\n"
    assert limited(1 << 20, *arguments, path=str(tmp_path)) == (1, words)
