"""Test complete message exchanges in the flit simulator through Python, the command line and studies."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from typer.testing import CliRunner

import tulle
from tulle import study
from tulle.cli.app import application

if TYPE_CHECKING:
    from pathlib import Path

app = application([])
runner = CliRunner()
SWITCH: dict[str, Any] = {"router": "diameter-two", "link_latency": 2}


@pytest.fixture(scope="module")
def network() -> tuple[tulle.Fabric, tulle.Routing]:
    fabric = tulle.Fabric("oft:k=3")
    return fabric, tulle.route(fabric, "minimal")


def test_one_message_takes_the_closed_form(network: tuple[tulle.Fabric, tulle.Routing]) -> None:
    fabric, routing = network
    load = tulle.Workload([0], [fabric.num_endpoints - 1], 7680, start=100_000)
    result = tulle.simulate_exchange(fabric, routing, load, **SWITCH)
    # 30 packets follow each other over two hops. The delay of a switch is 5 cycles, of a cable between switches 2, and
    # of an endpoint's cable 1.
    start, arrival = 5, 5 + 2 * 1 + 3 * 5 + 2 * 2 + 29
    assert (result.start.tolist(), result.arrival.tolist()) == ([start], [arrival])
    assert result.latency.tolist() == [arrival - start]
    assert result.cycles == arrival + 1
    assert result.completion_us == pytest.approx((arrival + 1) * 20.48e-3)
    assert result.throughput == pytest.approx(30 / (arrival + 1))
    assert result.summary()["latency_p99"] == arrival - start
    assert result.counters["delivered"] == 30


def test_what_waits_comes_after(network: tuple[tulle.Fabric, tulle.Routing]) -> None:
    load = tulle.Workload([0, 5], [5, 0], 256, compute=[20_480_000], dependencies=[(2, 0), (1, 2)])
    result = tulle.simulate_exchange(*network, load, **SWITCH)
    assert result.start[1] == result.arrival[0] + 1 + 1000


@pytest.mark.parametrize("order", ["in-order", "round-robin", "random"])
def test_threads_change_nothing(network: tuple[tulle.Fabric, tulle.Routing], order: str) -> None:
    one, two = (
        tulle.simulate_exchange(*network, "all-to-all:bytes=1KB", order=order, threads=threads, seed=3, **SWITCH)
        for threads in (1, 2)
    )
    assert one.summary() == two.summary()
    assert one.arrival.tolist() == two.arrival.tolist()
    assert one.channel_load.tolist() == two.channel_load.tolist()
    # Each endpoint sends four packets to every other endpoint.
    assert one.cycles > 4 * (network[0].num_endpoints - 1)
    assert one.throughput is not None
    assert 0.3 < one.throughput < 1


def test_what_is_missing_is_named(network: tuple[tulle.Fabric, tulle.Routing]) -> None:
    result = tulle.simulate_exchange(*network, "permutation:bytes=1MiB", limit=100, **SWITCH)
    assert not result.complete
    assert result.completion_us is None
    assert result.throughput is None
    assert np.isnan(result.latency).all()
    assert "messages have not arrived in 100 cycles; the first is message 0" in result.warnings[-1]
    assert "not complete" in repr(result)


@pytest.mark.parametrize(
    ("arguments", "exception", "message"),
    [
        ({"order": "fair"}, tulle.SpecError, "order=fair is not a choice; legal: in-order, round-robin, random"),
        ({"window": 5}, tulle.InputError, "unknown setting 'window'; legal: order, "),
        ({"limit": 0}, tulle.SpecError, "limit=0 is out of range; legal: 1 to 2147483648"),
        ({"flit_bytes": 64}, tulle.SpecError, "flit_bytes=64 is not the flit size of router 'diameter-two:vcs=4'"),
        ({"cycle_ps": 2.5}, tulle.InputError, "cycle_ps=2.5 is not a whole number"),
        ({"workload": "all-to-al"}, tulle.SpecError, "all-to-al"),
        ({"workload": tulle.Workload([0], [99], 1)}, tulle.InputError, "from endpoint 0 to 99; legal: below 42"),
    ],
)
def test_refuses_what_is_not_legal(
    network: tuple[tulle.Fabric, tulle.Routing], arguments: dict[str, Any], exception: type[Exception], message: str
) -> None:
    with pytest.raises(exception, match=message) as caught:
        tulle.simulate_exchange(*network, **{"workload": "permutation", **SWITCH, **arguments})
    assert "\n" not in str(caught.value)


def test_command(tmp_path: Path) -> None:
    file = tmp_path / "messages.csv"
    arguments = [
        "exchange",
        "oft:k=3",
        "--router",
        "diameter-two",
        "--link-latency",
        "2",
        "-t",
        "permutation:bytes=2560B",
    ]
    done = runner.invoke(app, [*arguments, "--json", "-o", str(file)])
    assert done.exit_code == 0, done.output
    fields = json.loads(done.stdout)
    lines = file.read_text().splitlines()
    assert lines[0] == "source,destination,bytes,start_ps,first_cycle,arrival_cycle"
    assert max(int(line.rpartition(",")[2]) for line in lines[1:]) + 1 == fields["cycles"]
    late = runner.invoke(app, ["exchange", "oft:k=3", "-t", "stencil:compute=1us"])
    assert late.exit_code != 0
    assert "legal: the length of a cycle (cycle_ps)" in str(late.exception)


def test_study(tmp_path: Path) -> None:
    path = tmp_path / "exchanges.toml"
    path.write_text("""
name = "exchanges"
title = "Exchanges"
measurement = "flit-exchange"
plots = []
[common]
fabric = "oft:k=3"
routing = "minimal"
traffic = "stencil:ranks=30,shape=5x6,bytes=25600B"
router = "diameter-two"
link_latency = 2
[[case]]
name = "minimal"
[[case]]
name = "indirect"
selector = "valiant"
""")
    done = study.run(study.load(path), tmp_path / "runs")
    minimal, indirect = done.results
    figures = [{key: figure.mean for key, figure in result.figures.items()} for result in (minimal, indirect)]
    hops = [of["hops_mean"] for of in figures]
    assert hops[0] is not None
    assert hops[1] is not None
    assert hops[0] < hops[1]
    for of in figures:
        cycles, throughput = of["cycles"], of["throughput"]
        assert cycles is not None
        # In the workload, each rank sends four messages of a hundred packets each.
        assert throughput == pytest.approx(400 / cycles)
        assert of["completion_us"] == pytest.approx(cycles * 20.48e-3)
    rows = next((tmp_path / "runs").rglob("endpoints.csv")).read_text().splitlines()
    assert rows[0].endswith(",endpoint,last_sent_cycle,last_received_cycle")
    last = [max(map(int, row.split(",")[-2:])) for row in rows[1:] if "minimal" in row]
    last = [cycle for cycle in last if cycle >= 0]
    assert len(last) == 30
    # Cycles are counted from 0. The last endpoint is ready at the completion time.
    assert max(last) + 1 == figures[0]["cycles"]
    assert min(last) < max(last)
    assert figures[0]["endpoint_us"] == pytest.approx(sum(last) / len(last) * 20.48e-3, abs=20.48e-3)
