"""Run all examples: each prints what the comment at its end shows."""

from __future__ import annotations

import importlib
import re
import runpy
from typing import TYPE_CHECKING

import pytest
from conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path

EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_output(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(path), run_name="__main__")
    _, _, comment = path.read_text(encoding="utf-8").partition("\n# Output:\n")
    shown = [line.removeprefix("#").removeprefix(" ") for line in comment.splitlines()]
    assert [line.rstrip() for line in capsys.readouterr().out.splitlines()] == shown


def test_ten_scripts_of_a_page_are_listed() -> None:
    listed = re.findall(r"^\| \[(\w+\.py)\]\((\w+\.py)\)", (ROOT / "examples" / "README.md").read_text(), re.MULTILINE)
    assert sorted(name for name, _ in listed) == [path.name for path in EXAMPLES]
    assert all(name == target for name, target in listed)
    assert len(EXAMPLES) == 10
    for path in EXAMPLES:
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 60, path.name


def test_the_gallery_has_twenty_short_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Check the scripts of the gallery without running them; the build of the documentation runs them."""
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    gallery = importlib.import_module("gallery")
    sections = gallery.sections()
    assert {section.script for section in sections} == {*(ROOT / "examples" / "gallery").glob("*.py")}
    pictures = [picture for section in sections for picture in section.pictures]
    assert len(pictures) == len({picture.file for picture in pictures}) == 20
    assert all(len(picture.code.splitlines()) <= 10 for picture in pictures)
    page = gallery.page()
    assert all(f"![{picture.title}](plots/{picture.file})\n\n```python\n{picture.code}" in page for picture in pictures)
