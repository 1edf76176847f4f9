"""Test the checks of third-party Rust crates that are part of tulle's wheel."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from conftest import ROOT

sys.path.insert(0, str(ROOT / "tools"))
import crates


@pytest.mark.parametrize(
    ("licence", "legal"),
    [
        ("MIT", True),
        ("MIT OR Apache-2.0", True),
        ("MIT/Apache-2.0", True),
        ("(MIT OR Apache-2.0) AND Unicode-3.0", True),
        ("MIT OR GPL-3.0", True),
        ("MIT AND GPL-3.0", False),
        ("GPL-3.0 AND Apache-2.0 OR GPL-3.0", False),
        ("Apache-2.0 WITH LLVM-exception", True),
        ("GPL-2.0 WITH Classpath-exception-2.0", False),
        ("", False),
        ("(MIT", False),
    ],
)
def test_licences(licence: str, legal: bool) -> None:
    assert crates.permitted(licence) == legal


def package(name: str, version: str, **changes: Any) -> dict[str, Any]:
    return {"name": name, "version": version, "source": crates.SOURCE, "license": "MIT", "manifest_path": "", **changes}


def test_problems_are_named() -> None:
    twice = [package(name, version) for name in crates.DUPLICATES for version in ("1.0.0", "2.0.0")]
    assert crates.problems({"packages": twice}) == []
    for wrong, problem in (
        (package("a", "1.0.0", source="git+https://example.org/a"), "a 1.0.0 comes from git+"),
        (
            package("a", "1.0.0", source=None, manifest_path="/elsewhere/Cargo.toml"),
            "is a local crate outside the repository",
        ),
        (package("a", "1.0.0", license="GPL-3.0"), "a 1.0.0 has licence GPL-3.0; legal: one of Apache-2.0"),
        (package("a", "1.0.0", license=None), "a 1.0.0 has licence None"),
    ):
        found = crates.problems({"packages": [*twice, wrong]})
        assert len(found) == 1
        assert problem in found[0]
    found = crates.problems({"packages": [*twice, package("a", "1.0.0"), package("a", "2.0.0")]})
    assert found == ["a occurs in versions 1.0.0, 2.0.0; legal: one, or a reason in DUPLICATES"]
    assert "no longer occurs in two versions" in crates.problems({"packages": twice[1:]})[0]


def test_paths_of_the_builder_are_found(tmp_path: Path) -> None:
    tool = [sys.executable, str(ROOT / "tools" / "anonymous.py"), str(tmp_path)]
    assert "no wheel" in subprocess.run(tool, capture_output=True, text=True, check=False).stderr
    for content, code in ((b"\0crates/a.rs\0", 0), (b"\0" + str(ROOT).encode() + b"/crates/a.rs\0", 1)):
        with ZipFile(tmp_path / "a.whl", "w") as wheel:
            wheel.writestr("tulle/_tulle.so", content)
        done = subprocess.run(tool, capture_output=True, text=True, check=False)
        assert done.returncode == code
        assert ("a.whl: tulle/_tulle.so: " in done.stderr) == bool(code)


def test_the_table_of_crates_has_what_each_needs() -> None:
    table = (ROOT / "crates" / "README.md").read_text()
    rows = re.findall(r"^\| `tulle-(\w+)` \| [^|]+ \| ([^|]+) \|$", table, re.MULTILINE)
    manifests = {path.parent.name.removeprefix("tulle-"): path.read_text() for path in ROOT.glob("crates/*/Cargo.toml")}
    assert {crate for crate, _ in rows} == set(manifests)
    for crate, needs in rows:
        dependencies = re.split(r"^\[", manifests[crate].split("[dependencies]\n")[1], flags=re.MULTILINE)[0]
        found = set(re.findall(r"^tulle-(\w+)", dependencies, re.MULTILINE))
        named = {"–": set(), "all except web": set(manifests) - {crate, "web"}}
        assert found == named.get(needs, set(needs.split(", "))), crate
