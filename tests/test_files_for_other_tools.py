"""Check the repository's files for other tools: parse each by its tool's rules, and compare it with other files."""

from __future__ import annotations

import re
import sys
from typing import Any

import pytest
import yaml
from conftest import ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
FILES = [*sorted((ROOT / ".github").rglob("*.yml")), ROOT / ".pre-commit-config.yaml"]


def read(path: str) -> Any:
    return yaml.safe_load((ROOT / path).read_text())


def steps(workflow: Any) -> list[Any]:
    return [step for job in workflow["jobs"].values() for step in job["steps"]]


def test_targets_that_are_called_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    called = {name for path in FILES for name in re.findall(r"(?:entry|run): make ([a-z-]+)", path.read_text())}
    assert called >= {"wheel", "lint-rust", "lint-python", "lint-docs"}
    assert called <= targets


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_yaml_is_read(path: Any) -> None:
    assert isinstance(yaml.safe_load(path.read_text()), dict)


def test_continuous_integration_runs_everything() -> None:
    workflow = read(".github/workflows/ci.yml")
    (job,) = workflow["jobs"].values()
    assert ".ci/run" in [step.get("run") for step in steps(workflow)]
    rows = [(row["python"], row["rust"]) for row in job["strategy"]["matrix"]["include"]]
    with (ROOT / "Cargo.toml").open("rb") as file:
        oldest = tomllib.load(file)["workspace"]["package"]["rust-version"]
    assert {("3.10", "stable"), ("3.13", "stable"), ("3.13", oldest)} <= set(rows)
    assert f"≥ {oldest}" in (ROOT / "README.md").read_text()
    assert f"needs Rust {oldest} or later" in (ROOT / "Makefile").read_text()


def test_no_toolchain_is_fetched_that_is_newer_than_needed() -> None:
    with (ROOT / "rust-toolchain.toml").open("rb") as file:
        asked = tomllib.load(file)["toolchain"]
    assert asked == {"profile": "minimal", "components": ["clippy", "rustfmt"]}


@pytest.mark.parametrize("path", [path for path in FORMS if path.name != "config.yml"], ids=lambda path: path.stem)
def test_issue_forms_are_whole(path: Any) -> None:
    form = yaml.safe_load(path.read_text())
    assert form.keys() >= {"name", "description", "body"}
    ids = [part["id"] for part in form["body"]]
    assert len(set(ids)) == len(ids)
    assert all(part["type"] in {"input", "textarea"} and part["attributes"]["label"] for part in form["body"])
