"""Fills pages from the registry: ``<!-- registry: fabrics -->`` alone on a line becomes what is registered there."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import tulle

if TYPE_CHECKING:
    from tulle.registry import Entry, Parameter

_MARKER = re.compile(r"^<!-- registry: (\w+) -->$", re.MULTILINE)


def on_page_markdown(markdown: str, **_: object) -> str:
    """Called by mkdocs with the text of every page."""
    return _MARKER.sub(lambda match: _entries(match[1]), markdown)


def _entries(kind: str) -> str:
    return "\n\n".join(map(_entry, tulle.registered(kind)))


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


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _sentence(text: str) -> str:
    return text if text.endswith(".") else f"{text}."
