"""Check that the crates and the package have no import cycles, and that `tools/circles.py` finds import cycles."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path

sys.path.insert(0, str(ROOT / "tools"))
import circles


def test_there_is_none() -> None:
    found = [[one.place for one in circle.imports] for circle in circles.all_circles()]
    assert found == []


def written(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


CRATE = {
    "lib.rs": "mod fabric;\nmod links;\nmod walk;\npub use fabric::Fabric;\npub use links::{Link, rule::Rule};\n",
    "fabric.rs": "use crate::Link;\npub struct Fabric(Link);\n",
    "links.rs": "pub mod rule;\nuse rule::Rule;\npub struct Link(Rule);\n",
    "links/rule.rs": "pub struct Rule;\n#[cfg(test)]\nmod tests {\n    use crate::Fabric;\n}\n",
    "walk.rs": "use crate::{Fabric, Link};\n",
}


def modules(folder: Path) -> list[tuple[circles.Module, ...]]:
    return [circle.modules for circle in circles.circles(circles.of_crate(folder))]


def test_files_of_a_crate(tmp_path: Path) -> None:
    source = written(tmp_path / "crate" / "src", CRATE)
    # A module's submodules, re-exports and unit tests do not count as an import cycle.
    assert modules(source) == []
    for uses in ("use crate::Fabric;", "use super::super::{\n    Fabric as F,\n};", "fn f(fabric: &crate::Fabric) {}"):
        written(source, {"links/rule.rs": uses + "\npub struct Rule;\n"})
        assert modules(source) == [(("fabric",), ("links",))]
    written(source, {"links/rule.rs": "// circle: a rule is read for a fabric\nuse crate::Fabric;\npub struct Rule;\n"})
    assert modules(source) == []


def test_files_of_a_package(tmp_path: Path) -> None:
    package = {
        "__init__.py": "",
        "low/__init__.py": "from p.low.one import x\n",
        "low/one.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from p.high import y\nx = 1\n",
        "high.py": "from p.low import x\ny = x\n",
    }
    folder = written(tmp_path / "p", package)
    assert circles.circles(circles.of_package(folder)) == []
    written(folder, {"low/one.py": "def f():\n    from p import high\n"})
    (found,) = circles.circles(circles.of_package(folder))
    assert found.modules == (("p", "high"), ("p", "low"))
    assert [one.place for one in found.imports] == ["p/high.py:1: p.low.x", "p/low/one.py:2: p.high"]
