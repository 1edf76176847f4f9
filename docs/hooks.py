"""Fills pages with what is computed: four markers, each alone on a line.

``<!-- registry: fabrics -->`` becomes what is registered there, ``<!-- names: fabrics -->`` a table of its names,
``<!-- features -->`` the table of routings, ``<!-- crates -->`` what ``crates/README.md`` says below its heading.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import tulle
from tulle.routing.features import CRITERIA, PROBES, features

if TYPE_CHECKING:
    from tulle.declarations import Entry, Parameter

_MARKER = re.compile(r"^<!-- registry: ([\w-]+) -->$", re.MULTILINE)
_NAMES = re.compile(r"^<!-- names: ([\w-]+) -->$", re.MULTILINE)
_CRATES = re.compile(r"^<!-- crates -->$", re.MULTILINE)
_FEATURES = re.compile(r"^<!-- features -->$", re.MULTILINE)


def on_page_markdown(markdown: str, **_: object) -> str:
    """Called by mkdocs with the text of every page."""
    filled = _MARKER.sub(lambda match: _entries(match[1]), markdown)
    filled = _NAMES.sub(lambda match: _names(match[1]), filled)
    filled = _CRATES.sub(lambda _: _crates(), filled)
    return _FEATURES.sub(lambda _: _features(), filled)


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


def _parameters(parameters: list[Parameter]) -> str:
    head = "| parameter | what it is | legal | default |\n|---|---|---|---|\n"
    rows = (
        f"| `{parameter['name']}` | {_cell(parameter['help'])} | {_cell(parameter['legal'])} "
        f"| {_cell(parameter['default']) or 'must be given'} |"
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
