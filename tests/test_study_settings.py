"""Tests of ``tulle run STUDY --set KEY=VALUE``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tulle import study
from tulle.cli.study.one_case import with_settings
from tulle.errors import StudyError

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
        (["rate=25Gpbs"], "--set rate=25Gpbs: case 'a': rate=25Gpbs is not a rate"),
        (["traffic=x", "--case", "a", "--at", "traffic=x"], "--set traffic=x: case 'a': traffic: unknown traffic"),
        (["software=1us", "--set", "rate=25Gpbs"], "invalid value: --set rate=25Gpbs: case 'a': rate=25Gpbs is not"),
        (["warmup=2", "--set", "rate=1"], "invalid value: --set warmup=2, --set rate=1: case 'a': warmup = 2 is out"),
        (['faults=["down:links=5%"'], """--set faults=["down:links=5%" has no ']' at the end of the list; legal"""),
        (["faults=[down:links=5%]"], "--set faults=[down:links=5%] is not a list; legal: faults=["),
        (["fabric=file:edges=none.csv"], "--set fabric=file:edges=none.csv: case 'a': none.csv does not exist"),
        (["traffic=incast:senders=99"], "seed 1: incast: senders=99 is out of range on slimfly:q=3,p=3; legal: 1 to"),
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
    # The study file does not have the value.
    assert str(path) not in printed.stderr or f"(with --set {options[0]})" in printed.stderr


def test_a_wrong_study_file_is_named(path: Path, tulle: Cli) -> None:
    path.write_text(STUDY.replace('queue = "pfc"', 'queue = "pcf"'), encoding="utf-8")
    message = tulle("run", str(path), "--set", "warmup=0.2").stderr
    assert message.startswith(f"tulle: {path}: case 'a': ")
    assert "pcf" in message


def test_values_may_have_quotes(path: Path) -> None:
    for quoted in ('"25Gbps"', "'25Gbps'"):
        assert set(values(planned(path, f"rate={quoted}"), "rate")) == {"25Gbps"}
    faults = values(planned(path, "faults=['down:links=5%,at=1us']"), "faults")
    assert faults == values(planned(path, 'faults=["down:links=5%,at=1us"]'), "faults")


def test_values_that_every_case_replaces_are_checked(path: Path) -> None:
    def load(text: str) -> study.Plan:
        path.write_text(STUDY.replace("[common]\n", f"[common]\n{text}\n"), encoding="utf-8")
        return study.plan(study.load(path))

    assert load('selector = "flowlet"').runs == load("").runs
    for text, message in (
        ('fabric = "slimfly:q=6"', "fabric: slimfly: q=6 is not a prime power"),
        ('selector = "valiant"', "valiant"),
        ("selector = 1", "selector = 1 is not a text"),
        ('fabric = "file:edges=none.csv"', "none.csv does not exist"),
    ):
        with pytest.raises(StudyError, match=f"{path.name}: common: .*{message}"):
            load(text)


def test_a_value_that_only_other_cases_use_is_no_error(path: Path) -> None:
    text = STUDY.replace('selector = "ecmp"', 'selector = "ecmp"\nsize = "paper"').replace(
        'selector = "spray"', 'selector = "spray"\nqueue = "droptail"'
    )
    path.write_text(text.replace('deadlock = "dfsssp"\n', ""), encoding="utf-8")
    whole = study.load(path)
    assert "queue" not in whole.of_size("small").common
    assert "queue" in whole.common
    assert study.plan(whole.of_size("small")).runs
