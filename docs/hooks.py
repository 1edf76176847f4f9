"""Fills pages with what is computed: six markers, each alone on a line.

``<!-- registry: fabrics -->`` becomes what is registered there, ``<!-- names: fabrics -->`` a table of its names,
``<!-- options: packet -->`` the table of a simulator's options, ``<!-- features -->`` the table of routings,
``<!-- crates -->`` what ``crates/README.md`` says below its heading. On the page of plots ``<!-- plot: x.svg -->``
becomes the picture that a command above it draws. On the page of a paper ``<!-- exhibit: Fig. 2 -->`` becomes the
claims, figures and plots of that exhibit, from what is kept beside the studies.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from mkdocs.structure.files import File, Files

import tulle
from tulle import _tulle
from tulle.routing.features import CRITERIA, PROBES, features

sys.path.append(str(Path(__file__).parents[1] / "tools"))

sys.path.append(str(Path(__file__).parent))

from exhibit.exhibits import ROOT
from exhibit.pages import filled
from exhibit.plots import draw_all
from pictures import PAGE_OF_PLOTS, draw_page, shown

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.pages import Page

    from tulle.declarations import Entry, Parameter

_MARKER = re.compile(r"^<!-- registry: ([\w-]+) -->$", re.MULTILINE)
_NAMES = re.compile(r"^<!-- names: ([\w-]+) -->$", re.MULTILINE)
_OPTIONS = re.compile(r"^<!-- options: ([\w-]+) -->$", re.MULTILINE)
_CRATES = re.compile(r"^<!-- crates -->$", re.MULTILINE)
_FEATURES = re.compile(r"^<!-- features -->$", re.MULTILINE)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Called by mkdocs with the files of the site: adds the plots of the papers' pages and of the page of plots."""
    for folder, paths in (("reproduction/plots", draw_all()), ("plots", draw_page(ROOT / "target" / "plots"))):
        for path in paths:
            files.append(File.generated(config, f"{folder}/{path.name}", abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Called by mkdocs with the text of every page."""
    text = _MARKER.sub(lambda match: _entries(match[1]), markdown)
    text = _NAMES.sub(lambda match: _names(match[1]), text)
    text = _OPTIONS.sub(lambda match: _parameters(_tulle.simulator_options(match[1])), text)
    text = _FEATURES.sub(lambda _: _features(), text)
    text = _CRATES.sub(lambda _: _crates(), text)
    path = PurePosixPath(page.file.src_uri)
    if path.name == PAGE_OF_PLOTS.name:
        return shown(text)
    return filled(text, path.stem) if path.parent.name == "reproduction" else text


def _crates() -> str:
    page = Path(__file__).parent.parent / "crates" / "README.md"
    return page.read_text(encoding="utf-8").partition("\n\n")[2]


def _entries(kind: str) -> str:
    return "\n\n".join(map(_entry, tulle.registered(kind)))


def _names(kind: str) -> str:
    rows = (f"| `{entry['name']}` | {_cell(_sentence(entry['summary']))} |" for entry in tulle.registered(kind))
    return "| name | what it is |\n|---|---|\n" + "\n".join(rows)


def _entry(entry: Entry) -> str:
    examples = ", ".join(f"`{example}`" for example in entry["examples"])
    parts = [
        f"### {entry['name']}",
        f"{_sentence(entry['summary'])}",
        _parameters(entry["parameters"]) if entry["parameters"] else "",
        f"From: {_sentence(entry['paper'])}",
        f"Limitations: {_sentence(entry['limitations'])}",
        f"For example {examples}.",
    ]
    return "\n\n".join(part for part in parts if part)


# Lists are empty unless they are given.
_LISTS = ("specs", "counts")
_NO_DEFAULT = ("must be given", "none")


def _parameters(parameters: list[Parameter] | list[dict[str, Any]]) -> str:
    head = "| parameter | what it is | legal | default |\n|---|---|---|---|\n"
    rows = (
        f"| `{parameter['name']}` | {_cell(parameter['help'])} | {_cell(parameter['legal'])} "
        f"| {_cell(parameter['default']) or _NO_DEFAULT[parameter['kind']['type'] in _LISTS]} |"
        for parameter in parameters
    )
    return head + "\n".join(rows)


def _features() -> str:
    head = ["scheme", *CRITERIA]
    rows = [[f"`{scheme.spec}`", *scheme.cells()] for scheme in features()]
    lines = ["| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *rows)]
    told = [f"* **{name}**: {what}" for name, what in CRITERIA.items()]
    probes = "Probes: " + ", ".join(f"`{probe}`" for probe in PROBES) + "."
    return "\n".join(lines) + "\n\n" + "\n".join(told) + "\n\n" + probes


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _sentence(text: str) -> str:
    return text if text.endswith(".") else f"{text}."
