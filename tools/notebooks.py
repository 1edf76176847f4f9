"""Run Jupyter notebooks without Jupyter, for the tests and for the pages of the documentation.

``notebooks.py NOTEBOOK OUTPUT.json`` runs all code cells in one namespace, in the current folder, and writes what each
of them printed and returned. Like Jupyter, it shows the value of the last expression of a cell. It exits with 1 and a
traceback if a cell fails.

The script imports no other file of this repository, so that tests can run it in a process of its own.
"""

from __future__ import annotations

import ast
import base64
import contextlib
import io
import json
import os
import subprocess
import sys
import traceback
from pathlib import Path
from typing import Any, NamedTuple


class Cell(NamedTuple):
    """A cell of a notebook."""

    kind: str
    """``markdown`` or ``code``."""
    source: str


class Output(NamedTuple):
    """The output of a code cell."""

    printed: str
    html: str | None
    """The HTML of the last expression's value; None if it has none."""
    png: bytes | None
    """The picture of the last expression's value; None if it has none."""


def cells(path: Path) -> list[Cell]:
    """Return the cells of a notebook (nbformat 4)."""
    return [Cell(cell["cell_type"], "".join(cell["source"])) for cell in json.loads(path.read_text("utf-8"))["cells"]]


def run(path: Path, folder: Path) -> list[Output]:
    """Run the code cells of a notebook in a process of its own, in a folder. Return the output of each.

    Raises
    ------
    RuntimeError
        If a cell fails. The message has the cell's number and the traceback.
    """
    result = folder / "outputs.json"
    done = subprocess.run(
        [sys.executable, str(Path(__file__).resolve()), str(path.resolve()), str(result.resolve())],
        cwd=folder,
        env={**os.environ, "MPLBACKEND": "Agg"},
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{path.name}: {done.stderr}")
    found = json.loads(result.read_text("utf-8"))
    return [
        Output(each["printed"], each["html"], None if each["png"] is None else base64.b64decode(each["png"]))
        for each in found
    ]


def _run_here(path: Path) -> list[dict[str, Any]]:
    space: dict[str, Any] = {"__name__": "__main__"}
    code = [cell.source for cell in cells(path) if cell.kind == "code"]
    return [_run_cell(source, f"{path.name}, code cell {number}", space) for number, source in enumerate(code, 1)]


def _run_cell(source: str, name: str, space: dict[str, Any]) -> dict[str, Any]:
    tree = ast.parse(source, name)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, name, "exec"), space)
        value: Any = None
        # As in Jupyter, a semicolon hides the value.
        if isinstance(last, ast.Expr) and not source.rstrip().endswith(";"):
            value = eval(compile(ast.Expression(last.value), name, "eval"), space)
    png = value._repr_png_() if hasattr(value, "_repr_png_") else None
    html = value._repr_html_() if png is None and hasattr(value, "_repr_html_") else None
    if value is not None and png is None and html is None:
        printed.write(f"{value!r}\n")
    shown = None if png is None else base64.b64encode(png).decode()
    return {"printed": printed.getvalue(), "html": html, "png": shown}


def main() -> None:
    """Run the notebook that the command line names."""
    path, result = map(Path, sys.argv[1:])
    try:
        found = _run_here(path)
    except Exception:
        traceback.print_exc()
        sys.exit(1)
    result.write_text(json.dumps(found), "utf-8")


if __name__ == "__main__":
    main()
