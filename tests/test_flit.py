"""Test the flit simulator through Python, the command line and studies."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

import tulle
from tulle import study
from tulle.cli.app import application
from tulle.flit import sweep

if TYPE_CHECKING:
    from pathlib import Path

app = application([])
runner = CliRunner()


@pytest.fixture(scope="module")
def network() -> tuple[tulle.Fabric, tulle.Routing]:
    fabric = tulle.Fabric("slimfly:q=3,p=2")
    return fabric, tulle.route(fabric, "minimal")


def test_light_load_takes_the_closed_form(network: tuple[tulle.Fabric, tulle.Routing]) -> None:
    fabric, routing = network
    result = tulle.simulate_flits(fabric, routing, load=0.002, vcs=2, warmup=0, window=30_000, seed=1)
    assert result.latency_mean is not None
    assert result.hops_mean is not None
    # At light load, packets hardly wait in queues. The latency is 2 cycles per router and 10 per hop, plus 2 from the
    # source to its router and 1 from the last router to the destination. A path has one more router than hops.
    assert result.latency_mean == pytest.approx(5 + 12 * result.hops_mean, abs=0.2)
    assert result.percentiles["p50"] in (5, 17, 29)
    assert result.complete
    assert result.minimal == 1
    assert not result.saturated
    assert result.channel_load.shape == (fabric.num_cables * 2,)
    assert "accepted" in repr(result)


def test_threads_change_nothing(network: tuple[tulle.Fabric, tulle.Routing]) -> None:
    fabric, routing = network
    one, two = (
        tulle.simulate_flits(fabric, routing, "uniform:self=no", load=0.5, vcs=2, window=1000, threads=threads, seed=3)
        for threads in (1, 2)
    )
    assert one.summary() == two.summary()
    assert one.samples.tolist() == two.samples.tolist()
    assert one.channel_load.tolist() == two.channel_load.tolist()


def test_workloads_are_traffic(network: tuple[tulle.Fabric, tulle.Routing]) -> None:
    fabric, routing = network
    load = tulle.traffic(fabric, "permutation", seed=5)
    named = tulle.simulate_flits(fabric, routing, "permutation", load=0.2, vcs=2, window=500, seed=5)
    given = tulle.simulate_flits(fabric, routing, load, load=0.2, vcs=2, window=500, seed=5)
    assert named.summary() == given.summary()


@pytest.mark.parametrize(
    ("arguments", "exception", "message"),
    [
        ({"load": 1.5}, tulle.SpecError, "load=1.5 is out of range; legal: 0 to 1"),
        ({"vcs": 0}, tulle.SpecError, "vcs=0 is out of range; legal: 1 to 16"),
        ({"vcs": 1}, tulle.InputError, "virtual channels"),
        ({"vcs": 2, "router": "input-queued:vcs=4"}, tulle.InputError, "vcs=2, and vcs=4 in the router"),
        ({"selector": "ugall"}, tulle.SpecError, "unknown .* 'ugall'; did you mean ugal"),
        ({"policy": "free"}, tulle.InputError, "can deadlock: .*legal: "),
        ({"link_latency": -1}, tulle.InputError, "link_latency=-1 is out of range"),
        ({"window": 0.5}, tulle.InputError, "window=0.5 is not a whole number"),
        ({"buffer": 3}, tulle.InputError, "unknown setting 'buffer'; "),
        ({"traffic": "unifrom"}, tulle.SpecError, "unifrom"),
        ({"seed": -1}, tulle.InputError, "seed=-1"),
        ({"load": "many"}, tulle.InputError, "load='many' is not a number; legal: 0 to 1 or 0% to 100%"),
        ({"warmup_tolerance": None, "load": [1]}, tulle.InputError, r"load=\[1\] is not a number"),
    ],
)
def test_refuses_what_is_not_legal(
    network: tuple[tulle.Fabric, tulle.Routing], arguments: dict[str, Any], exception: type[Exception], message: str
) -> None:
    with pytest.raises(exception, match=message) as caught:
        tulle.simulate_flits(*network, **arguments)
    assert "\n" not in str(caught.value)


def test_fractions_are_numbers_or_percentages(network: tuple[tulle.Fabric, tulle.Routing]) -> None:
    numbers = tulle.simulate_flits(*network, load=0.5, warmup_tolerance=0.05, window=200)
    texts = tulle.simulate_flits(*network, load="50%", warmup_tolerance="5%", window=200)  # type: ignore[arg-type]
    assert numbers.summary() == texts.summary()
    printed = [
        runner.invoke(app, ["flit", "slimfly:q=3", "--load", load, "--warmup-tolerance", share, "--window", "200"])
        for load, share in (("0.1:0.3:0.1", "0.05"), ("10%:30%:10%", "5%"))
    ]
    assert printed[0].exit_code == 0, printed[0].output
    assert printed[0].stdout == printed[1].stdout


def test_searches_and_sweeps_refuse_a_load(network: tuple[tulle.Fabric, tulle.Routing]) -> None:
    for name, value in (("load", 0.5), ("loads", [0.5])):
        with pytest.raises(tulle.InputError, match=f"saturation takes no {name}=, because it searches for the load"):
            tulle.saturation(*network, **{name: value})  # type: ignore[arg-type]
    for name in ("load", "seed"):
        with pytest.raises(tulle.InputError, match=f"curve takes {name}s= instead of {name}=; legal: a list of"):
            tulle.flit.curve(*network, loads=[0.5], **{name: 1})  # type: ignore[arg-type]
    refused = runner.invoke(app, ["flit", "slimfly:q=3", "--saturation", "--load", "0.5", "--seeds", "2"])
    assert str(refused.exception).startswith(
        "--saturation together with --load and --seeds; legal: omit --saturation, or omit --load and --seeds, because"
    )


def test_curves(network: tuple[tulle.Fabric, tulle.Routing], tmp_path: Path) -> None:
    fabric, routing = network
    loads = [0.1, 0.5]
    found = sweep.curve(fabric, routing, loads=loads, seeds=(1, 2), vcs=2, window=500)
    assert found["load"].tolist() == [0.1, 0.1, 0.5, 0.5]
    assert found["seed"].tolist() == [1, 2, 1, 2]
    assert found["latency_mean"][2] > found["latency_mean"][0]
    again = sweep.curve(fabric, routing, loads=loads, seeds=(1, 2), vcs=2, window=500, runs_at_a_time=1)
    assert found.to_csv() == again.to_csv()
    pytest.importorskip("matplotlib")
    for name in ("one.svg", "two.svg"):
        sweep.draw({"minimal": found}, tmp_path / name)
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()
    with pytest.raises(tulle.InputError, match="no loads"):
        sweep.curve(fabric, routing, loads=[])
    with pytest.raises(tulle.SpecError, match="load=2"):
        sweep.curve(fabric, routing, loads=[0.1, 2.0], vcs=2, window=500)


def test_commands(tmp_path: Path) -> None:
    base = ["flit", "slimfly:q=3,p=2", "--vcs", "2", "--window", "500"]
    one = runner.invoke(app, [*base, "--load", "0.2", "--json"])
    assert one.exit_code == 0, one.output
    assert json.loads(one.stdout)["runs"][0]["accepted"] == pytest.approx(0.2, abs=0.02)
    file = tmp_path / "runs.csv"
    many = runner.invoke(app, [*base, "--load", "0.1:0.3:0.1", "--seeds", "2", "-o", str(file)])
    assert many.exit_code == 0, many.output
    assert len(file.read_text().splitlines()) == 7
    found = runner.invoke(app, [*base, "--saturation", "--json"])
    fields = json.loads(found.stdout)
    assert 0.5 < fields["accepted"] <= 1
    assert fields["by_latency"] >= fields["accepted"] - 0.1
    curve = runner.invoke(app, [*base, "--load", "0.1", "--load", "0.2", "--json"])
    exchange = runner.invoke(app, ["exchange", "slimfly:q=3,p=2", "--vcs", "2", "--json"])
    for printed in (one, found, curve, exchange):
        assert json.loads(printed.stdout)["user_seconds"] >= 0


def test_deadlocks_fail_and_nothing_has_no_percentiles(tmp_path: Path) -> None:
    stuck = [
        "flit",
        "torus:shape=5,p=4",
        "--policy",
        "free",
        "--router",
        "input-queued:vcs=1,buffer=1",
        "--may-deadlock",
    ]
    one = runner.invoke(app, [*stuck, "--load", "1", "--json"])
    assert one.exit_code == 1, one.output
    assert "deadlock found" in json.loads(one.stdout)["runs"][0]["deadlock"]
    file = tmp_path / "runs.csv"
    many = runner.invoke(app, [*stuck, "--load", "0", "--load", "1", "-o", str(file), "--json"])
    assert many.exit_code == 1, many.output
    assert [run["deadlock"] is not None for run in json.loads(many.stdout)["runs"]] == [False, True]
    assert len(file.read_text().splitlines()) == 3
    assert runner.invoke(app, [*stuck, "--saturation", "--json"]).exit_code == 1
    none = json.loads(runner.invoke(app, ["flit", "slimfly:q=3,p=2", "--load", "0", "--json"]).stdout)["runs"][0]
    assert [none[f"latency_{name}"] for name in ("p50", "p90", "p99", "p999")] == [None] * 4
    curve = runner.invoke(app, ["flit", "slimfly:q=3,p=2", "--load", "0", "--load", "0", "--window", "10", "--json"])
    assert [run["latency_p99"] for run in json.loads(curve.stdout)["runs"]] == [None, None]


def test_permutations_from_files(tmp_path: Path) -> None:
    file = tmp_path / "permutation.csv"
    file.write_text("src,dst\n0,1\n1,0\n2,2\n3,4\n4,5\n5,3\n")
    base = ["flit", "clique:degree=2,p=2", "--load", "0.5", "--window", "2000", "--sample", "1000", "--json"]
    run = runner.invoke(app, [*base, "--traffic", f"file:messages={file},bytes=1B,self=yes"])
    assert run.exit_code == 0, run.output
    fields = json.loads(run.stdout)
    found = fields["runs"][0]
    # `accepted` is the mean over the endpoints that send; five of six endpoints send.
    assert found["accepted"] == pytest.approx(0.5, abs=0.02)
    assert found["counters"]["to_oneself"] == 1
    assert fields["sample"] == 1000


def test_latency_by_class() -> None:
    # dragonfly:p=1 is a ring of six switches; along the ring, local and global cables alternate.
    base = ["flit", "dragonfly:p=1", "--load", "0.01", "--vcs", "3", "--window", "20000", "--json"]
    even, long = (
        json.loads(runner.invoke(app, [*base, *option]).stdout)["runs"][0]
        for option in ([], ["--class-latency", "global=60"])
    )
    # Of 36 pairs of endpoints, 18 use one global cable. The 6 pairs at opposite switches use one or two global cables.
    assert long["latency_mean"] - even["latency_mean"] == pytest.approx(50 * (18 + 6 * 1.5) / 36, rel=0.05)


def test_studies(tmp_path: Path) -> None:
    text = """
