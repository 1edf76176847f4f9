"""Test the playground's program in Node: its figures equal those of the command line, and it stays small."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tulle.cli.app import application

ROOT = Path(__file__).parents[1]
PROGRAM = ROOT / "target" / "playground" / "tulle.wasm"
# Maximum size of the compressed program, which servers send.
MOST_BYTES = 1_200_000

pytestmark = [
    pytest.mark.skipif(
        not PROGRAM.exists(), reason="run `make playground` first, which needs Rust's WebAssembly target"
    ),
    pytest.mark.skipif(shutil.which("node") is None, reason="Node is not installed"),
]

ROUTED = {"fabric": "slimfly:q=5", "routing": "spread:layers=3", "seed": 1}
LOAD = {"traffic": "permutation:bytes=64KiB", "transport": "purified"}
PATHS = {"request": "paths", "source": 0, "destination": 7}
# Requests, each with the command that gives the same figures.
CASES: list[tuple[dict[str, Any], str]] = [
    ({"request": "fabric", "fabric": "slimfly:q=5"}, "fabric slimfly:q=5"),
    ({"request": "fabric", "fabric": "dragonfly:p=2"}, "fabric dragonfly:p=2"),
    ({"request": "fabric", "fabric": "jellyfish:switches=40,degree=5", "seed": 3},
     "fabric jellyfish:switches=40,degree=5 --seed 3"),
    ({"request": "route", **ROUTED}, "route slimfly:q=5 spread:layers=3 --seed 1"),
    ({"request": "route", "fabric": "fattree:k=4", "routing": "ecmp"}, "route fattree:k=4 ecmp"),
    ({**PATHS, **ROUTED}, "path slimfly:q=5 spread:layers=3 0 7 --seed 1"),
    ({**PATHS, **ROUTED, "cut": [4]}, "path slimfly:q=5 spread:layers=3 0 7 --seed 1 --fail links=ids:4"),
    ({"request": "simulate", **ROUTED, **LOAD},
     "simulate slimfly:q=5 -r spread:layers=3 -t permutation:bytes=64KiB --seed 1"),
    ({"request": "simulate", **ROUTED, **LOAD, "routing": "minimal", "cut": [4]},
     "simulate slimfly:q=5 -r minimal -t permutation:bytes=64KiB --seed 1 --fail links=ids:4"),
    ({"request": "simulate", "fabric": "fattree:k=4", "routing": "ecmp", "traffic": "random:destinations=2,bytes=1MiB",
      "transport": "dctcp"}, "simulate fattree:k=4 -r ecmp -t random:destinations=2,bytes=1MiB --transport dctcp"),
]  # fmt: skip

# Fields of the command line's output that the program does not compute.
LEFT_OUT = {
    "fabric": ("distances_computed", "links", "seed"),
    "route": ("build_seconds", "links", "seed"),
    "paths": ("deadlock", "links", "other_next_hops", "paths.latency_ps", "paths.length_mm", "paths.sl",
              "paths.steps.equal_cost", "paths.steps.into", "paths.steps.latency", "paths.steps.length",
              "paths.steps.port", "paths.steps.rate", "paths.steps.vc", "seed", "shared", "without"),
    "simulate": ("counters", "cut_off", "faults_in_time", "gap", "link_latency", "links", "mtu", "nic",
                 "packet_time_us", "partial", "peak_rss_mb", "rate", "sample", "sample_links", "software",
                 "throughput_gbps", "until", "user_seconds"),
}  # fmt: skip


@pytest.fixture(scope="module")
def answers() -> list[dict[str, Any]]:
    """Return the answers to all cases, and then to five requests beyond the limits."""
    beyond = [
        {"request": "fabric", "fabric": "slimfly:q=43"},
        {"request": "fabric", "fabric": "jellyfish-like:file:edges=x.csv"},
        {"request": "simulate", **ROUTED, "traffic": "goal:file=x.goal", "transport": "purified"},
        {"request": "simulate", **ROUTED, "traffic": "permutation:bytes=1GiB", "transport": "purified"},
        {"request": "paths", **ROUTED, "source": 0, "destination": 50},
    ]
    requests = "\n".join(json.dumps(request) for request in [*(request for request, _ in CASES), *beyond])
    command = ["node", str(ROOT / "tests" / "playground.mjs"), str(PROGRAM)]
    done = subprocess.run(command, input=requests, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def _compare(found: Any, expected: Any, where: str) -> set[str]:
    """Compare the fields that both outputs have; return the names of fields that only the command line has.

    Only sums of times may be rounded differently.
    """
    if isinstance(expected, dict) and isinstance(found, dict):
        missing = {f"{where}.{key}" for key in expected if key not in found}
        return missing.union(
            *(_compare(found[key], expected[key], f"{where}.{key}") for key in expected if key in found)
        )
    if isinstance(expected, list) and isinstance(found, list):
        assert len(found) == len(expected), where
        return set().union(*(_compare(*pair, where) for pair in zip(found, expected, strict=True)))
    if isinstance(expected, float):
        expected = pytest.approx(expected, rel=1e-12)
    assert found == expected, where
    return set()


@pytest.mark.parametrize("case", range(len(CASES)))
def test_figures_equal_those_of_the_command_line(answers: list[dict[str, Any]], case: int) -> None:
    request, command = CASES[case]
    done = CliRunner().invoke(application([]), [*command.split(), "--json"])
    assert done.exit_code == 0, done.output
    missing = _compare(answers[case]["answer"], json.loads(done.stdout), request["request"])
    assert missing == {f"{request['request']}.{name}" for name in LEFT_OUT[request["request"]]}


def test_limits_are_named(answers: list[dict[str, Any]]) -> None:
    texts = [answer["error"] for answer in answers[len(CASES) :]]
    assert texts == [
        "slimfly:q=43 has 3698 switches; legal: at most 2000 in the playground",
        "file:edges=x.csv: the playground cannot read files; legal: any other fabric",
        "goal:file=x.goal: the playground cannot read files; legal: any other traffic",
        "permutation:bytes=1GiB has 24032000 packets; legal: at most 500000 in the playground",
        "destination: no switch 50; legal: 0 to 49",
    ]


def test_the_program_is_small() -> None:
    assert len(gzip.compress(PROGRAM.read_bytes(), 9)) <= MOST_BYTES
