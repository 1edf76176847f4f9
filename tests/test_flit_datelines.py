"""Test the policy ``datelines`` through the command line and Python: tori need two virtual channels."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

import tulle
from tulle.cli import main
from tulle.cli.app import application

if TYPE_CHECKING:
    from pathlib import Path

app = application([])
runner = CliRunner()

TORUS = ["torus:shape=10x10,p=1", "--selector", "dimension-order", "--link-latency", "1"]
DATELINES = "datelines:from=ring"


def test_dimension_order_runs_on_a_torus_with_three_virtual_channels() -> None:
    found = runner.invoke(app, ["flit", *TORUS, "--vcs", "3", "--packet", "5", "--load", "0.2", "--json"])
    assert found.exit_code == 0, found.output
    assert found.stderr.splitlines() == [
        "tulle: policy 'hops:spare=shared' needs a virtual channel per hop, 10 in total, but a port has 3: policy "
        f"'{DATELINES}' replaces it"
    ]
    fields = json.loads(found.stdout)
    assert fields["policy"] == DATELINES
    run = fields["runs"][0]
    assert run["complete"]
    assert run["deadlock"] is None
    assert run["accepted"] == pytest.approx(0.2, abs=0.005)
    # A packet moves k/4 hops on average along each of the two dimensions, so 5 hops for k = 10.
    assert run["hops_mean"] == pytest.approx(5, rel=0.01)


def test_results_name_the_policy_that_ran() -> None:
    torus = tulle.Fabric("torus:shape=6x6,p=1")
    settings: dict[str, Any] = {"selector": "dimension-order", "warmup": 100, "window": 300}
    default = tulle.simulate_flits(torus, "minimal", load=0.1, vcs=2, **settings)
    named = tulle.simulate_flits(torus, "minimal", load=0.1, vcs=2, policy="datelines", **settings)
    assert [run.configuration["policy"] for run in (default, named)] == [DATELINES, DATELINES]
    assert (len(default.warnings), named.warnings) == (1, [])
    assert default.summary() == named.summary()
    enough = tulle.simulate_flits(torus, "minimal", load=0.1, vcs=6, **settings)
    assert (enough.configuration["policy"], enough.warnings) == ("hops:spare=shared", [])
    limits = tulle.saturation(torus, "minimal", precision=0.25, vcs=2, **settings)
    assert (limits.policy, limits.deadlock) == (DATELINES, False)
    sent = tulle.simulate_exchange(torus, "minimal", "permutation:bytes=640B", vcs=2, selector="dimension-order")
    assert (sent.configuration["policy"], sent.complete) == (DATELINES, True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["torus:shape=4x4", "--policy", "datelines"],
            f"routing 'minimal' with selector 'minimal' and policy '{DATELINES}' on torus",
        ),
        (
            ["mesh:shape=4x4", "--policy", "datelines"],
            f"policy '{DATELINES}' does not support mesh:shape=4x4,p=1, which has no ring",
        ),
        (
            ["slimfly:q=3", "--policy", "datelines"],
            f"policy '{DATELINES}' does not support slimfly:q=3,p=3, where the cable (0,0",
        ),
        (["torus:shape=4x4", "--policy", "datelines:from=x"], "datelines: from=x is not a choice; legal: ring, "),
        ([*TORUS, "--vcs", "1"], "policy 'hops:spare=shared' needs 10 virtual channels, one per hop of the longest"),
        ([*TORUS, "--vcs", "3", "--policy", "hops:spare=idle"], "policy 'hops:spare=idle' needs 10 virtual channels"),
    ],
)
def test_unfit_networks_and_selectors_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    rows = tmp_path / "rows.csv"
    with pytest.raises(SystemExit) as ended:
        main(["flit", *arguments, "-o", str(rows)])
    assert ended.value.code == 2
    printed = capsys.readouterr()
    assert (printed.out, printed.err.count("\n")) == ("", 1), printed
    assert printed.err.startswith(f"tulle: {message}"), printed.err
    assert "legal: " in printed.err
    assert not rows.exists()
