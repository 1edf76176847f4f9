"""Compare saturation loads of ``saturation="booksim"`` with BookSim2's own, and check the option in all interfaces.

BookSim2 is commit 28f43299 of github.com/booksim/booksim2 with these additions. It reads paths and a permutation from
files. Each hop of a path uses its own virtual channel, and the link to the endpoint uses any. The selector
``ksp-adaptive`` compares `GetUsedCredit` times hops. BookSim2 prints each mean that it compares with ``latency_thres``.
Fabric, paths and permutation are those of tulle with seed 1.

    topology = anynet; traffic = randperm; use_noc_latency = 0; num_vcs = HOPS; vc_buf_size = 32; credit_delay = 2;
    internal_speedup = 2.0; routing_delay = 0; vc_allocator = separable_input_first; alloc_iters = 1; packet_size = 1;
    sw_allocator = separable_input_first; sim_type = latency; latency_thres = 500; warmup_periods = 1; max_samples = 11;
    sample_period = 500; stopping_thres = 0; acc_stopping_thres = 0; seed = 1;

Links between routers have a latency of 10 cycles, and links to nodes have 1 cycle. HOPS is the length of the longest
path.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest
from typer.testing import CliRunner

import tulle
from tulle import study
from tulle.cli.app import application
from tulle.study.engine.plan import _hashed_parameters
from tulle.study.measurements.flit import Flit
from tulle.study.measurements.flit_saturation import FlitSaturation

if TYPE_CHECKING:
    from pathlib import Path

app = application([])
runner = CliRunner()

STEP = 0.05
RRG, SLIM_FLY = "jellyfish:switches=36,degree=16,p=8", "slimfly:q=5,p=4"
HOPS = {RRG: 3, SLIM_FLY: 4}

# The highest load, in steps of 0.05, at which BookSim2 does not abort. It aborts if a mean latency exceeds 500 cycles.
# In the second row, at load 0.7, BookSim2's last mean is 499.7 cycles, and tulle's is 504 cycles.
BOOKSIM_LOADS = [
    (RRG, "ksp:k=8", "random", 0.25),
    (RRG, "redksp:k=8", "random", 0.7),
    (RRG, "redksp:k=8", "ksp-adaptive", 0.95),
    (SLIM_FLY, "ksp:k=8", "random", 0.2),
    (SLIM_FLY, "redksp:k=8", "random", 0.45),
    (SLIM_FLY, "redksp:k=8", "ksp-adaptive", 0.65),
]

# BookSim2's mean latencies at the cycles 1000, 1500, …, 5500, and at 6500 and 7500 (drain phase), and the tolerance.
# The selector is `random`.
BOOKSIM_MEANS = [
    (RRG, "redksp:k=8", 0.7, [73.8, 100.0, 123.2, 145.7, 166.6, 187.4, 209.3, 233.4, 256.2, 279.6, 351.7, 418.3], 0.06),
    (
        SLIM_FLY,
        "ksp:k=8",
        0.25,
        [59.0, 77.2, 94.0, 112.1, 129.0, 143.8, 158.3, 173.8, 188.6, 202.9, 253.0, 293.5],
        0.15,
    ),
]


@pytest.mark.parametrize(("fabric", "routing", "selector", "load"), BOOKSIM_LOADS)
def test_saturation_loads_are_booksim2s(fabric: str, routing: str, selector: str, load: float) -> None:
    found = tulle.saturation(
        fabric,
        routing,
        "permutation",
        precision=STEP,
        seed=1,
        vcs=HOPS[fabric],
        policy="hops:spare=idle",
        selector=selector,
        saturation="booksim",
    )
    assert found.by_latency == pytest.approx(load, abs=STEP + 1e-9)


@pytest.mark.parametrize(("spec", "routing", "load", "means", "tolerance"), BOOKSIM_MEANS)
def test_means_are_booksim2s(spec: str, routing: str, load: float, means: list[float], tolerance: float) -> None:
    # Between seeds, single runs differ by up to 7% (standard deviation), so the test averages three runs.
    fabric = tulle.Fabric(spec, seed=1)
    routed = tulle.route(fabric, routing, 1)
    traffic = tulle.traffic(fabric, "permutation", seed=1)
    runs = [
        tulle.simulate_flits(
            fabric,
            routed,
            traffic,
            load=load,
            seed=seed,
            vcs=HOPS[spec],
            policy="hops:spare=idle",
            selector="random",
            saturation="booksim",
            drain=2500,
        ).latency_checks
        for seed in range(1, 4)
    ]
    assert np.mean(runs, axis=0).tolist() == pytest.approx(means, rel=tolerance)


def test_the_rules_differ_where_flows_starve() -> None:
    # At load 0.3, no mean in the measurement window exceeds 500 cycles, but packets of starved flows wait until long
    # after the window.
    run = {
        rule: tulle.simulate_flits(
            RRG, "ksp:k=8", "permutation", load=0.3, seed=1, vcs=3, selector="random", saturation=rule
        )
        for rule in ("arrivals", "booksim")
    }
    arrivals, booksim = run["arrivals"], run["booksim"]
    assert (arrivals.saturated, booksim.saturated) == (False, True)
    assert arrivals.latency_checks.tolist() == arrivals.samples[:10].tolist()
    assert (booksim.latency_checks[:10] < 500).all()
    assert (booksim.latency_checks[10:] > 500).any()
    # The rule changes only the verdict about saturation. Both runs simulate the same packets.
    assert booksim.samples[:10].tolist() == arrivals.samples[:10].tolist()
    assert booksim.accepted == arrivals.accepted


def test_commands_take_the_rule() -> None:
    base = ["flit", "clique:degree=1,p=4", "--vcs", "2", "-t", "off-diagonal:offset=4", "--json"]
    loads = {}
    for rule in ("arrivals", "booksim"):
        found = runner.invoke(app, [*base, "--saturation", "--saturation-rule", rule])
        assert found.exit_code == 0, found.output
        fields = json.loads(found.stdout)
        assert fields["saturation"] == rule
        loads[rule] = fields["by_latency"]
    # The fluid model of crates/tulle-flit/src/saturation/tests.rs, which ignores the minimal latency, gives 0.276 and
    # 0.292.
    assert loads == {"arrivals": pytest.approx(0.27), "booksim": pytest.approx(0.28)}
    refused = runner.invoke(app, [*base, "--load", "0.3", "--saturation-rule", "samples"])
    assert str(refused.exception) == "saturation=samples is not a choice; legal: arrivals, booksim"


def test_studies_take_the_rule(tmp_path: Path) -> None:
    text = """
name = "rules"
title = "Rules of saturation"
measurement = "flit-saturation"
plots = []
seeds = [1]

[common]
fabric = "clique:degree=1,p=4"
routing = "minimal"
traffic = "off-diagonal:offset=4"
vcs = 2

[[case]]
name = "arrivals"

[[case]]
name = "booksim"
saturation = "booksim"
"""
    path = tmp_path / "rules.toml"
    path.write_text(text)
    done = study.run(study.load(path), tmp_path / "runs")
    assert [result.figures["by_latency"].mean for result in done.results] == pytest.approx([0.27, 0.29])
    path.write_text(text.replace('saturation = "booksim"', 'saturation = "samples"'))
    with pytest.raises(tulle.StudyError, match="saturation = 'samples' is unknown; legal: arrivals, booksim"):
        study.plan(study.load(path))


def test_the_default_leaves_run_ids_as_they_were() -> None:
    """Check that the default is not hashed, so that results that were stored before the option existed stay valid."""
    for measured in (Flit, FlitSaturation):
        default = measured(fabric=SLIM_FLY, routing="minimal", vcs=2)
        assert "saturation" not in _hashed_parameters(default)
        assert _hashed_parameters(default.model_copy(update={"saturation": "booksim"}))["saturation"] == "booksim"
