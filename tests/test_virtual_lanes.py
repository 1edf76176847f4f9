"""Test virtual lanes of the packet simulator: Python, command line and studies."""

from __future__ import annotations

import json
import pickle
from typing import TYPE_CHECKING, Any

import pytest

import tulle
from tulle import study
from tulle.study.engine.plan import _hashed_parameters
from tulle.study.measurements.simulate import Simulate

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

    from tulle.routing.vc_plan import VcPlan

FABRIC = "torus:dims=5,p=4"
"""A ring of five switches: shortest paths of two hops have a cyclic dependency."""
STUDY = """name = "lanes"
title = "Lanes"
measurement = "simulate"
plots = []

[common]
fabric = "torus:dims=5,p=4"
routing = "minimal"
traffic = "file:messages=messages.csv"
transport = "dcqcn:control=no"
selector = "ecmp"
mtu = "1500B"
queue = "pfc:threshold=testbed"

[[case]]
name = "without lanes"

[[case]]
name = "with lanes"
deadlock = "dfsssp"
"""
SETTINGS: dict[str, Any] = {"transport": "dcqcn:control=no", "selector": "ecmp", "mtu": "1500B"}


def _workload() -> tulle.Workload:
    """Return messages from every endpoint to an endpoint two switches further on, all in the same direction."""
    sources = list(range(20))
    return tulle.Workload(sources, [(source + 8) % 20 for source in sources], [1_000_000] * 20)


def _run(deadlock: str | VcPlan | None, queue: str = "pfc:threshold=testbed", **settings: Any) -> tulle.Simulation:
    return tulle.simulate(FABRIC, "minimal", _workload(), deadlock=deadlock, queue=queue, **{**SETTINGS, **settings})


def test_a_plan_avoids_the_deadlock_that_a_run_without_it_has() -> None:
    """Check that a ring deadlocks without lanes, and completes with a deadlock scheme or with a scheme's plan."""
    alone = _run(None)
    assert alone.deadlock is not None
    assert not alone.complete
    assert {port["lane"] for port in alone.deadlock["ports"]} == {None}
    assert (alone.num_lanes, alone.deadlock_scheme) == (1, None)
    assert "num_lanes" not in alone.summary()
    plan = tulle.route(FABRIC, "minimal").assign_vcs("lash")
    for deadlock in ("dfsssp", "hops", plan):
        result = _run(deadlock)
        assert result.complete, deadlock
        assert result.deadlock is None
        assert result.num_lanes == 2
        assert result.summary()["num_lanes"] == 2
        assert result.summary()["deadlock_scheme"] == result.deadlock_scheme
        assert result.counters["data_dropped"] == 0
    assert result.deadlock_scheme == "lash"
    assert pickle.loads(pickle.dumps(result)) == result


def test_threads_do_not_change_the_result() -> None:
    """Check that four threads give the same results as one."""
    assert _run("dfsssp", threads=4) == _run("dfsssp", threads=1)


def test_without_a_scheme_nothing_changes() -> None:
    """The option that divides thresholds has no effect without lanes, and is not part of the default spec."""
    plain, whole = (_run(None, f"pfc:threshold=testbed{lanes}") for lanes in ("", ",lanes=whole"))
    assert "lanes" not in plain.configuration["queue"]
    assert "lanes=whole" in whole.configuration["queue"]
    assert plain.flows == whole.flows


def test_illegal_combinations_are_refused() -> None:
    """Check that a queue that drops packets, a plan of another routing and an unknown scheme give an error."""
    with pytest.raises(
        tulle.InputError, match=r"^queue=droptail:\S+ drops packets.*no virtual lanes.*legal: queue=pfc"
    ):
        _run("dfsssp", "droptail")
    other = tulle.route(FABRIC, "random:layers=2,rho=0.9", seed=1).assign_vcs("dfsssp")
    with pytest.raises(tulle.InputError, match=r"a plan of routing random.*not of minimal.*legal: a plan with its own"):
        _run(other)
    with pytest.raises(tulle.InputError, match=r"uses 16 virtual lanes.*legal: at most 15"):
        _run("dfsssp:vcs=16")
    with pytest.raises(tulle.SpecError, match="dfssp"):
        _run("dfssp")


def test_the_command_line_runs_lanes(tulle: Cli) -> None:
    """`tulle simulate --deadlock` names the lanes that ran; a queue that drops packets ends with exit code 2."""
    command = ["simulate", "dragonfly:p=2", "-t", "all-to-all:bytes=16KiB", "--transport", "dcqcn"]
    found = json.loads(tulle(*command, "--deadlock", "dfsssp:vcs=4", "--json").stdout)
    assert (found["deadlock"], found["deadlock_scheme"], found["num_lanes"]) == (None, "dfsssp:vcs=4", 4)
    assert found["completed"] == found["flows"]
    refused = tulle(*command, "--queue", "trim", "--deadlock", "dfsssp")
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert "drops packets" in refused.stderr


def test_a_study_runs_lanes(tmp_path: Path) -> None:
    """A study has the field `deadlock`. Without it, the hash of a run is as before the field was introduced."""
    path = tmp_path / "lanes.toml"
    path.write_text(STUDY)
    rows = [f"{source},{(source + 8) % 20},1000000" for source in range(20)]
    (tmp_path / "messages.csv").write_text("\n".join(["source,destination,bytes", *rows, ""]))
    done = study.run(study.load(path), tmp_path / "runs")
    assert [result.figures["deadlock"].mean for result in done.results] == [1, 0]
    parameters = Simulate(fabric=FABRIC, routing="minimal", traffic="permutation")
    assert "deadlock" not in _hashed_parameters(parameters)
    planned = parameters.model_copy(update={"deadlock": "dfsssp"})
    assert _hashed_parameters(planned)["deadlock"] == "dfsssp"