name = "flits"
title = "Flits"
measurement = "flit"
plots = []
seeds = [1, 2]
[common]
fabric = "slimfly:q=3,p=2"
routing = "minimal"
vcs = 2
window = 500
[grid]
load = [0.1, 0.4]
[[case]]
name = "minimal"
[[case]]
name = "valiant"
selector = "valiant"
router = "input-queued:vcs=4"
"""
    path = tmp_path / "flits.toml"
    path.write_text(text.replace("vcs = 2\n", ""))
    done = study.run(study.load(path), tmp_path / "runs")
    light, heavy = (
        next(r for r in done.results if r.case == "minimal" and r.point["load"] == load) for load in (0.1, 0.4)
    )
    latencies = [float(result.figures["latency_mean"].mean or 0) for result in (light, heavy)]
    assert latencies == sorted(latencies)
    assert light.figures["accepted"].mean == pytest.approx(0.1, abs=0.02)
    assert (done.directory / "samples.csv").read_text().splitlines()[0].endswith(",sample,latency_cycles")


def test_latencies_above_the_limit_of_a_short_window_are_noted() -> None:
    command = ["flit", "slimfly:q=5", "-t", "worst-case", "--vcs", "4", "--load", "0.2"]

    def notes(*options: str) -> str:
        return " ".join(runner.invoke(app, [*command, *options]).stderr.split())

    text = "load 0.2: the mean latency exceeds 500 cycles, but the network does not count as saturated"
    assert text in notes("--window", "1000")
    assert text not in notes("--window", "4000")
    assert text not in notes("--window", "1000", "--saturation-rule", "booksim")


def test_a_network_that_accepts_less_than_offered_is_noted_if_the_rule_does_not_show_it() -> None:
    command = ["flit", "slimfly:q=5", "-t", "skewed", "--vcs", "4", "--drain", "0"]

    def notes(*options: str) -> str:
        return " ".join(runner.invoke(app, [*command, *options]).stderr.split())

    text = "load 0.7: the network accepts 0.25 of 0.7, but does not count as saturated"
    assert text in notes("--warmup", "100", "--window", "300", "--load", "0.1", "--load", "0.7")
    assert notes("--load", "0.7") == ""
    assert notes("--load", "0.2") == ""


def test_a_parameter_for_layers_is_noted_without_layers() -> None:
    command = ["flit", "slimfly:q=5", "--vcs", "8", "--window", "200", "--load", "0.1", "--selector"]
    text = "direct=shortest of selector recycle has no effect without via=layer"
    assert text in runner.invoke(app, [*command, "recycle:direct=shortest"]).stderr
    assert text not in runner.invoke(app, [*command, "recycle"]).stderr


@pytest.mark.parametrize(
    ("selector", "is_noted"),
    [
        ("minimal", True),
        ("ugal", True),
        ("ugal:via=layer", False),
        ("recycle", True),
        ("recycle:via=layer", False),
        ("random", False),
        ("ksp-adaptive", False),
    ],
)
def test_a_selector_that_uses_one_of_several_layers_is_noted(selector: str, *, is_noted: bool) -> None:
    command = ["flit", "clique:degree=3,p=2", "--load", "0.1", "--window", "200", "--vcs", "8", "--selector", selector]
    note = f"selector {selector} uses only layer 0 of the 3 layers; "
    assert (note in runner.invoke(app, [*command, "--routing", "spread:layers=3"]).stderr) is is_noted
    alone = runner.invoke(app, command).stderr
    assert "layer 0" not in alone
    assert ("the routing has one layer" in alone) is (selector.startswith("ksp") or "via=layer" in selector)


def test_recycle_takes_detours_with_one_virtual_channel_per_hop() -> None:
    fabric = tulle.Fabric("slimfly:q=5", seed=1)
    minimal = tulle.route(fabric, "minimal")

    def run(vcs: int, selector: str) -> tulle.FlitSimulation:
        return tulle.simulate_flits(
            fabric, minimal, "skewed", load=1.0, seed=1, router=f"input-queued:vcs={vcs}", selector=selector,
            warmup=800, window=800, drain=0,
        )  # fmt: skip

    # The four endpoints of a switch send over one cable, which carries a quarter of their load.
    assert run(4, "minimal").accepted == pytest.approx(0.25, abs=0.01)
    few, more = run(4, "recycle"), run(5, "recycle")
    assert few.accepted > 0.35, few.accepted
    assert few.warnings == [
        "recycle: bias=150 is lowered to 50, because a full first link with 25 flits costs only 150 cycles, so hardly "
        "any packet would take a detour"
    ]
    assert (more.accepted > 0.4, more.warnings) == (True, [])


def test_rates_of_single_links_are_reported() -> None:
    fabric = tulle.Fabric("slimfly:q=5", links=["0/0:rate=25Gbps"])
    found = tulle.simulate_flits(fabric, tulle.route(fabric, "minimal"), load=0.1, warmup=100, window=100)
    assert found.warnings == ["some links have a rate of 25Gbps, but every link carries one flit per cycle"]
