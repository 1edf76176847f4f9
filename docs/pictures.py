"""Make pictures and the example report of the documentation.

``python docs/pictures.py`` draws the pictures in docs/images.

The pictures of docs/reference/plots.md are drawn when the documentation is built, by the commands on that page. The
pictures of the gallery are drawn by the scripts in examples/gallery. The report is made from
docs/reports/three-networks.json.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import re
import runpy
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import gallery
import matplotlib as mpl

import tulle
from tulle.cli import main
from tulle.plot.sheet import figure, save_plot
from tulle.plot.style import PAGE
from tulle.typed_specs import check

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

DOCS = Path(__file__).parent
PAGE_OF_PLOTS = DOCS / "reference" / "plots.md"
COMPARISON = DOCS / "reports" / "three-networks.json"
PANELS = [
    ("minimal", "minimal: one table"),
    ("random:layers=8,rho=0.6", "random layers, as published: eight tables"),
    ("spread:layers=8", "layers that spread: eight tables"),
]
_COMMAND = re.compile(r"^    tulle (.+)$", re.MULTILINE)
_MARKER = re.compile(r"^<!-- plot: ([\w.-]+) -->$", re.MULTILINE)


def pair() -> None:
    """Draw the paths between two neighbours of a small Slim Fly in three routings."""
    fabric = tulle.Fabric("slimfly:q=5")
    source, destination = 0, int(fabric.channels[0, 1])
    with figure(PAGE, 3.1) as sheet:
        for axis, (spec, title) in zip(sheet.subplots(1, len(PANELS)), PANELS, strict=True):
            tulle.route(fabric, spec, seed=1).plot_paths(source, destination, ax=axis)
            axis.set_title(title)
    # Text is stored as text and not as outlines, so that the committed file is small.
    with mpl.rc_context({"svg.fonttype": "none", "font.family": ["DejaVu Sans", "sans-serif"]}):
        save_plot(sheet, DOCS / "images" / "spread-pair.svg")


def commands() -> list[list[str]]:
    """Return the arguments of every command on the page of plots, in order; a backslash continues a line."""
    text = PAGE_OF_PLOTS.read_text(encoding="utf-8").replace("\\\n", " ")
    return [shlex.split(found) for found in _COMMAND.findall(text)]


def draw_page(folder: Path) -> list[Path]:
    """Run the commands on the page of plots in a folder, and return the pictures that the page shows.

    If neither the page nor tulle has changed since the last run, nothing is drawn.
    """
    with changed_since_last_use(folder, PAGE_OF_PLOTS) as changed:
        for arguments in commands() if changed else ():
            _run(arguments)
    return [folder / name for name in _MARKER.findall(PAGE_OF_PLOTS.read_text(encoding="utf-8"))]


def draw_gallery(folder: Path) -> list[Path]:
    """Run the scripts of the gallery in a folder, and return their pictures.

    If neither the scripts nor tulle have changed since the last run, nothing is drawn.
    """
    sections = gallery.sections()
    with changed_since_last_use(folder, *(section.script for section in sections)) as changed:
        for section in sections if changed else ():
            runpy.run_path(str(section.script), run_name="__main__")
    return [folder / picture.file for section in sections for picture in section.pictures]


def write_report(folder: Path) -> Path:
    """Write the example report to a folder if its data or tulle has changed since the last time; return its path."""
    with changed_since_last_use(folder, COMPARISON) as changed:
        if changed:
            _run(["report", str(COMPARISON), "-o", f"{COMPARISON.stem}.html"])
    return folder / f"{COMPARISON.stem}.html"


def write_short_report(folder: Path) -> Path:
    """Write the example report without its networks, and check that the networks' specs are valid."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{COMPARISON.stem}.html"
    _run(["report", str(COMPARISON), "--networks", "0", "-o", str(path)])
    found = json.loads(COMPARISON.read_text(encoding="utf-8"))
    for entrant in found["entrants"]:
        tulle.Fabric(entrant["fabric"], found["seed"])
        check("routings", entrant["routing"])
    return path


def shown(markdown: str) -> str:
    """Return the page of plots with its pictures in place of the markers."""
    return _MARKER.sub(lambda found: f"![{Path(found[1]).stem}](plots/{found[1]})", markdown)


def _run(arguments: list[str]) -> None:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        try:
            main(arguments)
        except SystemExit as end:
            code = end.code
    if code:
        raise RuntimeError(f"docs/reference/plots.md: tulle {shlex.join(arguments)}: {printed.getvalue()}")


@contextlib.contextmanager
def changed_since_last_use(folder: Path, *sources: Path) -> Iterator[bool]:
    """Change to a folder of results; yield whether `sources` or tulle have changed since the last success."""
    folder.mkdir(parents=True, exist_ok=True)
    stamp, now = folder / "stamp.txt", _digest(sources)
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield not stamp.exists() or stamp.read_text(encoding="utf-8") != now
    finally:
        os.chdir(before)
    stamp.write_text(now, encoding="utf-8")


def _digest(sources: Sequence[Path]) -> str:
    package = Path(tulle.__file__).parent
    digest = hashlib.sha256()
    page = sorted((package / "report_html" / "page").iterdir())
    for source in [*sources, *sorted(package.rglob("*.py")), *page, *sorted(package.glob("*.so"))]:
        digest.update(source.read_bytes())
    return digest.hexdigest()


if __name__ == "__main__":
    pair()
