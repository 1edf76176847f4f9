"""Pieces of Markdown text that several generated pages use."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def cell(text: str) -> str:
    """Return a text for a cell of a Markdown table, with every `|` escaped."""
    return text.replace("|", "\\|")


def sentence(text: str) -> str:
    """Return a text that ends with a full stop."""
    return text if text.endswith(".") else f"{text}."


def plain(text: str) -> str:
    """Return a text in which no character has a meaning for Markdown or HTML."""
    for character in "\\`*_[]":
        text = text.replace(character, f"\\{character}")
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; the cells are Markdown texts."""
    lines = [head, ["---"] * len(head), *([cell(text) for text in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
