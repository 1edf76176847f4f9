"""Check that nouns and verbs agree with counts: 1 cable is, 2 cables are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import tulle
from tulle._internal.text import are, counted, verb

# The tests check the notes, warnings and READMEs of these packages. Errors about an illegal count are excluded.
PLACES = ("cabling", "deploy", "cli")
NOUNS = "cables|hosts|channels|devices|racks|switches|endpoints|ports|links|nodes|neighbours|paths|path records|lanes"
# The pattern finds counts that are written without a helper function, for example `{count} cables are`.
BARE = re.compile(rf"\{{[^{{}}]*\}} (?:{NOUNS})\b[^\"]*? (?:are|have|has|is|hear|lead|loop|change)\b")


def test_the_helpers() -> None:
    assert [counted(count, "cable") for count in (0, 1, 2, 1200)] == ["0 cables", "1 cable", "2 cables", "1,200 cables"]
    assert [counted(count, "switch", "switches") for count in (1, 2)] == ["1 switch", "2 switches"]
    assert [are(count, "cable") for count in (1, 2)] == ["1 cable is", "2 cables are"]
    assert [verb(count, "loops", "loop") for count in (1, 2)] == ["loops", "loop"]


@pytest.mark.parametrize("place", PLACES)
def test_counts_go_through_the_helpers(place: str) -> None:
    root = Path(tulle.__file__).parent
    found = [
        f"{path.relative_to(root)}:{number}: {line.strip()}"
        for path in sorted((root / place).rglob("*.py"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if BARE.search(line) and "raise" not in line and "legal" not in line
    ]
    assert found == []
