"""Check the studies that tulle includes: their names, the demo, and copies."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest
from conftest import ROOT, study_files

import tulle
from tulle import study
from tulle.cli.study.demo import demo
from tulle.study.engine.shipped import FOLDER, find, shipped

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli


def test_names_are_those_of_the_files() -> None:
    names = shipped()
    assert {"demo", "quickstart", "fatpaths/figure-2", "spread/throughput"} <= {*names}
    studies = {path.relative_to(ROOT / "studies"): path.read_bytes() for path in study_files("**/*.toml")}
    assert {find(name).relative_to(FOLDER): find(name).read_bytes() for name in names} == studies


@pytest.mark.parametrize("name", ["quickstart", "quickstart.toml", "studies/quickstart.toml", "studies/quickstart"])
def test_names_as_in_a_checkout(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert find(name) == FOLDER / "quickstart.toml"
    assert study.load(name).name == "quickstart"


def test_a_file_comes_before_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(FOLDER / "jellyfish/table-1.toml", "quickstart.toml")
    assert study.load("quickstart.toml").name != "quickstart"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("quickstrat", "no study 'quickstrat'; did you mean quickstart?"),
        ("fatpaths", "no study 'fatpaths'; legal: a .toml file, or a study that `tulle studies fatpaths` lists"),
        ("selectors-large", "no study 'selectors-large'; did you mean spread/selectors-large?"),
        ("x/y", "no study 'x/y'; legal: a .toml file, or a study that `tulle studies` lists"),
        ("absent.toml", "absent.toml: No such file or directory"),
    ],
)
def test_unknown_names(name: str, message: str) -> None:
    with pytest.raises(tulle.TulleError) as refused:
        study.load(name)
    assert str(refused.value) == message


def test_the_demo_compares_and_draws(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("matplotlib")
    # One seed instead of three keeps this test short; tests/test_wheel.py runs the whole demo.
    short = tmp_path / "studies"
    short.mkdir()
    text = (FOLDER / "demo.toml").read_text(encoding="utf-8")
    assert "seeds = [1, 2, 3]\n" in text
    (short / "demo.toml").write_text(text.replace("seeds = [1, 2, 3]", "seeds = [1]").replace("1MiB", "64KiB"))
    monkeypatch.setattr("tulle.study.engine.shipped.FOLDER", short)
    monkeypatch.chdir(tmp_path)
    demo()
    result = capsys.readouterr().out.splitlines()
    (picture,) = (line.removeprefix("plot: ") for line in result if line.endswith(".png"))
    assert (tmp_path / picture).stat().st_size > 10_000
    assert result[result.index("try next:") + 1].startswith("  tulle demo --full ")
    demo(json=True)
    again = json.loads(capsys.readouterr().out)
    assert (again["study"], again["runs"], again["measured"]) == ("demo", 9, 0)


def test_studies_are_listed_and_copied(tulle: Cli, tmp_path: Path) -> None:
    listed = json.loads(tulle("studies", "jellyfish", "--json").stdout)
    assert [row["name"] for row in listed["studies"]] == [name for name in shipped() if name.startswith("jellyfish")]
    assert all(row["title"] for row in listed["studies"])
    copied = tulle("studies", "--copy", "studies")
    assert (copied.returncode, copied.stdout) == (0, f"copied {len(shipped())} studies to studies\n")
    found = {path.relative_to(tmp_path).as_posix() for path in (tmp_path / "studies").rglob("*") if path.is_file()}
    assert found == {path.relative_to(ROOT).as_posix() for path in (ROOT / "studies").rglob("*") if path.is_file()}
    again = tulle("studies", "--copy", "studies")
    assert (again.returncode, again.stderr) == (2, "tulle: studies: it exists; legal: a new folder\n")
    unknown = tulle("studies", "jellifish")
    assert unknown.stderr == "tulle: no study starts with 'jellifish'; did you mean jellyfish?\n"
    kept = tulle("run", "jellyfish/table-1", "--record")
    assert (kept.returncode, kept.stderr.count("\n")) == (2, 1)
    assert "--record would write beside jellyfish/table-1, which is part of tulle; legal: a study file" in kept.stderr
