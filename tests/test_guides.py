"""Run the commands and programs of the how-to guides and of a tutorial, and check that their output is as printed."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

import pytest
import yaml
from conftest import ROOT
from page_blocks import Block, missing, run

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from pathlib import Path

DOCS = ROOT / "docs"
GUIDES = sorted(path for path in (DOCS / "guides").glob("*.md") if path.name != "index.md")
PAGES = [*GUIDES, DOCS / "reference" / "errors.md"]
TUTORIAL = DOCS / "tutorials" / "choose-price-cable.md"
# The comparison and the failures of the tutorial's networks take a minute of processor time.
SMALLER = {
    "tulle compare $slimfly $fattree": "tulle compare slimfly:q=5 fattree:levels=3,radix=8",
    "tulle resilience $slimfly": "tulle resilience slimfly:q=5",
}
MOST_LINES = 85


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_shows_the_real_output(page: Path, tmp_path: Path) -> None:
    ran = run(page, tmp_path)
    assert ran
    for block, output in ran:
        assert missing(block, output) == [], output


@pytest.mark.large
def test_the_tutorial_shows_the_real_output(tmp_path: Path) -> None:
    for block, output in run(TUTORIAL, tmp_path):
        assert missing(block, output) == [], output


def test_the_tutorial_runs_with_smaller_networks(tmp_path: Path) -> None:
    """Check the output of the tutorial; for the comparison of smaller networks, check only the names of the rows."""
    compared = 0
    for block, output in run(TUTORIAL, tmp_path, SMALLER):
        shown = block
        if 'json.load(open("card.json"))' in block.code:
            compared += 1
            shown = block._replace(expected=[re.split(r" {2,}", line)[0] for line in block.expected])
        assert missing(shown, output) == [], output
    assert compared == 1


@pytest.mark.parametrize("page", GUIDES, ids=lambda page: page.stem)
def test_a_guide_is_short_and_is_listed(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= MOST_LINES
    assert f"]({page.name})" in (DOCS / "guides" / "index.md").read_text(encoding="utf-8")
    assert f"guides/{page.name}" in yaml.safe_dump(yaml.safe_load((ROOT / "mkdocs.yml").read_text())["nav"])


def test_the_installation_page_lists_all_extras() -> None:
    text = (DOCS / "guides" / "install.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \|.*\| ([\w, -]+) \|$", text, re.MULTILINE)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = {
        name: ", ".join(package.partition(">=")[0] for package in packages)
        for name, packages in project["optional-dependencies"].items()
    }
    assert dict(rows) == extras


def test_lines_that_differ_are_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        '```csv title="x.csv"\na,b\n```\n```sh\ncat x.csv\n```\n```text\na,b\n…\nc\n```\n'
        '```python\nprint(open("x.csv").read())\n```\n```text\na,b\n```\n',
        encoding="utf-8",
    )
    (tmp_path / "below").mkdir()
    first, second = run(page, tmp_path / "below")
    assert missing(*first) == ["c"]
    assert missing(*second) == []
    assert missing(Block("", ["a  b", "b c"]), "x a b c\n") == []


def test_guides_have_commands_for_shells() -> None:
    """Check that no guide has commands in an indented block, which no test runs."""
    for page in GUIDES:
        outside = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        assert not re.search(r"^    tulle ", outside, re.MULTILINE), page.name
