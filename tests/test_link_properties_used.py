"""Check that simulators and analyses use the known properties of a fabric's links."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import tulle

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli


def throughput(links: list[str], rate: str | None = None, routing: str | None = None) -> float:
    fabric = tulle.Fabric("dragonfly:p=2", links=links)
    found = tulle.analysis.throughput(fabric, "all-to-all", routing, gap="0.1%", rate=rate)
    assert found.proven
    return found.lower


@pytest.mark.parametrize("routing", [None, "minimal"])
def test_all_to_all_throughput_scales_with_capacities(routing: str | None) -> None:
    plain = throughput([], routing=routing)
    assert throughput(["all:rate=100Gbps"], routing=routing) == pytest.approx(plain, rel=2e-3)
    for factor in (2, 4):
        links = [f"all:rate={100 * factor}Gbps", "endpoint:rate=100Gbps"]
        assert throughput(links, routing=routing) == pytest.approx(factor * plain, rel=2e-3)
        assert throughput([f"all:rate={100 * factor}Gbps"], "100Gbps", routing) == pytest.approx(
            factor * plain, rel=2e-3
        )
    # If local cables have spare capacity, only global cables limit a Dragonfly's all-to-all throughput.
    room = throughput(["local:rate=1Tbps", "endpoint:rate=10Gbps"], "10Gbps", routing)
    assert throughput(["local:rate=1Tbps", "global:rate=20Gbps"], "10Gbps", routing) == pytest.approx(
        2 * room, rel=2e-3
    )


def test_a_simulation_takes_the_rates_of_links() -> None:
    def fct(links: list[str]) -> float:
        fabric = tulle.Fabric("clique:degree=3", links=links)
        result = tulle.simulate(fabric, "minimal", "permutation:bytes=1MB", rate="10Gbps", seed=1)
        assert (result.slowdown >= 1).all()
        assert 0.1 < result.links["utilisation"].max() <= 1
        return float(result.fct_us.mean())

    slow, quick = fct([]), fct(["all:rate=100Gbps,latency=1us"])
    assert quick < slow / 3
    assert fct(["all:rate=10Gbps,latency=1us"]) == slow


def test_a_study_takes_links(tulle: Cli, tmp_path: object) -> None:
    from pathlib import Path

    study = """
name = "links"
title = "Links"
measurement = "simulate"
seeds = [1]
plots = []
[common]
routing = "minimal"
traffic = "permutation:bytes=100KB"
fabric = "clique:degree=3"
[[case]]
name = "slow"
links = "all:rate=10Gbps"
[[case]]
name = "quick"
links = ["all:rate=1000Gbps", "endpoint:latency=25ns"]
"""
    path = Path(str(tmp_path)) / "links.toml"
    path.write_text(study)
    result = tulle("run", str(path), "--json")
    assert result.returncode == 0, result.stderr
    path.write_text(study.replace("endpoint:latency=25ns", "endpoint:speed=1"))
    result = tulle("run", str(path))
    assert (result.returncode, "unknown parameter 'speed=1'" in result.stderr) == (2, True)


def test_flits_take_the_latencies_of_links(tulle: Cli) -> None:
    command = ["flit", "clique:degree=3", "--load", "0.01", "--link", "all:latency=100ns", "--json"]
    plain, known = (
        json.loads(tulle(*command, *more).stdout) for more in ([], ["--cycle-ps", "10000", "--endpoint-latency", "7"])
    )
    assert json.dumps(plain) != json.dumps(known)
    result = tulle(*command, "--cycle-ps", "0")
    assert (result.returncode, result.stderr) == (
        2,
        "tulle: cycle_ps=0 is out of range; legal: 1 to 1000000000000, or none\n",
    )


def test_flits_need_one_latency_of_all_endpoints(tulle: Cli, tmp_path: Path) -> None:
    (tmp_path / "edges.csv").write_text("a,b\ns0,s1\n")
    (tmp_path / "nodes.csv").write_text("node,switch,latency\nh0,s0,20ns\nh1,s1,30ns\n")
    fabric = f"file:edges={tmp_path / 'edges.csv'},nodes={tmp_path / 'nodes.csv'}"
    result = tulle("flit", fabric, "--load", "0.1", "--cycle-ps", "10000")
    assert (result.returncode, result.stderr) == (
        2,
        "tulle: endpoint_latency=3 cycles of endpoint h1 differs from the 2 cycles of endpoint h0; "
        "legal: the same latency for all endpoints\n",
    )
