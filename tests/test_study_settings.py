"""Tests of ``tulle run STUDY --set KEY=VALUE``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tulle import study
from tulle.cli.study.one_case import with_settings

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

STUDY = """
name = "settings"
title = "settings"
measurement = "simulate"
seeds = [1, 2]
paper_seeds = [1]
figures = ["fct_mean_us"]

[common]
routing = "minimal"
warmup = 0.1
queue = "pfc"
deadlock = "dfsssp"

[grid]
traffic = ["permutation:bytes=10KB", "skewed:bytes=10KB"]

[paper]
traffic = ["uniform:arrivals=20000,duration=1ms,bytes=10KB"]

[words]
"permutation:bytes=10KB" = "permutation"
"skewed:bytes=10KB" = "skewed"

[[case]]
name = "a"
fabric = "slimfly:q=3"
selector = "spray"

[[case]]
name = "b"
fabric = "clique:degree=4,p=2"
selector = "ecmp"

[[reference]]
case = "a"
traffic = "permutation:bytes=10KB"
source = "paper"
paper = { fct_mean_us = 9.0 }
tolerance = { fct_mean_us = 0.1 }
why = "a reason"

[[reference]]
case = "b"
source = "paper"
least = { fct_mean_us = 9.0 }

[[comparison]]
case = "a"
over = "b"
source = "paper"
least = { fct_mean_us = 1.0 }
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "s.toml").write_text(STUDY, encoding="utf-8")
    return tmp_path / "s.toml"


def planned(path: Path, *settings: str, case: str | None = None) -> study.Plan:
    return study.plan(with_settings(study.load(path), settings, case))


def values(plan: study.Plan, name: str) -> list[Any]:
    return [getattr(run.parameters, name) for run in plan.runs]


def test_a_setting_replaces_the_values_of_common_and_cases(path: Path) -> None:
    plan = planned(path, "selector=flowlet", "warmup=0.5", 'faults=["down:links=5%,at=1us"]', "deadlock=")
    assert {run.case for run in plan.runs} == {"a", "b"}
    assert set(values(plan, "warmup")) == {0.5}
    assert {each.partition(":")[0] for each in values(plan, "selector")} == {"flowlet"}
    assert values(plan, "faults")[0] == ["down:links=5%,at=1us,detect=100us"]
    assert set(values(plan, "deadlock")) == {None}
    assert plan.study.title == (
        'settings; changed by --set: selector=flowlet, warmup=0.5, faults=["down:links=5%,at=1us"], deadlock='
    )


def test_a_setting_of_a_case_changes_only_this_case(path: Path) -> None:
    plan = planned(path, "fabric=slimfly:q=4,p=2", case="a")
    assert {(run.case, run.parameters.fabric) for run in plan.runs} == {("a", "slimfly:q=4,p=2")}  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "value", ["skewed:bytes=10KB", "uniform:arrivals=20000,duration=1ms,bytes=10KB", "skewed:bytes=20KB"]
)
def test_a_setting_of_a_grid_parameter_replaces_its_values(path: Path, value: str) -> None:
    plan = planned(path, f"traffic={value}")
    assert plan.points == [{"traffic": value}]
    assert len(plan.runs) == 4
    assert not plan.study.reference
    assert planned(path, "traffic=permutation:bytes=10KB").study.reference


def test_changed_settings_have_other_runs(path: Path) -> None:
    own, same, other = (
        {run.id for run in plan.runs}
        for plan in (study.plan(study.load(path)), planned(path, "warmup=0.1"), planned(path, "warmup=0.2"))
    )
    assert own == same
    assert not own & other


def test_a_changed_study_shows_the_papers_values_without_verdicts(path: Path, tulle: Cli) -> None:
    command = ("run", str(path), "--set", "software=100ns", "--seed", "1", "--case", "a", "--no-rows")
    printed = tulle(*command)
    assert (printed.returncode, printed.stderr) == (0, "")
    assert printed.stdout.startswith("settings; changed by --set: software=100ns\nseed 1\n")
    assert "reference: paper (a)" in printed.stdout
    assert not any(word in printed.stdout for word in ("verdict", "agrees", "differs", "a reason"))
    result, *_ = json.loads(tulle(*command, "--json").stdout)["results"]
    assert result["reference"] == {"source": "paper", "fct_mean_us": 9.0}
    assert not result["verdicts"]
    unchanged, *_ = json.loads(tulle("run", str(path), "--seed", "1", "--case", "a", "--json").stdout)["results"]
    assert unchanged["figures"]["fct_mean_us"]["mean"] < result["figures"]["fct_mean_us"]["mean"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["warmup"], "--set warmup: no '='; legal: KEY=VALUE"),
        (["warmpu=1"], "--set warmpu=1: unknown key 'warmpu'; did you mean warmup?"),
        (["warmup=0.1", "--set", "warmup=0.2"], "--set warmup=0.2: 'warmup' is set twice; legal: once"),
        (["warmup=2"], "case 'a': warmup = 2 is out of range; legal: 0 to below 1"),
        (["warmup=x"], "case 'a': warmup = 'x' is not a number; legal: 0 to below 1"),
        (["mapping=x"], "case 'a': mapping = 'x' is unknown; legal: linear, random"),
        (["rate=10"], "rate=10 has no unit; did you mean 10Gbps or 10Mbps?"),
        (["fabric="], "case 'a': fabric: '' is not a spec"),
        (["warmup=0.2", "--check"], "--check together with --set; legal: one of them"),
        (["warmup=0.2", "--record"], "--record together with --set; legal: one of them"),
        (["warmup=0.2", "--case", "c"], "--case: unknown case 'c'; legal: a, b"),
        (
            ["traffic=skewed:bytes=1KB", "--case", "a", "--at", "traffic=skewed:bytes=10KB"],
            "'skewed:bytes=10KB' is not in the grid; did you mean skewed:bytes=1KB?",
        ),
    ],
)
def test_settings_that_are_refused(options: list[str], message: str, path: Path, tulle: Cli) -> None:
    printed = tulle("run", str(path), "--set", *options)
    assert (printed.returncode, printed.stderr.count("\n")) == (2, 1)
    assert message in printed.stderr
