"""Run all notebooks of the examples without Jupyter: every cell works, and the files have no outputs."""

from __future__ import annotations

import importlib
import json
import re
import sys
from typing import TYPE_CHECKING

import pytest
from conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path

sys.path.append(str(ROOT / "tools"))

import notebooks

DOCUMENTED = "first-figure"
NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))
# A small notebook: the first cell's variable is known in the second, and only the last expression is shown.
SMALL = ["x = 2\nprint(x)", "x\nx + 1", "x;", "1 / (x - {})"]


def test_all_cells_of_the_documented_notebook_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the notebook that the documentation shows, unless the build of the documentation has just run it."""
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    notebook_page = importlib.import_module("notebook_page")
    assert notebook_page.NOTEBOOK.stem == DOCUMENTED
    page, pictures = notebook_page.write(ROOT / "target" / "notebook")
    assert page.count("```python\n") == sum(cell.kind == "code" for cell in notebooks.cells(notebook_page.NOTEBOOK))
    assert "<table>" in page
    assert pictures


@pytest.mark.parametrize("path", [path for path in NOTEBOOKS if path.stem != DOCUMENTED], ids=lambda path: path.stem)
def test_all_cells_run(path: Path, tmp_path: Path) -> None:
    outputs = notebooks.run(path, tmp_path)
    assert len(outputs) == sum(cell.kind == "code" for cell in notebooks.cells(path))
    assert any(output.png for output in outputs)
    assert any(output.html for output in outputs)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_committed_without_outputs_and_is_listed(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    content = json.loads(text)
    assert (content["nbformat"], content["nbformat_minor"]) == (4, 5)
    for cell in content["cells"]:
        assert cell["metadata"] == {}
        assert cell.get("outputs", []) == []
        assert cell.get("execution_count") is None
    names = [cell["id"] for cell in content["cells"]]
    assert len({*names}) == len(names)
    assert text == json.dumps(content, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
    listed = (ROOT / "examples" / "README.md").read_text(encoding="utf-8")
    assert re.search(rf"^\| \[{path.name}\]\(notebooks/{path.name}\) \|", listed, re.MULTILINE)


def test_three_notebooks_exist() -> None:
    assert len(NOTEBOOKS) == 3


def _small(path: Path, wrong: int) -> Path:
    cells = [{"cell_type": "code", "source": [source.format(wrong)]} for source in SMALL]
    path.write_text(json.dumps({"cells": cells}), encoding="utf-8")
    return path


def test_a_cell_shows_what_it_prints_and_its_last_value(tmp_path: Path) -> None:
    outputs = notebooks.run(_small(tmp_path / "small.ipynb", 1), tmp_path)
    assert [output.printed for output in outputs] == ["2\n", "3\n", "", "1.0\n"]


def test_a_failing_cell_is_named(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match=r"(?s)small\.ipynb, code cell 4.*ZeroDivisionError"):
        notebooks.run(_small(tmp_path / "small.ipynb", 2), tmp_path)
