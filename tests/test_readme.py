"""Check the README: its program prints the output that it shows, its links lead to files, and it is short."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from conftest import ROOT
from page_blocks import missing, run

if TYPE_CHECKING:
    from pathlib import Path

README = ROOT / "README.md"
MOST_LINES = 120


def test_the_ten_lines_print_what_is_shown(tmp_path: Path) -> None:
    ((block, output),) = run(README, tmp_path)
    assert block.expected
    assert missing(block, output) == [], output


def test_it_is_short() -> None:
    assert len(README.read_text(encoding="utf-8").splitlines()) < MOST_LINES


def test_links_lead_to_files() -> None:
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", README.read_text(encoding="utf-8"))
    assert len(links) > 20
    for link in links:
        assert (ROOT / link).exists(), link
